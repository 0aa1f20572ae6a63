/** Tests what every carrier must keep to, whatever network is behind it; they run for each kind of carrier, against a peer. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Carrier, OutgoingPart } from '../../src/carriers/carrier.ts';
import { pause, until } from '../harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../harness/held-time.ts';
import { CarrierRecorder, keyOf, messages } from './carrier-recorder.ts';

/** How the carrier and its peer are to behave. The peer uses the time that the test controls. */
export interface CarrierSetup {
  readonly window: number;
  /** Parts per second; 0 means no limit. */
  readonly throughput: number;
  /** Milliseconds from a submission to the peer's response. */
  readonly answerMs: number;
  /** Milliseconds from the response to the receipt. */
  readonly receiptMs: number;
  /** The id as `makeCarrier` gives it: never used by an earlier start. */
  readonly instance: number;
}

export interface CarrierKind {
  readonly title: string;
  readonly make: (setup: CarrierSetup) => Carrier | Promise<Carrier>;
  /** How many parts the latest peer has received; absent if the peer has a full window as soon as its parts are submitted. */
  readonly reached?: () => number;
  /** Whether the carrier runs in a separate thread, whose time the test does not control. */
  readonly hasOwnTime?: boolean;
  /** A number that the peer delivers to, and one whose SMS it reports as UNDELIVERABLE. */
  readonly delivered: string;
  readonly undeliverable: string;
}

const quick: CarrierSetup = { window: 100, throughput: 0, answerMs: 0, receiptMs: 10, instance: 1 };

/** Longer than the time before the test releases the responses, and shorter than the silence that ends a link. */
const heldAnswersMs = 15_000;
const hourMs = 3_600_000;

interface Running {
  readonly carrier: Carrier;
  readonly heard: CarrierRecorder;
}

async function run(kind: CarrierKind, setup: Partial<CarrierSetup> = {}): Promise<Running> {
  const carrier = await kind.make({ ...quick, ...setup });
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  await until(() => carrier.status().state === 'up');
  return { carrier, heard };
}

const busyWindow = 10;

/**
 * Starts a carrier and submits these parts: a window of them waits for responses until `heldAnswersMs` have passed, and the
 * other parts wait for room in the window.
 */
async function runBusy(kind: CarrierKind, parts: readonly OutgoingPart[]): Promise<Running> {
  const running = await run(kind, { window: busyWindow, answerMs: heldAnswersMs });
  running.carrier.submit(parts);
  const { reached } = kind;
  const under = Math.min(busyWindow, parts.length);
  if (reached !== undefined) await until(() => reached() === under);
  return running;
}

/** Checks that each part submitted has exactly one outcome. */
function expectOneEach({ heard }: Running, parts: readonly OutgoingPart[]): void {
  expect(heard.outcomes.map(({ part }) => keyOf(part)).sort()).toEqual(parts.map(keyOf).sort());
}

export function carrierConformance(kind: CarrierKind): void {
  describe(kind.title, () => {
    beforeEach(holdTime);
    afterEach(letTimeGo);
    describe('outcomes and receipts', () => testOutcomes(kind));
    describe('window and rate', () => testPace(kind));
    describe('stopping', () => testStopping(kind));
  });
}

