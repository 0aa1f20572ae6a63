/** Finds matches for typed text in the default address book, which is also where a send looks up names. */

import { inNameOrder } from '../words/language.ts';
import { useRead } from './queries.ts';

/** Maximum number of matches per kind; to see others, a user types more of the name. */
const maxPeople = 5;
const maxOthers = 3;
/** Number of entries from which the matches are chosen. */
const maxListed = 200;

/** The address books that the user may read, by name. */
export function useBooks() {
  return useRead('/api/v1/addressbooks', { limit: maxListed });
}

export function useDefaultBook(): string | undefined {
  return useBooks().data?.addressBooks.find(({ isDefault }) => isDefault)?.id;
}

/** People who have a phone number, and whose name, a word of it, or whose number starts with `q`. */
export function usePeopleLike(book: string | undefined, q: string) {
  const found = useRead(
    '/api/v1/addressbooks/{book}/contacts',
    { book, q, limit: maxPeople },
    { enabled: book !== undefined && q !== '', keepsPrevious: true },
  );
  const people = found.data?.contacts.filter(({ phone }) => phone !== undefined) ?? [];
  return { people: q === '' ? [] : people, isLoading: found.isLoading || found.isPlaceholderData };
}

const written = ({ type, value }: { readonly type: string; readonly value: string }) => `${type}:${value}`;

/** Saved filters, groups and tags whose name contains `q`. */
export function useSelectionsLike(book: string | undefined, q: string) {
  const enabled = { enabled: book !== undefined && q !== '' };
  const asked = { book, limit: maxListed };
  const filters = useRead('/api/v1/addressbooks/{book}/filters', asked, enabled);
  const groups = useRead('/api/v1/addressbooks/{book}/groups', asked, enabled);
  const tags = useRead('/api/v1/addressbooks/{book}/tags', asked, enabled);
  const fitting = <One>(all: readonly One[], nameOf: (one: One) => string) =>
    q === ''
      ? []
      : all.filter((one) => nameOf(one).toLowerCase().includes(q.toLowerCase())).slice(0, maxOthers);
  return {
    filters: fitting(filters.data?.filters ?? [], ({ name }) => name),
    groups: fitting(groups.data?.groups ?? [], ({ name }) => name),
    tags: fitting(inNameOrder(tags.data?.tags ?? [], written), written),
    isLoading: filters.isLoading || groups.isLoading || tags.isLoading,
  };
}
