/** The operations of e-mail sender administrators on the entries and defaults of their company (API: email-to-SMS). */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { unauthorised } from '../../accounts/unauthorised.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { SenderOwners } from '../../routing/sender-owners.ts';
import type { Context } from '../../storage/context.ts';
import type { Store } from '../../storage/store.ts';
import { maxEntriesOfCompany, type SenderKey } from './sender-entry.ts';
import {
  type Acting,
  changeDefaults,
  type DefaultsChange,
  type DefaultsChanged,
  type EntryPut,
  type NewEntry,
  putEntry,
  readEndings,
  removeEntry,
  type SenderRefusal,
} from './store.ts';

/** The services that endpoints need too. */
export interface SenderServices extends Context {
  readonly routes: () => { readonly senderOwners: SenderOwners };
}

/** Puts a sender on the list as allowed or explicitly blocked for sending SMS by e-mail (/set). */
export async function setEntry(
  services: Context,
  caller: Caller,
  wanted: Omit<NewEntry, 'companyId'>,
): Promise<Exclude<EntryPut, SenderRefusal>> {
  requireEmailAdmin(caller);
  const by = actingOf(services, caller);
  const put = await services.store.write(putEntry, { by, companyId: caller.companyId, ...wanted });
  if (put.kind === 'put') return put;
  throw refusalError(put, wanted.key);
}

/**
 * Takes a sender off the list (/unset). For a domain this removes only the domain's own entry; addresses in it keep theirs.
 */
export async function unsetEntry(services: Context, caller: Caller, key: SenderKey): Promise<void> {
  requireEmailAdmin(caller);
  const by = actingOf(services, caller);
  const removed = await services.store.write(removeEntry, { by, companyId: caller.companyId, key });
  if (removed.kind === 'removed') return;
  if (removed.kind === 'absent')
    throw new ServiceError('not_found', { sentence: 'no_sender_entry', email: key.email });
  const isDomainRefused = removed.kind === 'domainRefused';
  throw refusalError(removed, key, isDomainRefused ? { allowedDomainEndings: removed.endings } : {});
}

/** Existing entries do not change: a default applies when an entry is set (/default). */
export async function setDefaults(
  services: Context,
  caller: Caller,
  change: Omit<DefaultsChange, 'companyId'>,
): Promise<Exclude<DefaultsChanged, SenderRefusal>> {
  requireEmailAdmin(caller);
  const by = actingOf(services, caller);
  const changed = await services.store.write(changeDefaults, { by, companyId: caller.companyId, ...change });
  if (changed.kind === 'changed') return changed;
  throw refusalError(changed);
}

/** The domains for which the company may list senders (/querydomains). */
export async function queryDomains(store: Store, caller: Caller): Promise<readonly string[]> {
  requireEmailAdmin(caller);
  const endings = await store.read(readEndings, caller.companyId);
  if (endings === undefined) throw unauthorised();
  return endings;
}

export function actingOf({ clock }: Context, caller: Caller): Acting {
  const { companyId, username, session } = caller;
  return { companyId, username, session, now: clock.now() };
}

/**
 * Throws if the sender id does not belong to the company, since each e-mail would be refused. A blocked entry sends
 * nothing anyway.
 */
export function refuseForeignSender(
  { routes }: SenderServices,
  caller: Caller,
  {
    sender,
    blocked,
  }: { readonly sender?: string | null | undefined; readonly blocked?: boolean | undefined },
): void {
  if (sender && blocked !== true) routes().senderOwners.refuseForeign(caller.companyId, sender, 'sender');
}

export function requireEmailAdmin(caller: Caller): void {
  requireRole(caller, 'companyAdmin', 'emailAdmin');
}

/** `body` holds further fields of the endpoint's response. */
export function refusalError(
  refusal: SenderRefusal,
  key?: SenderKey,
  body: Readonly<Record<string, unknown>> = {},
): ServiceError {
  switch (refusal.kind) {
    case 'companyGone':
      return unauthorised();
    case 'belongsToAnother':
      return new ServiceError('belongs_to_another', {
        sentence: 'sender_listed_elsewhere',
        sender: key?.email ?? '',
      });
    case 'tooManyEntries':
      return new ServiceError('too_many_email_senders', {
        sentence: 'sender_entries_full',
        most: maxEntriesOfCompany,
      });
    case 'refused':
    case 'domainRefused': {
      const { code, error, values } = refusal.fault;
      return new ServiceError(code, error, { values, errors: [refusal.fault], body });
    }
  }
}