function testOutcomes(kind: CarrierKind): void {
  test('[DLV-1] Each part submitted to a carrier has exactly one outcome, however many parts its message has', async () => {
    const running = await run(kind, { window: 1_000 });
    const sets = [1, 3, 255, 2].map((parts) => messages(7, { parts, recipient: kind.delivered }));
    for (const set of sets) running.carrier.submit(set);
    await passUntil(() => running.heard.outcomes.length >= sets.flat().length);
    await pause(20);
    expectOneEach(running, sets.flat());
    expect(running.heard.ofKind('accepted')).toHaveLength(sets.flat().length);
    await passDuring(running.carrier.stop(1_000));
  });

  test('[DLV-1] A carrier takes a full claim of the longest messages at once', async () => {
    const running = await run(kind, { window: 1_000, receiptMs: hourMs });
    const parts = messages(500, { parts: 255, recipient: kind.delivered });
    running.carrier.submit(parts);
    await until(() => running.heard.ofKind('accepted').length >= running.carrier.window);
    await passUntil(() => running.heard.outcomes.length >= parts.length, 100);
    expectOneEach(running, parts);
    // This is much more than dispatch hands over, so parts that are not sent soon may be given back.
    const accepted = running.heard.ofKind('accepted').length;
    expect(accepted).toBeGreaterThanOrEqual(running.carrier.window);
    expect(accepted + running.heard.ofKind('givenBack').length).toBe(parts.length);
    await passDuring(running.carrier.stop(1_000));
  });

  test('[DLV-1] [DLV-5] A carrier gives each part an id that it never gives again, not even after a restart', async () => {
    const ids = new Set<string>();
    for (const instance of [1, 2, 36, 37]) {
      const { carrier, heard } = await run(kind, { instance });
      carrier.submit(messages(40, { parts: 2, recipient: kind.delivered }));
      await passUntil(() => heard.outcomes.length === 80);
      for (const { outcome } of heard.ofKind('accepted')) ids.add(outcome.carrierMessageId);
      await passDuring(carrier.stop(1_000));
    }
    expect(ids.size).toBe(4 * 80);
  });

  test('[DLV-1] [DLV-5] A carrier reports by a receipt what became of each part that it took', async () => {
    const { carrier, heard } = await run(kind);
    carrier.submit(messages(3, { parts: 2, recipient: kind.delivered }));
    carrier.submit(messages(2, { recipient: kind.undeliverable }));
    await passUntil(() => heard.stored.length >= 8);
    pass(1_000);
    await pause(20);
    const reported = new Map(heard.stored.map((receipt) => [receipt.carrierMessageId, receipt.status]));
    for (const { part, outcome } of heard.ofKind('accepted')) {
      expect(reported.get(outcome.carrierMessageId)).toBe(part.recipient === kind.delivered ? 2 : 6);
    }
    expect(heard.stored).toHaveLength(8);
    await passDuring(carrier.stop(1_000));
  });

  test('[DLV-5] [DLV-7] A carrier repeats its receipts until they are stored', async () => {
    const { carrier, heard } = await run(kind);
    heard.receiptFaults = 2;
    carrier.submit(messages(5, { recipient: kind.delivered }));
    await passUntil(() => new Set(heard.stored.map((receipt) => receipt.carrierMessageId)).size === 5, 10);
    expect(heard.receiptFaults).toBe(0);
    await passDuring(carrier.stop(1_000));
  });

  test('[DLV-6] A carrier whose peer keeps no receipts itself can be asked after a restart what became of earlier parts', async ({
    skip,
  }) => {
    const earlier = await run(kind, { receiptMs: hourMs });
    earlier.carrier.submit(messages(4, { recipient: kind.delivered }));
    await passUntil(() => earlier.heard.outcomes.length === 4);
    const awaiting = earlier.heard.ofKind('accepted').map(({ part, outcome }) => ({
      carrierMessageId: outcome.carrierMessageId,
      recipient: part.recipient,
    }));
    await passDuring(earlier.carrier.stop(1_000));
    expect(earlier.heard.stored).toEqual([]);
    const later = await run(kind, { instance: 2 });
    if (later.carrier.resume === undefined) skip('its peer keeps receipts by itself');
    later.carrier.resume?.(awaiting);
    await passUntil(() => later.heard.stored.length === 4);
    expect(later.heard.stored).toEqual(
      expect.arrayContaining(
        awaiting.map(({ carrierMessageId }) => expect.objectContaining({ carrierMessageId, status: 2 })),
      ),
    );
    await passDuring(later.carrier.stop(1_000));
  });

  test('[SEND-13] A carrier does not hand over a part whose validity ended while it waited, but gives it back to dispatch', async () => {
    const { carrier, heard } = await run(kind, { window: 5, answerMs: 100 });
    const inTime = messages(5, { recipient: kind.delivered });
    const expiresAt = Date.now() + 50;
    const late = messages(4, { recipient: kind.delivered, expiresAt });
    const lasting = messages(1, { recipient: kind.delivered });
    carrier.submit([...inTime, ...late, ...lasting]);
    await until(() => Date.now() > expiresAt);
    await passUntil(() => heard.outcomes.length >= 10);
    expect(heard.ofKind('retryAt').map(({ part }) => keyOf(part))).toEqual(late.map(keyOf));
    expect(heard.ofKind('accepted')).toHaveLength(6);
    await passDuring(carrier.stop(1_000));
  });
}

