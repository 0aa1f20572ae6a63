/** What fits what somebody types of the address book in which the names of what is sent are looked up. */
import { useRead } from './queries.ts';

/** Of each kind; whoever has more types more of a name. */
const mostPeople = 5;
const mostOthers = 3;
/** Of which those are chosen that fit. */
const mostListed = 200;

/** The address books that the user may read, by name: at most this many. */
export function useBooks() {
  return useRead('/api/v1/addressbooks', { limit: mostListed });
}

export function useDefaultBook(): string | undefined {
  return useBooks().data?.addressBooks.find(({ isDefault }) => isDefault)?.id;
}

/** People with a number whose name, a word of it, or number begins so. */
export function usePeopleLike(book: string | undefined, q: string) {
  const found = useRead(
    '/api/v1/addressbooks/{book}/contacts',
    { book, q, limit: mostPeople },
    { enabled: book !== undefined && q !== '', keepsPrevious: true },
  );
  const people = found.data?.contacts.filter(({ phone }) => phone !== undefined) ?? [];
  return { people: q === '' ? [] : people, isLoading: found.isLoading || found.isPlaceholderData };
}

/** Saved filters, groups and tags in whose name it stands. */
export function useSelectionsLike(book: string | undefined, q: string) {
  const enabled = { enabled: book !== undefined && q !== '' };
  const asked = { book, limit: mostListed };
  const filters = useRead('/api/v1/addressbooks/{book}/filters', asked, enabled);
  const groups = useRead('/api/v1/addressbooks/{book}/groups', asked, enabled);
  const tags = useRead('/api/v1/addressbooks/{book}/tags', asked, enabled);
  const fitting = <One>(all: readonly One[], nameOf: (one: One) => string) =>
    q === ''
      ? []
      : all.filter((one) => nameOf(one).toLowerCase().includes(q.toLowerCase())).slice(0, mostOthers);
  return {
    filters: fitting(filters.data?.filters ?? [], ({ name }) => name),
    groups: fitting(groups.data?.groups ?? [], ({ name }) => name),
    tags: fitting(tags.data?.tags ?? [], ({ type, value }) => `${type}:${value}`),
    isLoading: filters.isLoading || groups.isLoading || tags.isLoading,
  };
}
