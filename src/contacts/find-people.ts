/** Finds people of a user's default address book, with their names. */
import type { Store } from '../storage/store.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { BookQuery } from './address-book.ts';
import { meeting } from './filter-pages.ts';
import type { FoundPeople, FoundPerson, PeopleQuery } from './found-people.ts';
import { readNamedPeople, toPerson } from './people-store.ts';

/** For each selection: numbers first, then by the contacts' ids, then members of groups; the same person may come again. */
export async function findPeople(store: Store, query: PeopleQuery): Promise<FoundPeople> {
  const { companyId, userId, limit } = query;
  const found = await store.read(readNamedPeople, query);
  if (found.kind !== 'found') return found;
  const people: FoundPerson[][] = [];
  for (const { listed, filters, members } of found.named) {
    const met: FoundPerson[] = [];
    for (const filter of filters) {
      const book = { bookId: found.bookId ?? 0, owner: { companyId, userId } };
      const some = await peopleMeeting(store, { ...book, filter }, limit);
      if (some.length >= limit) return { kind: 'tooMany' };
      met.push(...some);
    }
    people.push([...listed, ...met, ...members]);
  }
  return { kind: 'found', people };
}

/** So many, or a page more, where there are as many. */
async function peopleMeeting(
  store: Store,
  wanted: BookQuery & { readonly filter: TagFilter },
  limit: number,
): Promise<readonly FoundPerson[]> {
  const people: FoundPerson[] = [];
  for await (const met of meeting(store, wanted)) {
    people.push(...met.map(toPerson));
    if (people.length >= limit) break;
  }
  return people;
}
