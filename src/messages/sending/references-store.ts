/**
 * Assigns the reference that the parts of a long message share, by which a phone assembles them (3GPP TS 23.040 9.2.3.24.1).
 * It is stored with the message, so that a part retried after a restart or at another carrier has the same reference as the
 * parts before it. No two messages to one phone share a reference for a while: counters are kept per group of phones whose
 * numbers end in the same digits, which needs no row per phone.
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { fromEach, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { keepReferences } from '../part-header.ts';

/**
 * 16 bits, for forms that have room for them; if there is only one octet, 256 consecutive references differ in the
 * lower octet.
 */
const references = 0x1_0000;

/** This many digits distinguish phones, so there are at most 100,000 rows. */
const slotDigits = 5;

export interface Referring {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
}

/** Returns the reference of each message, by its id. It must come after all other locks of a transaction. */
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
    // The condition is for SQLite, which would otherwise take ON for the ON of a join.
    sql`INSERT INTO message_references (slot, next) SELECT each.slot, each.count ${fromEach} WHERE 1 = 1
        ON CONFLICT (slot) DO UPDATE SET next = message_references.next + excluded.next
        RETURNING slot, next`,
  );
  for (const { slot, next } of counted) {
    const some = bySlot.get(slot) as Referring[];
    const first = next - some.length;
    for (const [index, { id }] of some.entries()) given.set(id, (first + index) % references);
  }
  await keepReferences(
    transaction,
    messages.map(({ company_id: companyId, id }) => ({ companyId, id, reference: given.get(id) as number })),
  );
  return given;
}

/** The same rows, with the references they were given. */
export function withReferences<Known extends { readonly id: number; readonly reference: number | null }>(
  rows: readonly Known[],
  given: ReadonlyMap<number, number> | undefined,
): readonly Known[] {
  if (given === undefined || given.size === 0) return rows;
  return rows.map((row) => ({ ...row, reference: given.get(row.id) ?? row.reference }));
}