/** The time that passes before each check of what a throughput limit has let through. */
const stepMs = 50;
/** The simulator responds together to everything that arrived within this time. */
const simulatedTogetherMs = 5;

function testPace(kind: CarrierKind): void {
  test('[DLV-1] Parts beyond the window wait in the carrier and go out as responses come, never more than the window at once', async () => {
    const { carrier, heard } = await run(kind, { window: 10, answerMs: 60 });
    expect(carrier.window).toBe(10);
    const startedAt = performance.now();
    // There is never more than twice the window, so nothing is given back.
    carrier.submit(messages(20, { recipient: kind.delivered }));
    await passUntil(() => heard.outcomes.length === 10);
    carrier.submit(messages(10, { recipient: kind.delivered }));
    await passUntil(() => heard.outcomes.length === 30);
    for (const [index, { at }] of heard.outcomes.entries()) {
      // On the test's clock, the nth ten parts can't have their responses before n round trips.
      expect(at - startedAt).toBeGreaterThanOrEqual(60 * (Math.floor(index / 10) + 1) - simulatedTogetherMs);
    }
    await passDuring(carrier.stop(1_000));
  });

  test('[DLV-1] A carrier takes its whole window again each time that all of it has been answered', async () => {
    const { carrier, heard } = await run(kind, { window: 2, answerMs: 5 });
    for (let round = 1; round <= 5; round++) {
      carrier.submit(messages(2, { recipient: kind.delivered }));
      await passUntil(() => heard.outcomes.length === 2 * round);
    }
    expect(heard.ofKind('accepted')).toHaveLength(10);
    await passDuring(carrier.stop(1_000));
  });

  if (kind.hasOwnTime) {
    test('[DLV-2] A carrier that keeps its own time sends no more than its throughput', async () => {
      const throughput = 200;
      const { carrier, heard } = await run(kind, { throughput, window: 1_000 });
      const startedAt = process.hrtime.bigint();
      carrier.submit(messages(100, { recipient: kind.delivered }));
      await passUntil(() => heard.outcomes.length === 100);
      const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
      // A tenth of a second's worth may be sent at once at the start.
      expect(heard.ofKind('accepted').length).toBeLessThanOrEqual(throughput * (seconds + 0.1) + 2);
      await passDuring(carrier.stop(0));
    });
  } else {
    test.each([20, 300, 2_000])(
      '[DLV-2] A carrier keeps to its throughput of %i parts a second within a few percent',
      async (throughput) => {
        const { carrier, heard } = await run(kind, { throughput, window: 1_000 });
        let submitted = 0;
        for (let passedMs = 0; passedMs < 2_500; passedMs += stepMs) {
          const unanswered = submitted - heard.outcomes.length;
          const room = Math.max(0, Math.ceil((carrier.window - unanswered) / 2));
          if (room > 0) carrier.submit(messages(room, { parts: 2, recipient: kind.delivered }));
          submitted += room * 2;
          pass(stepMs);
          const seconds = (passedMs + stepMs) / 1_000;
          await until(() => heard.outcomes.length >= Math.floor(throughput * seconds * 0.95));
          // A tenth of a second's worth may be sent at once at the start.
          expect(heard.outcomes.length).toBeLessThanOrEqual(throughput * (seconds + 0.1) + 2);
        }
        expect(heard.ofKind('accepted')).toHaveLength(heard.outcomes.length);
        await passDuring(carrier.stop(0));
      },
    );
  }

  test('[BATCH-9] A carrier with a throughput has a window of what it sends in about a second, so that new messages wait behind little', async () => {
    const { carrier } = await run(kind, { throughput: 30, window: 1_000 });
    expect(carrier.window).toBeGreaterThan(0);
    expect(carrier.window).toBeLessThanOrEqual(30);
    await passDuring(carrier.stop(0));
  });
}

