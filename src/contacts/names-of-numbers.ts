/** The names that a user's address books have for the phone numbers of a list, and the numbers of whoever is called so. */
import type { Store } from '../storage/store.ts';
import { termSought } from './contact-terms.ts';
import { readNames, readNumbersOfName } from './names-store.ts';

export async function namesOfNumbers(
  store: Store,
  userId: number,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map(Object.entries(await store.read(readNames, { userId, numbers })));
}

export function numbersOfName(store: Store, userId: number, name: string): Promise<readonly string[]> {
  return store.read(readNumbersOfName, { userId, sought: termSought(name) });
}
