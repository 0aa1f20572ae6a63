/** A message that comes again may have parts that its carrier took before: they are not handed over twice. */
import type { Carrier } from '../../carriers/carrier.ts';
import type { Store } from '../../storage/store.ts';
import type { Claimed } from '../claimed.ts';
import { status } from '../message.ts';
import { readTakenParts } from './taken-parts-store.ts';

interface TakenPartsOptions {
  readonly store: Store;
  readonly carrier: Carrier;
}

/** By message. Taken in an earlier life perhaps, which ended before the carrier told their receipts: it is asked for them. */
export async function takenParts(
  { store, carrier }: TakenPartsOptions,
  again: readonly Claimed[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const taken = new Map<number, Set<number>>();
  const rows = new Map(again.map((row) => [row.id, row]));
  const keys = again.map((row) => [row.company_id, row.id]);
  for (const found of await store.read(readTakenParts, keys)) {
    const { messageId, carrierMessageId } = found;
    const { recipient, parts } = rows.get(messageId) as Claimed;
    const done = taken.get(messageId) ?? new Set();
    // In one piece the carrier took all of them.
    if (found.parts === 1) for (let part = 1; part <= parts; part++) done.add(part);
    else done.add(found.part);
    taken.set(messageId, done);
    if (found.status === status.SENT) carrier.resume?.([{ carrierMessageId, recipient }]);
  }
  return taken;
}
