/** People of an address book as they are found, for those who ask them one after the other. */

import type { ReadOwner } from '../storage/verb.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { UnknownNames } from './store.ts';

export interface FoundPerson {
  /** Of the contact in the store, by which it is known again: what lists call one may be another's own id. */
  readonly rowId: number | null;
  /** What the operator's lists call the contact, else its own id; empty for a number that is no contact's. */
  readonly contactId: string;
  readonly name: string;
  /** Null: there is none. */
  readonly phone: string | null;
  readonly email: string | null;
  /** Address in the mobile app. */
  readonly app: string | null;
}

/** Whom to find: those whom a filter meets, the members of the groups, and the numbers. */
export interface PeopleSelection {
  readonly numbers: readonly string[];
  readonly filters: readonly TagFilter[];
  /** Names. */
  readonly savedFilters: readonly string[];
  readonly groups: readonly string[];
}

export interface PeopleQuery extends ReadOwner {
  readonly selections: readonly PeopleSelection[];
  /** Of each selection at most so many by each filter, and as many by the groups. */
  readonly limit: number;
}

export type FoundPeople =
  | { readonly kind: 'found'; readonly people: readonly (readonly FoundPerson[])[] }
  /** A filter, or the groups, have as many as the limit, and perhaps more. */
  | { readonly kind: 'tooMany' }
  | UnknownNames;
