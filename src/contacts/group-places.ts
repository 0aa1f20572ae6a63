/**
 * Maintains the places of contacts in groups. A place identifies its contact by the id in the operator's lists, or else by
 * the number.
 */
import { fromEach, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Transaction } from '../storage/verb.ts';
import { managedEntries } from './book-records.ts';
import type { Contact } from './contact.ts';
import type { StoredContact } from './known-contacts.ts';

export interface PlaceMove {
  readonly before: StoredContact;
  /** Undefined when the contact is removed. */
  readonly after: Contact | undefined;
}

interface MemberKey {
  readonly externalId: string | null;
  readonly number: string | null;
}

function memberKey(contact: Contact | undefined): MemberKey | undefined {
  if (contact?.externalId !== undefined) return { externalId: contact.externalId, number: null };
  return contact?.phone === undefined ? undefined : { externalId: null, number: contact.phone };
}

/** Call this when the contacts are written. */
export async function moveInGroups(
  transaction: Transaction,
  bookId: number,
  moves: readonly PlaceMove[],
): Promise<void> {
  const moved = moves.flatMap(({ before, after }) => {
    const [was, is] = [memberKey(before), memberKey(after)];
    const isSame = was?.externalId === is?.externalId && was?.number === is?.number;
    return was === undefined || isSame ? [] : [{ id: before.id, was, is }];
  });
  const byId = moved.filter(({ was }) => was.externalId !== null);
  if (byId.length > 0) await move(transaction, bookId, 'external_id', byId);
  const byNumber = await ownNumbers(
    transaction,
    bookId,
    moved.filter(({ was }) => was.number !== null),
  );
  if (byNumber.length > 0) await move(transaction, bookId, 'number', byNumber);
}

interface MovedKey {
  readonly id: number;
  readonly was: MemberKey;
  /** Undefined when the contact is no longer a member. */
  readonly is: MemberKey | undefined;
}

/** Contacts whose number no other contact has. */
async function ownNumbers(
  transaction: Transaction,
  bookId: number,
  moved: readonly MovedKey[],
): Promise<readonly MovedKey[]> {
  if (moved.length === 0) return [];
  const numbers = moved.flatMap(({ was }) => was.number ?? []);
  const holders = await transaction.all<{ id: number; phone: string }>(
    sql`SELECT id, phone FROM contacts WHERE book_id = ${bookId} AND phone ${oneOf('text', numbers)}`,
  );
  return moved.filter(({ id, was }) => !holders.some((one) => one.phone === was.number && one.id !== id));
}

const placeColumns = { book_id: 'bigint', group_name: 'text', place: 'integer' } as const;
const memberColumns = { ...placeColumns, external_id: 'text', number: 'text' } as const;

/** The numbers that a file sets in its groups stay. */
async function move(
  transaction: Transaction,
  bookId: number,
  column: 'external_id' | 'number',
  moved: readonly MovedKey[],
): Promise<void> {
  const keyOf = ({ externalId, number }: MemberKey) => (column === 'number' ? number : externalId);
  const next = new Map(moved.map(({ was, is }) => [keyOf(was) ?? '', is]));
  const key = { external_id: sql`external_id`, number: sql`number` }[column];
  const found = await transaction.all<{ group_name: string; place: number; was: string }>(
    sql`SELECT group_name, place, ${key} AS was FROM group_members
        WHERE book_id = ${bookId} AND ${key} ${oneOf('text', [...next.keys()])}`,
  );
  if (found.length === 0) return;
  const managed = column === 'number' ? await managedEntries(transaction, bookId, 'groups') : new Set();
  const gone: Row[] = [];
  const kept: Row[] = [];
  for (const { group_name, place, was } of found) {
    const is = next.get(was);
    if (managed.has(group_name)) continue;
    if (is === undefined) gone.push([bookId, group_name, place]);
    else kept.push([bookId, group_name, place, is.externalId, is.number]);
  }
  if (gone.length > 0)
    await transaction.run(
      sql`DELETE FROM group_members WHERE (book_id, group_name, place) IN
            (SELECT book_id, group_name, place FROM ${rowSet('gone', placeColumns, gone)})`,
    );
  await transaction.each(
    memberColumns,
    kept,
    sql`UPDATE group_members SET external_id = each.external_id, number = each.number ${fromEach}
        WHERE group_members.book_id = each.book_id AND group_members.group_name = each.group_name
          AND group_members.place = each.place`,
  );
}
