/**
 * The reference that the parts of a long message share, by which a phone puts them together (3GPP TS 23.040
 * 9.2.3.24.1). It is kept with the message, so that a part that is tried again, after a restart or at another carrier,
 * has that of the parts that went before. No two messages to one phone have the same one within a while: numbers are
 * counted up for all phones whose number ends in the same digits, which needs no row for each phone.
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { fromEach, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';

/** 16 bits, for forms that have room for it; where there is but an octet, 256 in a row differ in the lower one. */
const references = 0x1_0000;

/** So many digits tell phones apart: 100,000 rows at most. */
const slotDigits = 5;

export interface Referring {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
}

/** Returns the reference of each message, by its id. Comes after all other locks of a transaction. */
export async function giveReferences(
  transaction: Transaction,
  messages: readonly Referring[],
): Promise<ReadonlyMap<number, number>> {
  const given = new Map<number, number>();
  if (messages.length === 0) return given;
  const bySlot = groupedBy(messages, ({ recipient }) => Number(recipient.slice(-slotDigits)));
  // Always in the same order, so that no two transactions deadlock.
  const slots = [...bySlot].sort(([a], [b]) => a - b).map(([slot, some]) => [slot, some.length]);
  const counted = await transaction.allOfEach<{ slot: number; next: number }>(
    { slot: 'integer', count: 'integer' },
    slots,
    // The condition is there for SQLite, which would else read ON as that of a join.
    sql`INSERT INTO message_references (slot, next) SELECT each.slot, each.count ${fromEach} WHERE 1 = 1
        ON CONFLICT (slot) DO UPDATE SET next = message_references.next + excluded.next
        RETURNING slot, next`,
  );
  for (const { slot, next } of counted) {
    const some = bySlot.get(slot) as Referring[];
    const first = next - some.length;
    for (const [index, { id }] of some.entries()) given.set(id, (first + index) % references);
  }
  await transaction.each(
    { company_id: 'bigint', id: 'bigint', reference: 'integer' },
    messages.map((message) => [message.company_id, message.id, given.get(message.id) as number]),
    sql`UPDATE messages SET reference = each.reference ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
  return given;
}

/** The same rows with what they were given. */
export function withReferences<Known extends { readonly id: number; readonly reference: number | null }>(
  rows: readonly Known[],
  given: ReadonlyMap<number, number> | undefined,
): readonly Known[] {
  if (given === undefined || given.size === 0) return rows;
  return rows.map((row) => ({ ...row, reference: given.get(row.id) ?? row.reference }));
}
