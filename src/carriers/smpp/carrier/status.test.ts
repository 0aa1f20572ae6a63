import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StallTimes } from '../../stall-times.ts';
import { newLinkCounters } from '../link/counters.ts';
import { type LinkState, smppStatus } from './status.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const up = { isBound: true, reason: null, role: 'transceiver' } as const;
const down = { isBound: false, reason: 'the SMSC unbound', role: 'transceiver' } as const;

function link(changes: Partial<LinkState> = {}): LinkState {
  return {
    window: 10,
    binds: [up],
    counters: newLinkCounters(),
    stallTimes: new StallTimes(performance.now()),
    roundTripMs: undefined,
    underWay: 0,
    waiting: 0,
    isStopping: false,
    ...changes,
  };
}

const starting = { state: 'starting', since: 5, reason: null, figures: {} } as const;

describe('the status of an SMPP carrier', () => {
  test('[DLV-3] An SMPP carrier is up while a bind that submits is up, down once all have failed, and starting before', () => {
    expect(smppStatus(starting, 9, link({ binds: [{ ...down, reason: null }] }))).toMatchObject(starting);
    expect(smppStatus(starting, 9, link())).toMatchObject({ state: 'up', since: 9, reason: null });
    const some = smppStatus(starting, 9, link({ binds: [up, down] }));
    expect(some).toMatchObject({ state: 'up', reason: '1 of 2 binds are not up: the SMSC unbound' });
    const none = smppStatus(some, 12, link({ binds: [{ ...up, role: 'receiver' }, down] }));
    expect(none).toMatchObject({ state: 'down', since: 12, reason: 'the SMSC unbound' });
    expect(smppStatus(none, 15, link({ binds: [down] }))).toMatchObject({ since: 12 });
  });

  test('[DLV-3] The carrier’s status says when the window limits it, and the rate that this allows', () => {
    const stallTimes = new StallTimes(performance.now());
    stallTimes.note('window');
    vi.advanceTimersByTime(20_000);
    const { reason, figures } = smppStatus(
      starting,
      9,
      link({ stallTimes, binds: [up, up], roundTripMs: 50 }),
    );
    expect(reason).toBe(
      'window-limited: 2 × 10 parts may await a response, and a response takes about 50 ms: no more than 400 parts/s; ask the operator for a larger window or more binds',
    );
    expect(figures).toMatchObject({ windowLimitedShare: 1, windowLimitedSeconds: 20, windowParts: 20 });
    stallTimes.note('none');
    vi.advanceTimersByTime(20_000);
    expect(smppStatus(starting, 9, link({ stallTimes })).reason).toBeNull();
  });

  test('[DLV-3] The carrier’s status says when the SMSC throttles it', () => {
    const stallTimes = new StallTimes(performance.now());
    stallTimes.note('throttled');
    vi.advanceTimersByTime(9_000);
    expect(smppStatus(starting, 9, link({ stallTimes })).reason).toMatch(/^throttled: .* set throughput/);
  });
});

describe('what held submissions up', () => {
  test('[DLV-3] The time that submissions were held up is given in seconds, and as a share of the last ten or so seconds', () => {
    const stallTimes = new StallTimes(performance.now());
    for (let second = 0; second < 60; second++) {
      stallTimes.note('window');
      vi.advanceTimersByTime(250);
      stallTimes.note('throughput');
      vi.advanceTimersByTime(750);
    }
    expect(stallTimes.seconds('window', performance.now())).toBeCloseTo(15);
    expect(stallTimes.seconds('throughput', performance.now())).toBeCloseTo(45);
    expect(stallTimes.share('window', performance.now())).toBeCloseTo(0.25, 1);
    expect(stallTimes.share('throughput', performance.now())).toBeCloseTo(0.75, 1);
    expect(stallTimes.share('link', performance.now())).toBe(0);
  });
});
