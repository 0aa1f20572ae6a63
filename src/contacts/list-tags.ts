/** What users read of address books themselves: which there are, and the tags in one with their counts (API: address book). */
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { type ReadOwner, theCaller } from '../storage/verb.ts';
import type { AddressBook } from './address-book.ts';
import { listReadableBooks } from './store.ts';
import { countTags, type TagCount } from './tag-store.ts';

/** Never empty: who may read no book has nothing to do here, and is refused like a stranger. */
export async function listAddressBooks(store: Store, userId: number): Promise<readonly AddressBook[]> {
  const books = await store.read(listReadableBooks, userId);
  if (books.length === 0) {
    throw new ServiceError('unauthorised', 'The account may read no address book.');
  }
  return books;
}

export interface TagType {
  readonly type: string;
  readonly typecount: number;
  readonly values: { readonly value: string; readonly count: number }[];
}

/** Of the book of that id, else of the user's default book. Whether another book exists is not told. */
export async function listTags(
  store: Store,
  owner: ReadOwner,
  bookId: number | undefined,
): Promise<{ readonly book: AddressBook; readonly tags: TagType[] }> {
  const books = await store.read(listReadableBooks, owner.userId);
  const book = books.find(({ id, isDefault }) => (bookId === undefined ? isDefault : id === bookId));
  if (book === undefined) {
    const sentence =
      bookId === undefined
        ? 'The account has no default address book: give `addressbookid`, or let the operator set a default.'
        : `There is no address book ${bookId} that the account may read.`;
    throw new ServiceError('not_found', sentence);
  }
  return { book, tags: byType(await store.read(countTags, { bookId: book.id, owner: theCaller(owner) })) };
}

/** `counts` is sorted by type. */
function byType(counts: readonly TagCount[]): TagType[] {
  const types = new Map<string, { type: string; typecount: number; values: TagType['values'] }>();
  for (const { type, value, count } of counts) {
    const known = types.get(type) ?? { type, typecount: 0, values: [] };
    known.typecount += count;
    known.values.push({ value, count });
    types.set(type, known);
  }
  return [...types.values()];
}
