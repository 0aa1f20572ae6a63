/** What those who administer e-mail senders do by the management API; nodes find an entry in the store for each mail. */
import type { Caller } from '../../accounts/caller.ts';
import { managedError } from '../../accounts/set-keys.ts';
import { type FieldError, ServiceError } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import { announceHint } from '../../storage/hints.ts';
import {
  actingOf,
  refusalError,
  requireEmailAdmin,
  type SenderAdministration,
} from '../senders/administer-senders.ts';
import type { SenderKey } from '../senders/sender-entry.ts';
import {
  type EntryChange,
  type EntryRefusal,
  type EntryToWrite,
  findEntry,
  type ListedDefaults,
  type ListedEntry,
  listEntries,
  readDefaults,
  removeListedEntry,
  writeDefaults,
  writeEntry,
} from './store.ts';

export async function pageOfEntries(
  { store }: SenderAdministration,
  caller: Caller,
  page: { readonly after: string; readonly limit: number },
): Promise<readonly ListedEntry[]> {
  requireEmailAdmin(caller);
  return store.read(listEntries, { companyId: caller.companyId, ...page });
}

export async function readEntry(
  { store }: SenderAdministration,
  caller: Caller,
  { email }: SenderKey,
): Promise<ListedEntry> {
  requireEmailAdmin(caller);
  const found = await store.read(findEntry, { companyId: caller.companyId, email });
  return found ?? refuse({ kind: 'notFound' }, email);
}

export async function changeEntry(
  services: SenderAdministration,
  caller: Caller,
  order: Omit<EntryToWrite, 'by'>,
): Promise<ListedEntry> {
  const written = await services.store.write(writeEntry, { by: actorOf(services, caller), ...order });
  if (written.kind !== 'written') return refuse(written, order.key.email, order.key);
  announceHint(services.store, caller.companyId, hint);
  return written.listed;
}

export async function removeSender(
  services: SenderAdministration,
  caller: Caller,
  { key, ifMatch }: { readonly key: SenderKey; readonly ifMatch: IfMatch },
): Promise<void> {
  const by = actorOf(services, caller);
  const refusal = await services.store.write(removeListedEntry, { by, key, ifMatch });
  if (refusal !== null) refuse(refusal, key.email, key);
  announceHint(services.store, caller.companyId, hint);
}

export async function readCompanyDefaults(
  { store }: SenderAdministration,
  caller: Caller,
): Promise<ListedDefaults> {
  requireEmailAdmin(caller);
  return store.read(readDefaults, caller.companyId);
}

export async function changeCompanyDefaults(
  services: SenderAdministration,
  caller: Caller,
  order: { readonly change: EntryChange; readonly ifMatch: IfMatch },
): Promise<ListedDefaults> {
  const written = await services.store.write(writeDefaults, { by: actorOf(services, caller), ...order });
  if (written.kind !== 'written') return refuse(written, 'the defaults');
  announceHint(services.store, caller.companyId, hint);
  return written.listed;
}

/** Tells pages that their list has changed. */
const hint = 'emailsenders';

function actorOf(services: SenderAdministration, caller: Caller) {
  requireEmailAdmin(caller);
  return actingOf(services, caller);
}

function refuse(refusal: EntryRefusal, what: string, key?: SenderKey): never {
  switch (refusal.kind) {
    case 'notFound':
      throw new ServiceError('not_found', `There is no entry for ${what} on the list of the company.`);
    case 'taken':
      throw new ServiceError('taken', `${what} is on the list of the company already. Nothing was changed.`);
    case 'changedMeanwhile':
      throw new ServiceError(
        'changed_meanwhile',
        `Somebody else has changed ${what} meanwhile. Read it again, and decide anew. Nothing was changed.`,
      );
    case 'managed':
      throw managedError(
        refusal.key === undefined ? `The entry of ${what}` : `${nameOf(refusal.key)} of ${what}`,
      );
    case 'refused':
    case 'domainRefused':
      throw refusalError({ ...refusal, fault: named(refusal.fault) }, key);
    default:
      throw refusalError(refusal, key);
  }
}

/** Rules of entries and provisioning files name settings as the contract's calls do, which write this one as one word. */
export function nameOf(key: string): string {
  return key === 'payinguser' ? 'payingUser' : key;
}

function named({ field, code, error }: FieldError): FieldError {
  return { field: nameOf(field), code, error: error.replaceAll('`payinguser`', '`payingUser`') };
}
