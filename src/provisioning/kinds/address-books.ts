/** Address books of a provisioning file. Their contacts may be many, and are written apart. */
import { isDeepStrictEqual } from 'node:util';
import {
  type BookRecord,
  bookKeyOf,
  changeBooks,
  createBooks,
  readBooks,
  removeBooks,
} from '../../contacts/book-records.ts';
import type { Edit } from '../../foundation/edit.ts';
import { type AddressBookPlan, addressBook, type Removable } from '../objects/address-book-fields.ts';
import { type Kind, namedIn } from '../objects/kind.ts';
import { line } from '../objects/line.ts';

export const addressBooks: Kind<AddressBookPlan, BookRecord> = {
  section: 'addressBooks',
  within: 'company',
  noun: 'this address book',
  read: addressBook,
  keyField: 'name',
  keyOf: bookKeyOf,
  ids: { noun: 'address book', idOf: ({ id }) => id, labelOf: ({ name }) => name },
  load: (reading, scope) =>
    readBooks(reading, {
      companies: namedIn(scope, 'companies').keys,
      ids: namedIn(scope, 'addressBooks').ids,
    }),
  after: (asked, before) => ({
    id: before?.id ?? asked.id,
    name: asked.name,
    company: asked.company,
    savedTagFilters: entriesAfter(asked.savedTagFilters, before?.savedTagFilters),
    groups: entriesAfter(asked.groups, before?.groups),
  }),
  describe: (edits) =>
    edits.map((edit) => line(withCounts(edit), ({ name, company }) => `address book ${name} in ${company}`)),
  create: createBooks,
  change: changeBooks,
  remove: removeBooks,
};

/** Those that the file does not name stay as they are. */
function entriesAfter<Value>(
  asked: ReadonlyMap<string, Removable<Value>>,
  before: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  const after = new Map(Object.entries(before));
  for (const [name, { value }] of asked) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return Object.fromEntries(after);
}

/** Filters and groups by their names. Members are people, who are counted and not named. */
function withCounts({ before, after }: Edit<BookRecord>): Edit<{ name: string; company: string }> {
  const names = (field: 'savedTagFilters' | 'groups') => [
    ...new Set([...Object.keys(before?.[field] ?? {}), ...Object.keys(after?.[field] ?? {})]),
  ];
  const groups = names('groups');
  const hasChanged = (name: string) => !isDeepStrictEqual(before?.groups[name], after?.groups[name]);
  const flat = (book: BookRecord | undefined, when: string) =>
    book && {
      id: book.id,
      name: book.name,
      company: book.company,
      ...Object.fromEntries(
        names('savedTagFilters').map((name) => [`filter ${name}`, book.savedTagFilters[name]]),
      ),
      ...Object.fromEntries(
        groups.map((name) => [`group ${name}`, counted(book.groups[name], hasChanged(name) ? when : '')]),
      ),
    };
  return { before: flat(before, ''), after: flat(after, before === undefined ? '' : ' now') };
}

function counted(members: readonly string[] | undefined, when: string): string | undefined {
  if (members === undefined) return undefined;
  return `${members.length} ${members.length === 1 ? 'member' : 'members'}${when}`;
}
