/** Finds the account that pays when there is no request of its own, as for a mail or a timer. */
import type { Store } from '../storage/store.ts';
import { isActive } from './account.ts';
import { type Caller, callerOf } from './caller.ts';
import { findAccountById } from './store.ts';

/** As it is now; undefined when there is no such user, or it may not get in any more. */
export async function findCaller(store: Store, userId: number): Promise<Caller | undefined> {
  const account = await store.read(findAccountById, userId);
  return account !== undefined && isActive(account) ? callerOf(account) : undefined;
}
