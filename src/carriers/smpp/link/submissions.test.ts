import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import { maxAnswerMs, type OutgoingPart } from '../../carrier.ts';
import { newLinkCounters } from './counters.ts';
import { lastSequence, Outstanding, Submissions, type SubmitAnswer } from './submissions.ts';

function submissions() {
  const reported: string[] = [];
  const counters = newLinkCounters();
  const made = new Submissions(10, counters, {
    answered: (part, { status }) => reported.push(`${part.messageId} answered ${status}`),
    inDoubt: (part, reason) => reported.push(`${part.messageId} in doubt: ${reason}`),
    unwritten: (parts) => reported.push(`${parts.map(({ messageId }) => messageId)} unwritten`),
  });
  return { made, reported, counters };
}

function answer(sequence: number, status = 0): SubmitAnswer {
  return { command: 'submitSmResp', status, sequence, messageId: 'id', tlvs: {} };
}

const [one, two, three] = messages(3) as [OutgoingPart, OutgoingPart, OutgoingPart];
const written: number[] = [];
const write = (sequence: number) => written.push(sequence);

describe('submissions', () => {
  test('[DLV-3] Submissions that are given up are in doubt if they were written, and otherwise not', () => {
    const { made, reported } = submissions();
    made.add(one, write);
    made.flushed();
    made.add(two, write);
    made.add(three, write);
    expect(made.size).toBe(3);
    made.giveUpAll('lost');
    expect(reported).toEqual([
      `${two.messageId},${three.messageId} unwritten`,
      `${one.messageId} in doubt: lost`,
    ]);
    expect(made.size).toBe(0);
  });

  test('[DLV-3] A response to a submission that is not yet written counts as unexpected', () => {
    const { made, reported, counters } = submissions();
    made.add(one, (sequence) => made.answered(answer(sequence)));
    expect(reported).toEqual([]);
    expect(counters.unexpectedAnswers).toBe(1);
    made.flushed();
    made.answered(answer(1));
    made.answered(answer(1));
    expect(reported).toEqual([`${one.messageId} answered 0`]);
    expect(counters.unexpectedAnswers).toBe(2);
  });

  test('[DLV-3] A late response is awaited longer the more often its message was in doubt', () => {
    const { made, reported, counters } = submissions();
    const doubtful = { ...two, doubts: 1 };
    for (const part of [one, doubtful, three]) made.add(part, write);
    made.flushed();
    const now = performance.now();
    expect(made.markLate(now + 1)).toBe(3);
    expect([made.size, made.late, made.room]).toEqual([0, 3, 10]);
    made.giveUpLate(now + 90, 100);
    expect(reported).toEqual([]);
    made.answered(answer(3));
    made.answered(answer(3));
    made.giveUpLate(now + 101, 100);
    made.giveUpLate(now + 190, 100);
    expect(reported).toEqual([
      `${three.messageId} answered 0`,
      `${one.messageId} in doubt: the SMSC did not answer submit_sm within 200 ms`,
    ]);
    made.giveUpLate(now + 201, 100);
    expect(reported.at(-1)).toBe(
      `${two.messageId} in doubt: the SMSC did not answer submit_sm within 300 ms`,
    );
    expect(made.late).toBe(0);
    expect(counters).toMatchObject({ timeouts: 3, lateAnswers: 1, unexpectedAnswers: 1 });
  });

  test('[DLV-3] [DLV-5] No late response is awaited longer than receipts wait for responses', () => {
    for (const [responseTimeoutMs, patienceMs, withinMs] of [
      [30_000, 30_000, maxAnswerMs],
      [30_000, 120_000, maxAnswerMs],
      [200_000, 200_000, maxAnswerMs],
      // The response is in time throughout this period.
      [300_000, 300_000, 300_000],
    ] as const) {
      const { made, reported } = submissions();
      made.add({ ...one, doubts: 9 }, write);
      made.flushed();
      const now = performance.now();
      made.markLate(now + 1);
      made.giveUpLate(now - 1_000 + withinMs - patienceMs, responseTimeoutMs, patienceMs);
      expect(reported).toEqual([]);
      made.giveUpLate(now + 1 + withinMs - patienceMs, responseTimeoutMs, patienceMs);
      const reportedMs = withinMs - patienceMs + responseTimeoutMs;
      expect(reported).toEqual([
        `${one.messageId} in doubt: the SMSC did not answer submit_sm within ${reportedMs} ms`,
      ]);
    }
  });

  test('[DLV-3] Late submissions are in doubt along with all others when the link is lost', () => {
    const { made, reported } = submissions();
    made.add(one, write);
    made.flushed();
    made.markLate(performance.now() + 1);
    made.add(two, write);
    made.flushed();
    made.giveUpAll('lost');
    expect(reported).toEqual([`${one.messageId} in doubt: lost`, `${two.messageId} in doubt: lost`]);
    expect([made.size, made.late]).toEqual([0, 0]);
  });

  test('[RUN-2] Submissions taken back before they were written count as never submitted', () => {
    const { made, reported } = submissions();
    made.add(one, write);
    made.takeBack();
    made.flushed();
    made.giveUpAll('lost');
    expect(reported).toEqual([`${one.messageId} unwritten`]);
  });

  test('[DLV-3] A submission that cannot be written leaves no trace', () => {
    const { made, reported } = submissions();
    const fail = () => {
      throw new RangeError('too long');
    };
    expect(() => made.add(one, fail)).toThrow('too long');
    expect(made.size).toBe(0);
    made.giveUpAll('lost');
    expect(reported).toEqual([]);
  });
});

