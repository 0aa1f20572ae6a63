/** Takes a sender off the list of those who may send SMS by e-mail (API: email-to-SMS, /unset). */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { refusalError, requireEmailAdmin } from './refusal.ts';
import type { SenderKey } from './sender-entry.ts';
import { removeEntry } from './store.ts';

/** Of a domain, the one entry of the domain itself: addresses in it keep theirs. */
export async function unsetEntry(store: Store, caller: Caller, key: SenderKey): Promise<void> {
  requireEmailAdmin(caller);
  const removed = await store.write(removeEntry, { companyId: caller.companyId, key });
  if (removed.kind === 'removed') return;
  if (removed.kind === 'absent')
    throw new ServiceError('not_found', `There is no entry for ${key.email}. Nothing was removed.`);
  const isDomainRefused = removed.kind === 'domainRefused';
  throw refusalError(removed, key, isDomainRefused ? { allowedDomainEndings: removed.endings } : {});
}
