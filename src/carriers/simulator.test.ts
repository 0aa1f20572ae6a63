import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { carrierConformance } from '../../test/carriers/carrier-conformance.ts';
import { CarrierRecorder, messages } from '../../test/carriers/carrier-recorder.ts';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passUntil } from '../../test/harness/held-time.ts';
import { systemClock } from '../foundation/clock.ts';
import { DelayLine, finalStatusOf, Simulator } from './simulator.ts';

carrierConformance({
  title: 'the simulator',
  make: ({ window, throughput, answerMs, receiptMs, instance }) =>
    new Simulator(
      1,
      'sim',
      { window, throughput, submitDelayMs: answerMs, receiptDelayMs: receiptMs },
      instance,
      systemClock,
    ),
  delivered: '46701740600',
  undeliverable: '46701740606',
});

describe('the outcomes that the simulator gives', () => {
  test('[DLV-1] The simulator chooses the final status by the last two digits of the number', () => {
    for (let code = 1; code <= 13; code++)
      expect(finalStatusOf(`467017406${String(code).padStart(2, '0')}`)).toBe(code);
    for (const other of ['00', '14', '20', '55', '99']) expect(finalStatusOf(`467017406${other}`)).toBe(2);
  });

  test('[DLV-1] The simulator sends receipts with the reason of a failure, and none for 01', async () => {
    const simulator = new Simulator(
      1,
      'sim',
      { window: 100, throughput: 0, submitDelayMs: 0, receiptDelayMs: 0 },
      1,
      systemClock,
    );
    const heard = new CarrierRecorder();
    await simulator.start(heard);
    for (let code = 0; code <= 14; code++) {
      simulator.submit(messages(1, { recipient: `467017406${String(code).padStart(2, '0')}` }));
    }
    await until(() => heard.stored.length >= 14);
    const reported = heard.stored.map(({ status, errorCode }) => [status, errorCode]);
    expect(reported.sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [2, null],
      [2, null],
      [2, null],
      ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((code) => [code, String(code).padStart(3, '0')]),
    ]);
    await simulator.stop(0);
  });

  test('[DLV-2] The simulator can be set to pass messages on, and to be down, in which case it accepts nothing', async () => {
    const settings = { window: 100, throughput: 0, submitDelayMs: 0, receiptDelayMs: 0 };
    const choosy = new Simulator(1, 'sim', { ...settings, passOn: ['77'] }, 1, systemClock);
    const heard = new CarrierRecorder();
    await choosy.start(heard);
    choosy.submit([
      ...messages(1, { recipient: '46701740677' }),
      ...messages(1, { recipient: '46701740678' }),
    ]);
    await until(() => heard.outcomes.length === 2);
    expect(heard.outcomes.map(({ outcome }) => outcome.kind)).toEqual(['passOn', 'accepted']);
    expect(choosy.status()).toMatchObject({ state: 'up', reason: null });
    await choosy.stop(0);
    expect(choosy.status().state).toBe('down');

    const away = new Simulator(1, 'sim', { ...settings, down: true }, 1, systemClock);
    expect(away.status().state).toBe('starting');
    await away.start(heard);
    expect(away.status()).toMatchObject({ state: 'down', reason: 'it is set to be down' });
    away.submit(messages(1));
    expect(heard.outcomes.at(-1)?.outcome.kind).toBe('retryAt');
    await away.stop(0);
  });

  test.each([
    ['ahead', 30],
    ['back', -30],
  ])(
    '[DLV-1] The simulator sends receipts on time even when the clock is set %s, and checks validity by that clock',
    async (_, days) => {
      const clock = { time: Date.now(), now: () => clock.time };
      const settings = { window: 100, throughput: 0, submitDelayMs: 40, receiptDelayMs: 40 };
      const simulator = new Simulator(1, 'sim', settings, 1, clock);
      const heard = new CarrierRecorder();
      await simulator.start(heard);
      simulator.submit(messages(3, { expiresAt: clock.time + 60_000 }));
      clock.time += days * 86_400_000;
      simulator.submit(messages(2, { expiresAt: clock.time + 60_000 }));
      simulator.submit(messages(1, { expiresAt: clock.time }));
      await until(() => heard.stored.length >= 5);
      const kinds = heard.outcomes.map(({ outcome }) => outcome.kind);
      expect(kinds.sort()).toEqual([...Array.from({ length: 5 }, () => 'accepted'), 'retryAt']);
      await simulator.stop(0);
    },
  );

  test('[DLV-1] The simulator delivers an SMS from a phone while it runs, and not after', async () => {
    const simulator = new Simulator(
      1,
      'sim',
      { window: 1, throughput: 0, submitDelayMs: 0, receiptDelayMs: 0 },
      1,
      systemClock,
    );
    const sms = { sender: '46701740600', recipient: '46731230001', text: 'Hej' };
    await expect(simulator.originate(sms)).rejects.toThrow('sim is not running');
    const heard = new CarrierRecorder();
    await simulator.start(heard);
    expect(await simulator.originate(sms)).toEqual({ id: '1', routed: true });
    expect(heard.incomings).toEqual([sms]);
    await simulator.stop(0);
    await expect(simulator.originate(sms)).rejects.toThrow('sim is not running');
  });
});

