/** Creates, changes and removes one contact for an administrator, or says why it can't. */
import type { Caller } from '../../accounts/caller.ts';
import { managedFault } from '../../accounts/set-keys.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import { orThrow, type Result } from '../../foundation/result.ts';
import type { Context } from '../../storage/context.ts';
import { announceHint } from '../../storage/hints.ts';
import { countryCodeOf } from '../../wire/phone-number.ts';
import { type ContactChange, keyOf, type Tag, tidyPhone, tidyTags } from '../contact.ts';
import type { StoredContact } from '../known-contacts.ts';
import { type Refusal, writeContact } from './change-contact-store.ts';
import { shownContact } from './shown-contact.ts';
import { changeOfBook } from './visible-books.ts';

/** Undefined leaves the value unchanged; null clears it. */
export interface ContactInput {
  readonly name: string | null | undefined;
  readonly phone: string | null | undefined;
  readonly email: string | null | undefined;
  readonly app: string | null | undefined;
  readonly externalId: string | null | undefined;
  readonly tags: readonly Tag[] | undefined;
  readonly defaultCountryCode: string | undefined;
}

interface AskedContact {
  readonly book: string;
  readonly id: string;
}

function changeOf(
  caller: Caller,
  { phone, externalId, tags, defaultCountryCode, ...given }: ContactInput,
): ContactChange {
  const countryCode = countryCodeOf(caller, defaultCountryCode);
  const text = (value: string | null | undefined) => (value === null ? '' : value);
  return {
    externalId: text(externalId),
    name: text(given.name),
    email: text(given.email),
    app: text(given.app),
    phone: kept('phone', text(phone), (written) => tidyPhone(written, countryCode)),
    tags: kept('tags', tags, tidyTags),
    remove: false,
  };
}

function kept<Given, Kept>(field: string, given: Given | undefined, rule: (given: Given) => Result<Kept>) {
  const value = given === undefined ? undefined : rule(given);
  if (value?.ok !== false) return value?.value;
  throw errorOfFields(value, field);
}

export async function makeContact(
  administering: Context,
  caller: Caller,
  { book, ...input }: ContactInput & { readonly book: string },
): Promise<StoredContact> {
  const by = await changeOfBook(administering, caller, book);
  const change = changeOf(caller, input);
  const { store } = administering;
  if (keyOf(change) === undefined) throw unknownBy();
  const outcome = await store.write(writeContact, { ...by, id: undefined, change, ifMatch: undefined });
  const made = writtenOf(outcome.kind === 'written' ? outcome.contact : refuse(outcome, 'new'));
  announceHint(store, caller.companyId, 'contacts');
  return made;
}

export async function changeContact(
  administering: Context,
  caller: Caller,
  { book, id, ...input }: ContactInput & AskedContact,
  ifMatch: IfMatch,
): Promise<StoredContact> {
  const by = await changeOfBook(administering, caller, book);
  const one = { ...by, id: idOf(id), change: changeOf(caller, input), ifMatch };
  const outcome = await administering.store.write(writeContact, one);
  const changed = writtenOf(outcome.kind === 'written' ? outcome.contact : refuse(outcome, id));
  announceHint(administering.store, caller.companyId, 'contacts');
  return changed;
}

export async function removeContact(
  administering: Context,
  caller: Caller,
  { book, id }: AskedContact,
  ifMatch: IfMatch,
): Promise<void> {
  const by = await changeOfBook(administering, caller, book);
  const outcome = await administering.store.write(writeContact, {
    ...by,
    id: idOf(id),
    change: gone,
    ifMatch,
  });
  if (outcome.kind !== 'written') refuse(outcome, id);
  announceHint(administering.store, caller.companyId, 'contacts');
}

const gone: ContactChange = {
  externalId: undefined,
  name: undefined,
  phone: undefined,
  email: undefined,
  app: undefined,
  tags: undefined,
  remove: true,
};

/** No contact has the id 0. */
export function idOf(given: string): number {
  const id = Number(given);
  return Number.isSafeInteger(id) ? id : 0;
}

function writtenOf(contact: StoredContact | undefined): StoredContact {
  if (contact === undefined) throw new Error('the contact that was just written is missing');
  return contact;
}

function unknownBy(): ServiceError {
  return new ServiceError('invalid_value', { sentence: 'contact_without_key' });
}

export function unknownContact(id: string): ServiceError {
  return new ServiceError('not_found', { sentence: 'none_such', noun: 'contact', id });
}

function refuse(refusal: Refusal, id: string): never {
  switch (refusal.kind) {
    case 'notFound':
      throw unknownContact(id);
    case 'managed':
      return orThrow(managedFault({ sentence: 'managed_object', noun: 'contact', id }));
    case 'unknownBy':
      throw unknownBy();
    case 'changedMeanwhile':
      throw new ServiceError(
        'changed_meanwhile',
        { sentence: 'changed_by_other', noun: 'contact', id },
        { body: { contact: shownContact(refusal.now) } },
      );
    case 'taken':
      throw new ServiceError('taken', { sentence: 'contact_exists', by: refusal.by, what: refusal.what });
  }
}