function testStopping(kind: CarrierKind): void {
  test('[RUN-4] A carrier that stops lets what is under way finish, and gives back at once what waits', async () => {
    const parts = messages(20, { recipient: kind.delivered });
    const running = await runBusy(kind, parts);
    const stopping = running.carrier.stop(hourMs);
    // This happens before any response arrives.
    await passUntil(() => running.heard.ofKind('retryAt').length === 10);
    expect(running.heard.outcomes).toHaveLength(10);
    pass(heldAnswersMs);
    await passDuring(stopping);
    expectOneEach(running, parts);
    expect(running.heard.ofKind('accepted')).toHaveLength(10);
    for (const { outcome } of running.heard.ofKind('retryAt'))
      expect(outcome.time).toBeLessThanOrEqual(Date.now());
  });

  test('[RUN-4] A carrier that stops also gives back what waits for the rate', async () => {
    const running = await run(kind, { throughput: 1, window: 1_000 });
    const parts = messages(40, { recipient: kind.delivered });
    running.carrier.submit(parts);
    await passDuring(running.carrier.stop(hourMs));
    expectOneEach(running, parts);
    expect(running.heard.ofKind('inDoubt')).toEqual([]);
    expect(running.heard.ofKind('accepted').length).toBeLessThan(parts.length);
  });

  test.each([0, 150])(
    '[DLV-6] [RUN-4] When a carrier stops, what has no response at the deadline of %i ms is in doubt',
    async (deadlineMs) => {
      const parts = messages(20, { recipient: kind.delivered });
      const running = await runBusy(kind, parts);
      const stopping = running.carrier.stop(deadlineMs);
      // No response arrives, so only the deadline can end the stop.
      await (kind.hasOwnTime ? stopping : passDuring(stopping));
      expectOneEach(running, parts);
      expect(running.heard.ofKind('inDoubt')).toHaveLength(10);
      expect(running.heard.ofKind('retryAt')).toHaveLength(10);
    },
  );

  test('[RUN-4] What is submitted to a carrier while it stops is given back', async () => {
    const before = messages(3, { recipient: kind.delivered });
    const running = await runBusy(kind, before);
    const stopping = running.carrier.stop(hourMs);
    const during = messages(4, { recipient: kind.delivered });
    running.carrier.submit(during);
    pass(heldAnswersMs);
    await passDuring(stopping);
    expectOneEach(running, [...before, ...during]);
    expect(running.heard.ofKind('retryAt')).toHaveLength(4);
  });

  test('[RUN-4] A carrier reports nothing after it has stopped', async () => {
    const { carrier, heard } = await run(kind, { window: 10, answerMs: 20, receiptMs: 50, throughput: 100 });
    heard.receiptFaults = 1;
    carrier.submit(messages(50, { recipient: kind.delivered }));
    await passUntil(() => heard.outcomes.length > 0 && heard.receiptCalls > 0);
    await passDuring(carrier.stop(1_000));
    const soFar = heard.heard;
    pass(heldAnswersMs);
    await pause(50);
    expect(heard.heard).toBe(soFar);
  });

  test('[RUN-4] A carrier with nothing under way stops at once', async () => {
    const { carrier, heard } = await run(kind);
    // Neither the carrier nor the test waits for the hour.
    await passDuring(carrier.stop(hourMs));
    expect(heard.heard).toBe(0);
  });
}
