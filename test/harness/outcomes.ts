/** Builds claims and outcomes for dispatch tests. */
import type { ClaimInput } from '../../src/messages/dispatch/claim.ts';
import { stage, status } from '../../src/messages/message.ts';
import type { Advance, OutcomeRecord, TakenPart } from '../../src/messages/outcome.ts';

export const claim: ClaimInput = { carrierId: 1, nodeId: 7, room: 10, bulkFloor: 0, now: 5_000 };

export function record(nodeId: number): OutcomeRecord {
  return { nodeId, carrierId: 1, now: 6_000, advances: [], taken: [] };
}

export function sent(id: number): Advance {
  return {
    companyId: 1,
    id,
    attempts: 1,
    status: status.SENT,
    stage: stage.awaitingReceipt,
    dueAt: 99_000,
    handedOver: true,
    inDoubt: false,
    expiredByTimer: false,
    reason: null,
  };
}

export function retrying(id: number): Advance {
  return { ...sent(id), status: status.QUEUED, stage: stage.retrying, dueAt: 7_000, handedOver: false };
}

export function ended(id: number, code: number): Advance {
  return { ...sent(id), status: code, stage: null, dueAt: null, handedOver: false };
}

export function part(
  messageId: number,
  number = 1,
  parts = 1,
  carrierMessageId = `c${messageId}/${number}`,
): TakenPart {
  const answer = { carrierMessageId, submittedAt: null, answeredAt: 6_000 };
  return { companyId: 1, messageId, part: number, parts, ...answer };
}
