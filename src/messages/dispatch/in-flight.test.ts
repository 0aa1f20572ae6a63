import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import type { Claimed } from '../handover.ts';
import { maxRetryMs, receiptGraceMs, stage, status } from '../message.ts';
import {
  type DoubtRule,
  expiredInFlight,
  InFlightMessage,
  type SettledMessage,
  sentInFlight,
} from './in-flight.ts';

const now = 1_000_000;
const expiresAt = now + 60_000;

function claimed(parts: number): Claimed {
  return {
    company_id: 1,
    id: 7,
    recipient: '46731234567',
    sender: 'Clinic',
    text: 'Hello',
    flash: 0,
    parts,
    expires_at: expiresAt,
    attempts: 1,
    in_doubt: 0,
    reference: null,
  };
}

function outgoing(part: number, parts: number): OutgoingPart {
  return {
    companyId: 1,
    messageId: 7,
    part,
    parts,
    smsParts: 1,
    reference: 7,
    recipient: '46731234567',
    sender: 'Clinic',
    text: 'Hello',
    encoding: 'gsm7',
    flash: false,
    expiresAt,
    doubts: 0,
  };
}

const accepted: Outcome = { kind: 'accepted', carrierMessageId: 'a' };
const rejected: Outcome = { kind: 'rejected', status: 10, reason: 'no such number' };
const passOn: Outcome = { kind: 'passOn', status: 5, reason: 'not my network' };
const inDoubt: Outcome = { kind: 'inDoubt', reason: 'no answer' };
const givenBack: Outcome = { kind: 'givenBack', reason: 'too slow' };
const retryAt: Outcome = { kind: 'retryAt', time: now + 5_000, reason: 'throttled' };

const retrying: DoubtRule = { inDoubtPolicy: 'retry', inDoubtTries: 3 };

/** Settles the parts one after the other; only the last may return a result. */
function settleAll(outcomes: readonly Outcome[], policy: 'retry' | 'fail' = 'retry'): SettledMessage {
  const rule = { inDoubtPolicy: policy, inDoubtTries: 3 };
  const message = new InFlightMessage(claimed(outcomes.length), outcomes.length, false);
  const ends = outcomes.map((outcome, index) =>
    message.settle(outgoing(index + 1, outcomes.length), outcome, rule, now),
  );
  const end = ends.pop();
  for (const early of ends) expect(early).toBeUndefined();
  return end as SettledMessage;
}