interface Seen {
  readonly thing: number;
  readonly at: number;
}

function delayLine(delayMs: number): { line: DelayLine<number>; seen: Seen[] } {
  const seen: Seen[] = [];
  const line = new DelayLine<number>(delayMs, (things) => {
    for (const thing of things) seen.push({ thing, at: performance.now() });
  });
  return { line, seen };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a delay line', () => {
  beforeEach(holdTime);
  afterEach(letTimeGo);

  test.each([0, 1, 40])(
    '[DLV-1] A delay line releases items in order, %i ms after they went in',
    async (delayMs) => {
      const { line, seen } = delayLine(delayMs);
      const wentIn = new Map<number, number>();
      for (let thing = 0; thing < 30; thing++) {
        wentIn.set(thing, performance.now());
        line.push([thing]);
        pass(thing % 3);
      }
      await passUntil(() => seen.length === 30);
      expect(seen.map(({ thing }) => thing)).toEqual([...wentIn.keys()]);
      for (const { thing, at } of seen) {
        // Items that entered within a few milliseconds leave together, at the time of the first.
        expect(at - (wentIn.get(thing) as number)).toBeGreaterThanOrEqual(delayMs - 6);
        // Without a delay it takes a turn of the event loop, which the test's clock does not measure.
        if (delayMs > 0) expect(at - (wentIn.get(thing) as number)).toBeLessThanOrEqual(delayMs + 1);
      }
    },
  );

  test('[DLV-1] A delay line releases nothing within the turn that put it in, even without a delay', async () => {
    const { line, seen } = delayLine(0);
    line.push([1, 2]);
    await Promise.resolve();
    expect(seen).toEqual([]);
    await until(() => seen.length === 2);
  });

  test('[DLV-1] A delay line goes on when a released item puts in another', async () => {
    const seen: number[] = [];
    const line = new DelayLine<number>(2, (things) => {
      seen.push(...things);
      if (seen.length < 5) line.push([seen.length]);
    });
    line.push([0]);
    await passUntil(() => seen.length === 5);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test('[DLV-1] A delay line takes more items at once than a function call takes arguments', async () => {
    const { line, seen } = delayLine(0);
    const many = Array.from({ length: 200_000 }, (_, index) => index);
    line.push(many);
    await until(() => seen.length === many.length);
    expect(seen.map(({ thing }) => thing)).toEqual(many);
  });

  test('[RUN-4] A stopped delay line gives back what it holds and releases nothing more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 3, 20),
        fc.array(fc.array(fc.integer(), { maxLength: 4 }), { maxLength: 6 }),
        async (delayMs, sets) => {
          const { line, seen } = delayLine(delayMs);
          for (const set of sets) line.push(set);
          if (sets.length % 2 === 1) await nextTurn();
          if (sets.length % 3 === 1) pass(delayMs / 2);
          const out = seen.map(({ thing }) => thing);
          expect([...out, ...line.stop()]).toEqual(sets.flat());
          pass(delayMs + 5);
          await nextTurn();
          expect(seen).toHaveLength(out.length);
        },
      ),
      { numRuns: 30 },
    );
  });
});
