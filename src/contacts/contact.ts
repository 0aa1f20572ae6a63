/** A person in an address book, and the values that a list of contacts may give for them. */
import { createHash } from 'node:crypto';
import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import { cleanNumber } from '../wire/phone-number.ts';
import { reasonAgainstTag } from '../wire/tag-filter.ts';

export interface Tag {
  readonly type: string;
  readonly value: string;
}

export interface Contact {
  /** The contact's id in the operator's own lists; unique in its book. */
  readonly externalId: string | undefined;
  readonly name: string;
  /** In international form, digits only. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
  /** The contact's address in the mobile app. */
  readonly app: string | undefined;
  /** Sorted, without duplicates. */
  readonly tags: readonly Tag[];
}

/** A list's changes to a contact; undefined leaves a field unchanged, and the empty string clears it. */
export interface ContactChange {
  readonly externalId: string | undefined;
  readonly name: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
  readonly app: string | undefined;
  /** All tags of the contact. */
  readonly tags: readonly Tag[] | undefined;
  readonly remove: boolean;
}

/** The key that identifies a contact: its id, else its phone number, else its e-mail address. */
export function keyOf(change: ContactChange): string | undefined {
  return marksOf(change)[0];
}

/**
 * The entries of one list, each with its place; finds those that may refer to the same contact. People may share a phone if
 * each of them has an id; a person identified by the phone alone must be its only owner.
 */
export class ListedContacts<Place> {
  readonly #marks = new Map<string, { readonly place: Place; readonly isKey: boolean }>();

  /** The value that the change shares with an earlier change, or undefined. */
  add(change: ContactChange, place: Place): { readonly what: string; readonly place: Place } | undefined {
    const key = keyOf(change);
    const marks = marksOf(change);
    for (const mark of marks) {
      const earlier = this.#marks.get(mark);
      if (earlier !== undefined && (earlier.isKey || mark === key))
        return { what: mark, place: earlier.place };
    }
    for (const mark of marks)
      if (mark === key || !this.#marks.has(mark)) this.#marks.set(mark, { place, isKey: mark === key });
    return undefined;
  }
}

/** All values that may identify a contact; the first is the key. */
export function marksOf({
  externalId,
  phone,
  email,
}: Pick<ContactChange, 'externalId' | 'phone' | 'email'>): readonly string[] {
  return [
    ...(externalId ? [`id ${externalId}`] : []),
    ...(phone ? [`phone ${phone}`] : []),
    ...(email ? [`e-mail ${email}`] : []),
  ];
}

const emptyContact: Contact = {
  externalId: undefined,
  name: '',
  phone: undefined,
  email: undefined,
  app: undefined,
  tags: [],
};

/** The contact after the change; undefined when it is removed. */
export function contactAfter(change: ContactChange, before: Contact = emptyContact): Contact | undefined {
  if (change.remove) return undefined;
  const optional = (field: 'externalId' | 'phone' | 'email' | 'app') =>
    change[field] === undefined ? before[field] : change[field] || undefined;
  return {
    externalId: optional('externalId'),
    name: change.name ?? before.name,
    phone: optional('phone'),
    email: optional('email'),
    app: optional('app'),
    tags: change.tags ?? before.tags,
  };
}

/** Changes whenever the contact changes. */
export function versionOf({ externalId, name, phone, email, app, tags }: Contact): string {
  const all = [externalId, name, phone, email, app, ...tags.map(tagKey)].map((field) => field ?? null);
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 16);
}

/** Tags contain no colon, so no two tags share a key. */
export function tagKey({ type, value }: Tag): string {
  return `${type}:${value}`;
}

/** Most people have a handful; the limit bounds the cost of a single contact. */
export const maxTags = 100;

/** Sorted, without duplicates; a fault names the tag. */
export function tidyTags(tags: Iterable<Tag>): Result<readonly Tag[]> {
  const tidy = new Map<string, Tag>();
  for (const written of tags) {
    const tag = { type: written.type.trim(), value: written.value.trim() };
    for (const [what, text] of [
      ['tag type', tag.type],
      ['tag value', tag.value],
    ] as const) {
      const reason = reasonAgainstTag(text);
      if (reason !== undefined)
        return invalid({ sentence: 'tag_wrong', what, tag: quoted(text), why: storedReason(reason) });
    }
    tidy.set(tagKey(tag), tag);
    if (tidy.size > maxTags) return invalid({ sentence: 'tags_at_most', most: maxTags });
  }
  const keys = [...tidy.keys()].sort();
  return success(keys.map((key) => tidy.get(key) as Tag));
}

/** Maximum characters of each of a contact's texts. */
export const maxContactText = 200;

/** A text that both engines can store, without leading or trailing spaces. */
export function tidyText(written: string): Result<string> {
  const text = written.trim();
  const { length } = text;
  if (length > maxContactText) return invalid({ sentence: 'length_at_most', most: maxContactText, length });
  return /[\p{Cc}\p{Cs}]/u.test(text) ? invalid({ sentence: 'control_characters' }) : success(text);
}

/** The stored form of a phone number; an empty string means none. */
export function tidyPhone(written: string, defaultCountryCode?: string): Result<string> {
  return written.trim() === '' ? success('') : cleanNumber(written, defaultCountryCode);
}

/** A single address, without the rarities of RFC 5321 that no directory contains. */
export function tidyEmail(written: string): Result<string> {
  const text = tidyText(written);
  if (!text.ok || text.value === '') return text;
  return /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text.value) ? text : invalid({ sentence: 'email_form' });
}

function invalid(said: Sentence): Fault {
  return fault('invalid_value', said);
}