describe('a message in flight', () => {
  test('[STAT-6] A message is SENT when the carrier has taken all of its parts, and then waits for receipts', () => {
    const outcomes: readonly Outcome[] = [
      { kind: 'accepted', carrierMessageId: 'a' },
      { kind: 'accepted', carrierMessageId: 'b', submittedAt: now - 20 },
    ];
    const { advance, taken } = settleAll(outcomes);
    expect(advance).toMatchObject({
      companyId: 1,
      id: 7,
      status: status.SENT,
      stage: stage.awaitingReceipt,
      dueAt: expiresAt + receiptGraceMs,
      handedOver: true,
      inDoubt: false,
      reason: null,
    });
    expect(advance).toEqual(sentInFlight(claimed(2)));
    const part = { companyId: 1, messageId: 7, parts: 2, answeredAt: now };
    expect(taken).toEqual([
      { ...part, part: 1, carrierMessageId: 'a', submittedAt: null },
      { ...part, part: 2, carrierMessageId: 'b', submittedAt: now - 20 },
    ]);
  });

  test('[STAT-6] [SEND-19] A rejected message ends with the status of the refusal, and counts as not handed over', () => {
    expect(settleAll([rejected])).toMatchObject({
      advance: { status: 10, stage: null, dueAt: null, handedOver: false, reason: 'no such number' },
      taken: [],
    });
  });

  test('[STAT-7] [SEND-19] A message with a rejected part ends, and is charged if the carrier has another part', () => {
    const { advance, taken } = settleAll([accepted, rejected, retryAt]);
    expect(advance).toMatchObject({ status: 10, stage: null, handedOver: true });
    expect(taken).toHaveLength(1);
    expect(settleAll([rejected, retryAt]).advance).toMatchObject({ handedOver: false });
    expect(settleAll([rejected, inDoubt]).advance).toMatchObject({ handedOver: true, inDoubt: true });
  });

  test('[DLV-2] [DLV-3] A message that a carrier passes on may go to another only if no part of it was taken', () => {
    expect(settleAll([passOn])).toMatchObject({
      advance: { status: 5, stage: null, handedOver: false, reason: 'not my network' },
      mayPassOn: true,
    });
    expect(settleAll([retryAt, passOn, retryAt])).toMatchObject({ advance: { status: 5 }, mayPassOn: true });
    for (const besides of [accepted, rejected, inDoubt]) {
      for (const outcomes of [
        [passOn, besides],
        [besides, passOn],
      ]) {
        const { advance, mayPassOn } = settleAll(outcomes);
        expect(mayPassOn).toBe(false);
        expect(advance.status).toBe(besides === rejected ? 10 : 5);
      }
    }
    // The other part was accepted in an earlier claim.
    const rest = new InFlightMessage(claimed(2), 1, true);
    expect(rest.settle(outgoing(2, 2), passOn, retrying, now)?.mayPassOn).toBe(false);
  });

  test('[STAT-6] A message that the carrier puts off is tried again at the latest of the given times, but never after its expiry', () => {
    const later: Outcome = { ...retryAt, time: now + 9_000, reason: 'queue full' };
    expect(settleAll([retryAt, later, retryAt]).advance).toMatchObject({
      status: status.QUEUED,
      stage: stage.retrying,
      dueAt: now + 9_000,
      handedOver: false,
      reason: 'parts 1, 3: throttled; part 2: queue full',
    });
    expect(settleAll([{ ...retryAt, time: expiresAt + 1 }]).advance.dueAt).toBe(expiresAt);
    expect(settleAll([accepted, retryAt]).advance).toMatchObject({ status: status.QUEUED, handedOver: true });
    const lasting = new InFlightMessage({ ...claimed(1), expires_at: now + 9 * maxRetryMs }, 1, false);
    const muchLater: Outcome = { ...retryAt, time: now + 2 * maxRetryMs };
    const end = lasting.settle(outgoing(1, 1), muchLater, retrying, now);
    expect(end?.advance.dueAt).toBe(now + maxRetryMs);
  });

  test('[DLV-3] A message that the carrier gives back waits in its old place, unless one of its parts has another outcome', () => {
    const waiting = { status: status.QUEUED, stage: stage.waiting, dueAt: null, inDoubt: false };
    expect(settleAll([givenBack, givenBack]).advance).toMatchObject({
      ...waiting,
      handedOver: false,
      reason: 'too slow',
    });
    expect(settleAll([accepted, givenBack])).toMatchObject({
      advance: { ...waiting, handedOver: true, reason: 'part 2: too slow' },
      taken: [{ part: 1 }],
    });
    expect(settleAll([givenBack, retryAt]).advance).toMatchObject({
      stage: stage.retrying,
      dueAt: now + 5_000,
    });
    expect(settleAll([givenBack, inDoubt]).advance).toMatchObject({ stage: stage.retrying, inDoubt: true });
    expect(settleAll([givenBack, rejected]).advance).toMatchObject({ status: 10, stage: null });
    expect(settleAll([givenBack, passOn])).toMatchObject({ advance: { status: 5 }, mayPassOn: true });
  });

  test('[HTTPC-2] A message that its carrier may have, and takes only once, counts as handed over while it waits for the next try', () => {
    const mayHaveIt: Outcome = { ...retryAt, mayHaveIt: true };
    const later: Outcome = { ...retryAt, time: now + 9_000 };
    for (const outcomes of [[mayHaveIt], [mayHaveIt, later]])
      expect(settleAll(outcomes).advance).toMatchObject({
        status: status.QUEUED,
        stage: stage.retrying,
        handedOver: true,
      });
  });

  test('[DLV-6] A message in doubt is sent again or given up, as the carrier is set, and charged either way', () => {
    const doubtful = { inDoubt: true, handedOver: true };
    expect(settleAll([accepted, inDoubt], 'retry').advance).toMatchObject({
      ...doubtful,
      status: status.QUEUED,
      stage: stage.retrying,
      reason: 'part 2: no answer',
    });
    expect(settleAll([inDoubt, retryAt], 'fail').advance).toMatchObject({
      ...doubtful,
      status: status.UNKNOWN,
      stage: null,
      reason: 'part 1: no answer; part 2: throttled',
    });
  });

  test('[DLV-3] [STAT-6] A message in doubt is sent again after growing pauses, and given up after the configured number of tries', () => {
    const doubtOf = (doubts: number, inDoubtTries: number) => {
      const message = new InFlightMessage(
        { ...claimed(1), in_doubt: doubts, expires_at: now + 1e9 },
        1,
        false,
      );
      return message.settle(outgoing(1, 1), inDoubt, { inDoubtPolicy: 'retry', inDoubtTries }, now)?.advance;
    };
    const pauses = [0, 1, 2, 3, 4, 98].map((doubts) => (doubtOf(doubts, 100)?.dueAt ?? 0) - now);
    expect(pauses).toEqual([1_000, 5_000, 25_000, 125_000, maxRetryMs, maxRetryMs]);
    expect(doubtOf(2, 3)).toMatchObject({
      status: status.UNKNOWN,
      stage: null,
      dueAt: null,
      handedOver: true,
      inDoubt: true,
      reason: 'no answer; it was in doubt 3 times',
    });
    expect(doubtOf(0, 1)).toMatchObject({ status: status.UNKNOWN, reason: 'no answer' });
  });

  test('[DLV-3] A message has one reason if all its parts share it, and otherwise the reasons with the parts they concern', () => {
    expect(settleAll([retryAt, retryAt]).advance.reason).toBe('throttled');
    expect(settleAll([inDoubt, accepted, inDoubt, inDoubt, rejected]).advance.reason).toBe(
      'parts 1, 3-4: no answer; part 5: no such number',
    );
    const inOnePiece = new InFlightMessage(claimed(3), 1, false);
    expect(inOnePiece.settle(outgoing(1, 1), retryAt, retrying, now)?.advance.reason).toBe('throttled');
    const many = Array.from({ length: 200 }, (_, index) => ({ ...inDoubt, reason: `fault ${index}` }));
    expect(settleAll(many).advance.reason).toBe(
      'part 1: fault 0; part 2: fault 1; part 3: fault 2; part 4: fault 3; …',
    );
  });

  test('[SEND-13] A message claimed after its expiry ends EXPIRED, and is not handed over', () => {
    expect(expiredInFlight(claimed(2))).toMatchObject({
      status: status.EXPIRED,
      expiredByTimer: true,
      stage: null,
      handedOver: false,
    });
  });

  test('[STAT-7] A message ends the same way in whatever order its parts have their outcomes', () => {
    const outcome = fc.constantFrom(accepted, rejected, passOn, inDoubt, retryAt, givenBack);
    const orders = fc
      .array(outcome, { minLength: 1, maxLength: 6 })
      .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })));
    fc.assert(
      fc.property(orders, fc.constantFrom('retry' as const, 'fail' as const), ([one, other], policy) => {
        const { advance, mayPassOn } = settleAll(one, policy);
        // The reason may differ, because it lists parts.
        const { reason: _, ...end } = advance;
        expect(settleAll(other, policy)).toMatchObject({ advance: end, mayPassOn });
      }),
    );
  });
});
