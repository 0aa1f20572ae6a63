/** Finds the parts of a message sent again that a carrier has already taken, so that they are not handed over twice. */
import type { Carrier } from '../../carriers/carrier.ts';
import { rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb } from '../../storage/verb.ts';
import type { Claimed } from '../handover.ts';
import { status } from '../message.ts';

/**
 * The parts taken, by message. The node's life in which they were taken may have ended before the carrier reported their
 * receipts, so the carrier is asked for the receipts.
 */
export async function takenParts(
  { store, carrier }: { readonly store: Store; readonly carrier: Carrier },
  again: readonly Claimed[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const taken = new Map<number, Set<number>>();
  const rows = new Map(again.map((row) => [row.id, row]));
  const keys = again.map((row) => [row.company_id, row.id]);
  for (const found of await store.read(readTakenParts, keys)) {
    const { messageId, carrierMessageId } = found;
    const { recipient, parts } = rows.get(messageId) as Claimed;
    const done = taken.get(messageId) ?? new Set();
    // If the message went in one piece, the carrier took all of them.
    if (found.parts === 1) for (let part = 1; part <= parts; part++) done.add(part);
    else done.add(found.part);
    taken.set(messageId, done);
    if (found.status === status.SENT) carrier.resume?.([{ carrierMessageId, recipient }]);
  }
  return taken;
}

/** Parts of these messages (company, id) that a carrier has already taken. */
export const readTakenParts = readVerb('messages.readTakenParts', async (reading, keys: readonly Row[]) =>
  reading.all<{ messageId: number; part: number; parts: number; carrierMessageId: string; status: number }>(
    sql`SELECT message_parts.message_id AS "messageId", message_parts.part, message_parts.parts,
               message_parts.carrier_message_id AS "carrierMessageId", message_parts.status
        FROM ${rowSet('again', { company_id: 'bigint', id: 'bigint' }, keys)}
        JOIN message_parts ON message_parts.company_id = again.company_id AND message_parts.message_id = again.id`,
  ),
);
