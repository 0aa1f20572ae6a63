/** The groups of an address book, whose members are contacts and plain phone numbers. */
import { isRefused, type Refused, refusal } from '../../resources/declaration.ts';
import { Resource } from '../../resources/resource.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import { type Reading, snapshotVerb, type Transaction } from '../../storage/verb.ts';
import { readContacts } from '../contact-store.ts';
import { type FoundPerson, peopleByPhone } from '../people.ts';
import { inBook } from './visible-books.ts';

/** Contacts by id, and phone numbers as digits. */
export type Members = readonly (number | string)[];

/** The members that join and leave a group. */
export type MemberChange = { readonly add?: Members | undefined; readonly remove?: Members | undefined };

/** As many as a single call can send to. */
export const maxMembers = 10_000;

export const groups = new Resource<Record<never, never>, string, MemberChange>({
  noun: 'group',
  plural: 'groups',
  table: 'contact_groups',
  scope: inBook,
  isListedByName: true,
  fields: {},
  weight: ({ add = [], remove = [] } = {}) => add.length + remove.length,
  acts: { make: 'group.make', change: 'group.change', remove: 'group.remove' },
  async beside(transaction, { by: { scopeId: bookId }, before, after, more }) {
    if (after === undefined) {
      await transaction.run(
        sql`DELETE FROM group_members WHERE book_id = ${bookId} AND group_name = ${before?.key ?? ''}`,
      );
      return true;
    }
    const name = before?.key ?? after.key;
    const added = await memberKeys(transaction, bookId, more?.add ?? []);
    if (isRefused(added)) return added;
    const rows = await newRows(transaction, bookId, name, added);
    if (isRefused(rows)) return rows;
    const removed = await memberKeys(transaction, bookId, more?.remove ?? []);
    if (name !== after.key)
      await transaction.run(
        sql`UPDATE group_members SET group_name = ${after.key} WHERE book_id = ${bookId} AND group_name = ${name}`,
      );
    const taken = await takeOut(transaction, bookId, after.key, isRefused(removed) ? [] : removed);
    await transaction.insert(
      'group_members',
      memberColumns,
      rows.map((row) => [bookId, after.key, ...row]),
    );
    return taken + rows.length > 0;
  },
});

interface MemberPage {
  readonly bookId: number;
  readonly name: string;
  /** The place of the last member of the previous page. */
  readonly after: number;
  readonly limit: number;
}

export interface Member {
  readonly place: number;
  /** Has only a number when that number belongs to no contact. */
  readonly person: FoundPerson;
  /** Whether the group contains the number itself, whichever contact has it. */
  readonly isNumber: boolean;
}

export interface Group {
  readonly managed: boolean;
  readonly members: readonly Member[];
}

/** Undefined when there is no such group. */
export const readGroup = snapshotVerb(
  'contacts.readGroup',
  async (reading, { bookId, name, after, limit }: MemberPage): Promise<Group | undefined> => {
    const group = await groups.find.run(reading, { scopeId: bookId, key: name });
    if (group === null) return undefined;
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
    return { managed: group.managed, members };
  },
);

const noContact: FoundPerson = { rowId: null, contactId: '', name: '', phone: null, email: null, app: null };

interface MemberKey {
  readonly number: string | null;
  readonly externalId: string | null;
}

/** A contact's membership is recorded by its id in the operator's lists, or else by its number. */
async function memberKeys(
  reading: Reading,
  bookId: number,
  members: Members,
): Promise<readonly MemberKey[] | Refused> {
  const ids = members.filter((member) => typeof member === 'number');
  const contacts = new Map((await readContacts(reading, bookId, ids)).map((one) => [one.id, one]));
  const keys: MemberKey[] = [];
  for (const member of members) {
    const contact = typeof member === 'number' ? contacts.get(member) : undefined;
    const number = typeof member === 'number' ? contact?.phone : member;
    if (contact?.externalId !== undefined) keys.push({ number: null, externalId: contact.externalId });
    else if (number !== undefined) keys.push({ number, externalId: null });
    else return refusal('invalid_value', { sentence: 'member_without_key' });
  }
  return keys;
}

async function takeOut(
  transaction: Transaction,
  bookId: number,
  name: string,
  keys: readonly MemberKey[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const numbers = keys.flatMap(({ number }) => number ?? []);
  const externalIds = keys.flatMap(({ externalId }) => externalId ?? []);
  return transaction.run(
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

/** Members that are not in the group yet are added at the end. */
async function newRows(
  reading: Reading,
  bookId: number,
  name: string,
  keys: readonly MemberKey[],
): Promise<readonly Row[] | Refused> {
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
  if (there.length + fresh.size > maxMembers)
    return fresh.size === 0 ? [] : refusal('invalid_value', { sentence: 'group_full', most: maxMembers });
  const first = (there.at(-1)?.place ?? -1) + 1;
  return [...fresh.values()].map((key, index): Row => [first + index, ...key]);
}
