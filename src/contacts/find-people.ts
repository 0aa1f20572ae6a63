/** Finds people of a user's default address book, with their names. */
import type { Store } from '../storage/store.ts';
import type { FoundPeople, PeopleQuery } from './found-people.ts';
import { readPeople } from './people-store.ts';

export function findPeople(store: Store, query: PeopleQuery): Promise<FoundPeople> {
  return store.read(readPeople, query);
}
