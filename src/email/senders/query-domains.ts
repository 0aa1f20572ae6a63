/** Tells which domains a company may list senders of (API: email-to-SMS, /querydomains). */
import type { Caller } from '../../accounts/caller.ts';
import { unauthorised } from '../../accounts/unauthorised.ts';
import type { Store } from '../../storage/store.ts';
import { readEndings } from './defaults-store.ts';
import { requireEmailAdmin } from './refusal.ts';

export async function queryDomains(store: Store, caller: Caller): Promise<readonly string[]> {
  requireEmailAdmin(caller);
  const endings = await store.read(readEndings, caller.companyId);
  if (endings === undefined) throw unauthorised();
  return endings;
}