describe('requests without an answer', () => {
  test('[DLV-3] SMPP requests are numbered from 1 to 0x7FFFFFFF, and then from 1 again', () => {
    const outstanding = new Outstanding<string>(10, lastSequence - 1);
    expect(outstanding.add('a')).toBe(lastSequence - 1);
    expect(outstanding.add('b')).toBe(lastSequence);
    expect(outstanding.add('c')).toBe(1);
    expect(outstanding.nextSequence()).toBe(2);
    expect(outstanding.add('d')).toBe(3);
    expect(outstanding.take(lastSequence)).toBe('b');
    expect(outstanding.take(lastSequence)).toBeUndefined();
    expect(outstanding.size).toBe(3);
  });

  test('[DLV-3] A pending SMPP request keeps its number when that comes round again; the next request gets another', () => {
    const outstanding = new Outstanding<number>(2);
    const first = outstanding.add(0);
    const others = new Set<number>();
    for (let item = 1; item < 1_000; item++) {
      const sequence = outstanding.add(item);
      expect(sequence).not.toBe(first);
      others.add(sequence);
      expect(outstanding.take(sequence)).toBe(item);
    }
    expect(others.size).toBe(999);
    expect(outstanding.take(first)).toBe(0);
  });

  test('[DLV-3] Pending SMPP requests are found by number, in whatever order they come and go', () => {
    const act = fc.oneof(
      fc.constant('add' as const),
      fc.nat(40).map((take) => ({ take })),
      fc.nat(100).map((older) => ({ older })),
      fc.constant('unwritten' as const),
    );
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 200 }),
        fc.integer({ min: 1, max: lastSequence }),
        (acts, from) => {
          const outstanding = new Outstanding<number>(20, from);
          const model = new Map<number, { item: number; writtenAt: number }>();
          let now = 0;
          for (const one of acts) {
            now += 1;
            if (one === 'add') {
              if (model.size >= 20) continue;
              const sequence = outstanding.add(now);
              expect(model.has(sequence)).toBe(false);
              const isWritten = now % 3 > 0;
              if (isWritten) outstanding.written(sequence, now);
              model.set(sequence, { item: now, writtenAt: isWritten ? now : Number.POSITIVE_INFINITY });
            } else if (one === 'unwritten') {
              const kept = [...model].filter(([, { writtenAt }]) => writtenAt === Number.POSITIVE_INFINITY);
              expect(
                outstanding
                  .takeUnwritten()
                  .map(({ item }) => item)
                  .sort(),
              ).toEqual(kept.map(([, { item }]) => item).sort());
              for (const [sequence] of kept) model.delete(sequence);
            } else if ('take' in one) {
              const sequence = [...model.keys()][one.take] ?? one.take;
              expect(outstanding.take(sequence)).toBe(model.get(sequence)?.item);
              model.delete(sequence);
            } else {
              const then = now - one.older;
              const old = [...model].filter(([, { writtenAt }]) => writtenAt < then);
              expect(outstanding.takeOlder(then)).toHaveLength(old.length);
              for (const [sequence] of old) model.delete(sequence);
            }
            expect(outstanding.size).toBe(model.size);
          }
          expect(outstanding.takeAll()).toHaveLength(model.size);
        },
      ),
    );
  });
});
