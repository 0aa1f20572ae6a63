/**
 * All SQL for contacts as rows: looking them up by the names that lists use, changing them in sets, listing them, and
 * removing them with everything that belongs to them.
 */
import { fromEach, oneOf, raw, sql } from '../storage/sql.ts';
import { bigint, type Kept, optional, StoredRecord, text } from '../storage/stored-record.ts';
import {
  inTurns,
  type Reading,
  singleWriteVerb,
  snapshotVerb,
  type Transaction,
  theNode,
} from '../storage/verb.ts';
import { lockBooks } from './book-records.ts';
import { type Contact, type ContactChange, type Tag, tagKey } from './contact.ts';
import { formOfTerms, moveTerms, type TermMove } from './contact-terms.ts';
import { moveInGroups, type PlaceMove } from './group-places.ts';
import {
  type ContactEdit,
  type ContactOutcome,
  compareContacts,
  type StoredContact,
} from './known-contacts.ts';
import { changeTagPairs, leaseSome, makeTagIds, removeTagsOf, type TagPair } from './tags.ts';

export interface ContactChanges {
  readonly bookId: number;
  readonly changes: readonly ContactChange[];
  /** The path of the provisioning file with this list, which manages the contacts from then on. */
  readonly source?: string | undefined;
}

export const changeContacts = singleWriteVerb(
  'contacts.change',
  async (
    transaction,
    { bookId, changes, source }: ContactChanges,
  ): Promise<readonly ContactOutcome[] | 'unknownBook'> => {
    const [book] = await lockBooks(transaction, [bookId]);
    if (book === undefined) return 'unknownBook';
    const edits = compareContacts(await findContacts(transaction, bookId, changes), changes);
    await writeEdits(transaction, bookId, edits, source);
    await manage(transaction, bookId, edits, source);
    return edits.map(({ outcome }) => outcome);
  },
  ({ changes }) => changes.reduce((sum, { tags }) => sum + 1 + (tags?.length ?? 0), 0),
);

/** Returns what `changeContacts` would. */
export const previewContacts = inTurns(
  snapshotVerb(
    'contacts.preview',
    async (reading, { bookId, changes }: ContactChanges): Promise<readonly ContactOutcome[]> =>
      compareContacts(await findContacts(reading, bookId, changes), changes).map(({ outcome }) => outcome),
  ),
  theNode,
);

export interface ContactPage {
  readonly bookId: number;
  readonly afterId: number;
  readonly limit: number;
}

/** In id order. */
export const listContacts = inTurns(
  snapshotVerb(
    'contacts.list',
    async (reading, { bookId, afterId, limit }: ContactPage): Promise<readonly StoredContact[]> => {
      const contacts = await stored.all(reading)`
        FROM contacts WHERE book_id = ${bookId} AND id > ${afterId} ORDER BY id LIMIT ${limit}`;
      return withTags(reading, bookId, contacts);
    },
  ),
  theNode,
);

/**
 * Removes some contacts of a book that is to be removed, so that no transaction has to hold all of a large book;
 * returns how many it removed.
 */
export const removeSomeContacts = singleWriteVerb(
  'contacts.removeSome',
  async (transaction, { bookId, limit }: { readonly bookId: number; readonly limit: number }) => {
    await lockBooks(transaction, [bookId]);
    const some = await stored.all(transaction)`
      FROM contacts WHERE book_id = ${bookId} ORDER BY id LIMIT ${limit}`;
    await deleteContacts(
      transaction,
      bookId,
      some.map((contact) => ({ ...contact, tags: [] })),
    );
    return some.length;
  },
  ({ limit }) => limit,
);

/** Fields besides the book that the contact is in. */
const stored = new StoredRecord({
  id: bigint,
  externalId: optional(text),
  name: text,
  phone: optional(text),
  email: optional(text),
  app: optional(text),
  managedBy: optional(text),
});
const contactColumns = { ...stored.columns, book_id: 'bigint' } as const;
const insertedColumns = { ...contactColumns, has_terms: 'smallint' } as const;

/** The existing contacts with those ids, in the order of the ids. */
export async function readContacts(
  reading: Reading,
  bookId: number,
  ids: readonly number[],
): Promise<readonly StoredContact[]> {
  if (ids.length === 0) return [];
  const contacts = await stored.all(reading)`
    FROM contacts WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)} ORDER BY id`;
  return withTags(reading, bookId, contacts);
}

/** The contacts that a change may refer to. */
export async function findContacts(
  reading: Reading,
  bookId: number,
  changes: readonly ContactChange[],
): Promise<readonly StoredContact[]> {
  const contacts = new Map<number, Kept<typeof stored>>();
  const find = async (column: 'external_id' | 'phone' | 'email', wanted: readonly (string | undefined)[]) => {
    const values = wanted.filter((value) => value !== undefined && value !== '') as string[];
    if (values.length === 0) return;
    const condition = { external_id: sql`external_id`, phone: sql`phone`, email: sql`email` }[column];
    const found = await stored.all(reading)`
      FROM contacts WHERE book_id = ${bookId} AND ${condition} ${oneOf('text', values)}`;
    for (const contact of found) contacts.set(contact.id, contact);
  };
  await find(
    'external_id',
    changes.map(({ externalId }) => externalId),
  );
  await find(
    'phone',
    changes.map(({ phone }) => phone),
  );
  await find(
    'email',
    changes.map(({ externalId, phone, email }) => (externalId !== undefined || phone ? '' : email)),
  );
  return withTags(
    reading,
    bookId,
    [...contacts.values()].sort((a, b) => a.id - b.id),
  );
}

