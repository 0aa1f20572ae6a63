/** For rooms that meet an account otherwise than by its credentials: as payer, renter or owner. */
import type { Store } from '../storage/store.ts';
import { findAccountById, findAccountByUsername } from './store.ts';
import type { Account } from './user.ts';

export function accountByUsername(store: Store, username: string): Promise<Account | undefined> {
  return store.read(findAccountByUsername, username);
}

export function accountById(store: Store, userId: number): Promise<Account | undefined> {
  return store.read(findAccountById, userId);
}
