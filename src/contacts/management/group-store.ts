/** All SQL by which people keep the groups of a book, one at a time. */
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { type Reading, singleWriteVerb, snapshotVerb, type Transaction } from '../../storage/verb.ts';
import { readContacts } from '../contact-store.ts';
import type { FoundPerson } from '../found-people.ts';
import { lockBook } from '../lock-books.ts';
import { managedEntries } from '../managed-entries.ts';
import { peopleByPhone } from '../people-store.ts';
import type { BookChange } from './visible-books.ts';

interface NamePage {
  readonly bookId: number;
  /** Undefined: from the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** In the order of their names, each engine's own. */
export const listGroups = snapshotVerb(
  'contacts.listGroups',
  async (reading, { bookId, after, limit }: NamePage) => {
    const behind = after === undefined ? sql`` : sql`AND name > ${after}`;
    const rows = await reading.all<{ name: string }>(
      sql`SELECT name FROM contact_groups WHERE book_id = ${bookId} ${behind} ORDER BY name LIMIT ${limit}`,
    );
    const managed = await managedEntries(reading, bookId, 'groups');
    return rows.map(({ name }) => ({ name, managed: managed.has(name) }));
  },
);

interface MemberPage {
  readonly bookId: number;
  readonly name: string;
  /** The place of the last member of the page before. */
  readonly after: number;
  readonly limit: number;
}

export interface Member {
  readonly place: number;
  /** Of the number alone where it is no contact's. */
  readonly person: FoundPerson;
  /** The group has the number, whoever has it. */
  readonly isNumber: boolean;
}

export interface Group {
  readonly managed: boolean;
  readonly members: readonly Member[];
}

/** Undefined: there is no such group. */
export const readGroup = snapshotVerb(
  'contacts.readGroup',
  async (reading, { bookId, name, after, limit }: MemberPage): Promise<Group | undefined> => {
    if (!(await exists(reading, bookId, name))) return undefined;
    const rows = await reading.all<{
      place: number;
      number: string | null;
      id: number | null;
      external_id: string | null;
      name: string | null;
      phone: string | null;
      email: string | null;
      app: string | null;
    }>(
      sql`SELECT place, number, contacts.id, group_members.external_id, contacts.name, phone, email, app FROM group_members
          LEFT JOIN contacts ON contacts.book_id = group_members.book_id
            AND contacts.external_id = group_members.external_id
          WHERE group_members.book_id = ${bookId} AND group_name = ${name} AND place > ${after}
          ORDER BY place LIMIT ${limit}`,
    );
    const named = await peopleByPhone(
      reading,
      bookId,
      rows.flatMap(({ number }) => number ?? []),
    );
    const byNumber = new Map(named.map((person) => [person.phone, person]));
    const members = rows.map(({ place, number, id, external_id, ...about }): Member => {
      const contact = { rowId: id, contactId: external_id ?? '', ...about, name: about.name ?? '' };
      const person = number === null ? contact : { ...noContact, phone: number, ...byNumber.get(number) };
      return { place, person, isNumber: number !== null };
    });
    return { managed: (await managedEntries(reading, bookId, 'groups')).has(name), members };
  },
);

const noContact: FoundPerson = { rowId: null, contactId: '', name: '', phone: null, email: null, app: null };

async function exists(reading: Reading, bookId: number, name: string): Promise<boolean> {
  const row = await reading.first(
    sql`SELECT name FROM contact_groups WHERE book_id = ${bookId} AND name = ${name}`,
  );
  return row !== undefined;
}

/** Contacts by their ids, and phone numbers in digits. */
export type Members = readonly (number | string)[];

export interface GroupChange extends BookChange {
  readonly name: string;
  readonly isNew: boolean;
  /** Undefined: it keeps its name. */
  readonly rename: string | undefined;
  readonly add: Members;
  readonly remove: Members;
}

/** `unreachable`: a contact that has neither an id of its own nor a number, by which groups know their members. */
export type GroupOutcome = 'written' | 'notFound' | 'managed' | 'taken' | 'unreachable' | 'tooMany';

/** As many as a call can be sent to. */
export const maxMembers = 10_000;

export const changeGroup = singleWriteVerb(
  'contacts.changeGroup',
  async (transaction, group: GroupChange): Promise<GroupOutcome> => {
    const { bookId, name, isNew, rename = name, add, remove } = group;
    if (!(await lockBook(transaction, bookId))) return 'notFound';
    if ((await managedEntries(transaction, bookId, 'groups')).has(name)) return 'managed';
    const isThere = await exists(transaction, bookId, name);
    if (isNew ? isThere : rename !== name && (await exists(transaction, bookId, rename))) return 'taken';
    if (!isNew && !isThere) return 'notFound';
    const added = await membersOf(transaction, bookId, add);
    if (added === undefined) return 'unreachable';
    const rows = await newRows(transaction, bookId, name, added);
    if (rows === undefined) return 'tooMany';
    if (isNew)
      await transaction.insert('contact_groups', { book_id: 'bigint', name: 'text' }, [[bookId, name]]);
    else if (rename !== name) await renameGroup(transaction, bookId, name, rename);
    await takeOut(transaction, bookId, rename, (await membersOf(transaction, bookId, remove)) ?? []);
    await transaction.insert(
      'group_members',
      memberColumns,
      rows.map((row) => [bookId, rename, ...row]),
    );
    await record(transaction, group, isNew ? 'group.make' : 'group.change');
    return 'written';
  },
  ({ add, remove }) => add.length + remove.length + 1,
);

export const removeGroup = singleWriteVerb(
  'contacts.removeGroup',
  async (transaction, group: BookChange & { readonly name: string }): Promise<GroupOutcome> => {
    const { bookId, name } = group;
    if (!(await lockBook(transaction, bookId))) return 'notFound';
    if ((await managedEntries(transaction, bookId, 'groups')).has(name)) return 'managed';
    if (!(await exists(transaction, bookId, name))) return 'notFound';
    await transaction.run(sql`DELETE FROM group_members WHERE book_id = ${bookId} AND group_name = ${name}`);
    await transaction.run(sql`DELETE FROM contact_groups WHERE book_id = ${bookId} AND name = ${name}`);
    await record(transaction, group, 'group.remove');
    return 'written';
  },
);

async function record(
  transaction: Transaction,
  group: BookChange & { readonly name: string },
  act: 'group.make' | 'group.change' | 'group.remove',
): Promise<void> {
  const { companyId, now: at, bookId, name } = group;
  await recordAct(transaction, {
    companyId,
    at,
    by: byUser(group),
    act,
    object: name,
    details: `address book ${bookId}`,
  });
}

async function renameGroup(
  transaction: Transaction,
  bookId: number,
  name: string,
  rename: string,
): Promise<void> {
  await transaction.run(
    sql`UPDATE contact_groups SET name = ${rename} WHERE book_id = ${bookId} AND name = ${name}`,
  );
  await transaction.run(
    sql`UPDATE group_members SET group_name = ${rename} WHERE book_id = ${bookId} AND group_name = ${name}`,
  );
}

interface MemberKey {
  readonly number: string | null;
  readonly externalId: string | null;
}

/** A contact is a member by the id of the operator's lists, or else by its number. */
async function membersOf(
  reading: Reading,
  bookId: number,
  members: Members,
): Promise<readonly MemberKey[] | undefined> {
  const ids = members.filter((member) => typeof member === 'number');
  const contacts = new Map((await readContacts(reading, bookId, ids)).map((one) => [one.id, one]));
  const keys: MemberKey[] = [];
  for (const member of members) {
    const contact = typeof member === 'number' ? contacts.get(member) : undefined;
    const number = typeof member === 'number' ? contact?.phone : member;
    if (contact?.externalId !== undefined) keys.push({ number: null, externalId: contact.externalId });
    else if (number !== undefined) keys.push({ number, externalId: null });
    else return undefined;
  }
  return keys;
}

async function takeOut(
  transaction: Transaction,
  bookId: number,
  name: string,
  keys: readonly MemberKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const numbers = keys.flatMap(({ number }) => number ?? []);
  const externalIds = keys.flatMap(({ externalId }) => externalId ?? []);
  await transaction.run(
    sql`DELETE FROM group_members WHERE book_id = ${bookId} AND group_name = ${name}
          AND (number ${oneOf('text', numbers)} OR external_id ${oneOf('text', externalIds)})`,
  );
}

const memberColumns = {
  book_id: 'bigint',
  group_name: 'text',
  place: 'integer',
  number: 'text',
  external_id: 'text',
} as const;

/** Who is not there yet, at the end; undefined: they would be too many. */
async function newRows(
  reading: Reading,
  bookId: number,
  name: string,
  keys: readonly MemberKey[],
): Promise<readonly Row[] | undefined> {
  const there = await reading.all<{ place: number; number: string | null; external_id: string | null }>(
    sql`SELECT place, number, external_id FROM group_members
        WHERE book_id = ${bookId} AND group_name = ${name} ORDER BY place LIMIT ${maxMembers + 1}`,
  );
  const known = new Set(there.map(({ number, external_id }) => `${number} ${external_id}`));
  const fresh = new Map(
    keys
      .map(({ number, externalId }) => [`${number} ${externalId}`, [number, externalId]] as const)
      .filter(([key]) => !known.has(key)),
  );
  if (there.length + fresh.size > maxMembers) return fresh.size === 0 ? [] : undefined;
  const first = (there.at(-1)?.place ?? -1) + 1;
  return [...fresh.values()].map((key, index): Row => [first + index, ...key]);
}
