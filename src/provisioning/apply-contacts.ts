/** The contacts of a provisioning file, which may be many: written in sets after all else, or taken out before it. */
import { type BookRecord, bookKeyOf, contactMember } from '../contacts/book-records.ts';
import { changeManyContacts, releaseContacts, removeAllContacts } from '../contacts/change-contacts.ts';
import type { ContactChange } from '../contacts/contact.ts';
import { findExternalIds } from '../contacts/managed-contacts.ts';
import type { Store } from '../storage/store.ts';
import type { Fault } from '../yaml/fault.ts';
import type { Edits, Plan } from './kind-list.ts';
import type { AddressBookPlan } from './kinds/address-books.ts';

function booksOf(plan: Plan): readonly AddressBookPlan[] {
  return plan.addressBooks.filter(({ remove }) => !remove);
}

export function hasContacts(plan: Plan): boolean {
  return booksOf(plan).some(({ contacts }) => contacts.length > 0);
}

/** As the store's thread gets it: contacts are written apart. */
export function withoutContacts(plan: Plan): Plan {
  return { ...plan, addressBooks: plan.addressBooks.map((book) => ({ ...book, contacts: [] })) };
}

/** Members of groups that are contacts of neither the file nor the store. */
export async function memberFaults(store: Store, plan: Plan): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const { company, name, groups, contacts } of booksOf(plan)) {
    const members = [...groups.values()].flatMap(({ value = [], place }) =>
      value.flatMap((member) => {
        const [, externalId] = contactMember.exec(member) ?? [];
        return externalId === undefined ? [] : [{ externalId, place }];
      }),
    );
    if (members.length === 0) continue;
    const inFile = (remove: boolean) =>
      contacts.filter(({ change }) => change.remove === remove).map(({ change }) => change.externalId);
    const externalIds = members.map(({ externalId }) => externalId);
    const known = new Set<string | undefined>(
      await store.read(findExternalIds, { company, book: name, externalIds }),
    );
    for (const id of inFile(true)) known.delete(id);
    for (const id of inFile(false)) known.add(id);
    for (const { externalId, place } of members) {
      if (known.has(externalId)) continue;
      faults.push({ place, sentence: `the address book "${name}" has no contact with the id ${externalId}` });
    }
  }
  return faults;
}

/** Books that go are emptied first, in sets; a line for each that had contacts, should the rest be refused after all. */
export async function emptyRemovedBooks(store: Store, { addressBooks }: Edits): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { before, after } of addressBooks) {
    if (after !== undefined || before?.id === undefined) continue;
    const count = await removeAllContacts(store, before.id);
    if (count === 0) continue;
    const contacts = count === 1 ? '1 contact' : `${count} contacts`;
    lines.push(
      `- ${contacts} of ${before.name} in ${before.company} (removed before the rest was refused; the address book itself is still there)`,
    );
  }
  return lines;
}

interface ContactsOptions {
  /** As they are after all else has been applied. */
  readonly books: readonly BookRecord[];
  readonly dryRun: boolean;
  /** The path of the file; undefined when it comes from none. */
  readonly source: string | undefined;
  /** The ids of the books in which it has managed contacts so far. */
  readonly managing: readonly number[];
}

/** A line for each book whose contacts change. */
export async function applyContacts(
  store: Store,
  plan: Plan,
  { books, dryRun, source, managing }: ContactsOptions,
): Promise<readonly string[]> {
  const ids = new Map(books.map((book) => [bookKeyOf(book), book.id]));
  const lines: string[] = [];
  const named = new Map<number, readonly ContactChange[]>();
  for (const book of booksOf(plan)) {
    if (!('contacts' in book.fieldPlaces)) continue;
    const changes = book.contacts.map(({ change }) => change);
    const bookId = ids.get(bookKeyOf(book));
    const counts = await changeManyContacts(store, bookId, changes, { dryRun, source });
    if (bookId !== undefined) named.set(bookId, changes);
    const what = counts.describe();
    if (what !== '') lines.push(`~ contacts of ${book.name} in ${book.company}: ${what}`);
  }
  if (source !== undefined && !dryRun)
    for (const bookId of managing) await releaseContacts(store, bookId, source, named.get(bookId) ?? []);
  return lines;
}