async function withTags(
  reading: Reading,
  bookId: number,
  contacts: readonly Kept<typeof stored>[],
): Promise<readonly StoredContact[]> {
  if (contacts.length === 0) return [];
  const tags = new Map<number, Tag[]>(contacts.map(({ id }) => [id, []]));
  // Not a join, because PostgreSQL has no statistics for a freshly imported book and would start with all its tags.
  const pairs = await reading.all<{ readonly contact_id: number; readonly tag_id: number }>(
    sql`SELECT contact_id, tag_id FROM contact_tags
        WHERE book_id = ${bookId} AND contact_id ${oneOf('bigint', [...tags.keys()])}`,
  );
  const tagIds = [...new Set(pairs.map(({ tag_id }) => tag_id))];
  const found = await reading.all<Tag & { readonly id: number }>(
    sql`SELECT id, type, value FROM tags WHERE book_id = ${bookId} AND id ${oneOf('bigint', tagIds)}`,
  );
  const known = new Map(found.map(({ id, type, value }) => [id, { type, value }]));
  for (const { contact_id, tag_id } of pairs) {
    const tag = known.get(tag_id);
    if (tag !== undefined) tags.get(contact_id)?.push(tag);
  }
  return contacts.map((contact) => ({
    ...contact,
    tags: (tags.get(contact.id) ?? []).sort((a, b) => (tagKey(a) < tagKey(b) ? -1 : 1)),
  }));
}

export async function writeEdits(
  transaction: Transaction,
  bookId: number,
  edits: readonly ContactEdit[],
  source?: string,
): Promise<readonly StoredContact[]> {
  const gone: StoredContact[] = [];
  const added: Contact[] = [];
  const moves: TagMove[] = [];
  const terms: TermMove[] = [];
  const places: PlaceMove[] = [];
  const changed: StoredContact[] = [];
  for (const { outcome, before, after } of edits) {
    if (before !== undefined && outcome !== 'unchanged') places.push({ before, after });
    if (outcome === 'removed' && before !== undefined) gone.push(before);
    if (outcome === 'created' && after !== undefined) added.push(after);
    if (outcome === 'changed' && before !== undefined && after !== undefined) {
      changed.push({ ...after, id: before.id, managedBy: source ?? before.managedBy });
      moves.push({ contactId: before.id, before: before.tags, after: after.tags });
      terms.push({ contactId: before.id, before, after });
    }
  }
  await deleteContacts(transaction, bookId, gone);
  const firstId = await leaseSome(transaction, 'contact', added.length);
  const created = added.map(
    (contact, index): StoredContact => ({
      ...contact,
      id: firstId + index,
      managedBy: source,
    }),
  );
  for (const contact of created) {
    moves.push({ contactId: contact.id, before: [], after: contact.tags });
    terms.push({ contactId: contact.id, before: undefined, after: contact });
  }
  await transaction.insert(
    'contacts',
    insertedColumns,
    created.map((contact) => [...stored.row(contact), bookId, formOfTerms]),
  );
  await transaction.each(
    contactColumns,
    changed.map((contact) => [...stored.row(contact), bookId]),
    sql`UPDATE contacts SET ${raw(stored.assignments('each', ['id']))}
        ${fromEach} WHERE contacts.book_id = each.book_id AND contacts.id = each.id`,
  );
  await moveTags(transaction, bookId, moves);
  await moveTerms(transaction, bookId, terms);
  await moveInGroups(transaction, bookId, places);
  return created;
}

/** Contacts that already match the file become managed by it too. */
async function manage(
  transaction: Transaction,
  bookId: number,
  edits: readonly ContactEdit[],
  source: string | undefined,
): Promise<void> {
  if (source === undefined) return;
  const ids = edits.flatMap(({ outcome, before }) =>
    outcome === 'unchanged' && before !== undefined && before.managedBy !== source ? [before.id] : [],
  );
  if (ids.length === 0) return;
  await transaction.run(
    sql`UPDATE contacts SET managed_by = ${source} WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)}`,
  );
}

interface TagMove {
  readonly contactId: number;
  readonly before: readonly Tag[];
  readonly after: readonly Tag[];
}

async function moveTags(transaction: Transaction, bookId: number, moves: readonly TagMove[]): Promise<void> {
  const tags = new Map(
    moves.flatMap(({ before, after }) => [...before, ...after]).map((tag) => [tagKey(tag), tag]),
  );
  const ids = await makeTagIds(transaction, bookId, tags);
  const removed: TagPair[] = [];
  const added: TagPair[] = [];
  for (const { contactId, before, after } of moves) {
    const had = new Set(before.map(tagKey));
    const has = new Set(after.map(tagKey));
    const pair = (key: string): TagPair => ({ tagId: ids.get(key) as number, contactId });
    for (const key of had) if (!has.has(key)) removed.push(pair(key));
    for (const key of has) if (!had.has(key)) added.push(pair(key));
  }
  await changeTagPairs(transaction, bookId, { removed, added });
}

/** Removes contacts with their tags, terms and places in groups, so that no data about a person remains. */
async function deleteContacts(
  transaction: Transaction,
  bookId: number,
  contacts: readonly StoredContact[],
): Promise<void> {
  if (contacts.length === 0) return;
  const ids = contacts.map(({ id }) => id);
  const externalIds = contacts.flatMap(({ externalId }) => externalId ?? []);
  await removeTagsOf(transaction, bookId, ids);
  await moveTerms(
    transaction,
    bookId,
    contacts.map((before) => ({ contactId: before.id, before, after: undefined })),
  );
  await transaction.run(
    sql`DELETE FROM group_members WHERE book_id = ${bookId} AND external_id ${oneOf('text', externalIds)}`,
  );
  await transaction.run(sql`DELETE FROM contacts WHERE book_id = ${bookId} AND id ${oneOf('bigint', ids)}`);
}
