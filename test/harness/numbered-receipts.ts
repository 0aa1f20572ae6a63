/** Receipts with numbers that a carrier assigned, and the messages they match. */
import { claimMessages } from '../../src/messages/dispatch/claim.ts';
import { stage, status } from '../../src/messages/message.ts';
import type { Advance } from '../../src/messages/outcome.ts';
import type { StoredReceipt } from '../../src/messages/receipts/receipt.ts';
import type { Store } from '../../src/storage/store.ts';
import { range } from './delivery-store.ts';
import { putMessages } from './delivery-verbs.ts';

export function receipt(carrierMessageId: string, code: number, receivedAt = 2_000): StoredReceipt {
  return { carrierId: 1, carrierMessageId, status: code, errorCode: null, receivedAt };
}

/** The fields of a message awaiting its receipt. */
export const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, dueAt: 9_000, attempts: 1 };
/** The input for retrying parked receipts. */
export const sweep = { now: 3_000, limit: 100 };

/** Puts message 1 with this many parts in flight on node 7, and returns the record of the acceptance of all its parts. */
export async function inFlight(store: Store, parts: number) {
  await store.write(putMessages, [{ id: 1, parts }]);
  await store.write(claimMessages, { carrierId: 1, nodeId: 7, room: 1, bulkFloor: 0, now: 1_500 });
  const advance: Advance = {
    companyId: 1,
    id: 1,
    attempts: 1,
    status: status.SENT,
    stage: stage.awaitingReceipt,
    dueAt: 9_000,
    handedOver: true,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
  const taken = range(1, parts).map((part) => ({
    companyId: 1,
    messageId: 1,
    part,
    parts,
    carrierMessageId: `c${part}`,
    submittedAt: null,
    answeredAt: 2_000,
  }));
  return { nodeId: 7, carrierId: 1, now: 2_000, advances: [advance], taken };
}
