/** Puts a sender on the list of those who may send SMS by e-mail, or explicitly may not (API: email-to-SMS, /set). */
import type { Caller } from '../../accounts/caller.ts';
import type { Store } from '../../storage/store.ts';
import { refusalError, requireEmailAdmin } from './refusal.ts';
import type { SenderEntry } from './sender-entry.ts';
import { type NewEntry, putEntry } from './store.ts';

export interface EntryWithEndings {
  readonly entry: SenderEntry;
  /** The company's allowed domain endings. */
  readonly endings: readonly string[];
}

export async function setEntry(
  store: Store,
  caller: Caller,
  wanted: Omit<NewEntry, 'companyId'>,
): Promise<EntryWithEndings> {
  requireEmailAdmin(caller);
  const put = await store.write(putEntry, { companyId: caller.companyId, ...wanted });
  if (put.kind === 'put') return put;
  throw refusalError(put, wanted.key);
}
