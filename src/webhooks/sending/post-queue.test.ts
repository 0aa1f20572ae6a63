import { expect, test } from 'vitest';
import { Breaker } from '../../foundation/breaker.ts';
import {
  disableAfterMs,
  type Outcome,
  type Post,
  PostQueue,
  postBackoff,
  type QueuedEvent,
  type Retry,
} from './post-queue.ts';

const well = { failures: 0, failingSince: null, nextAt: 0 };
const event = (seq: number, subjectId = seq, data = '{}'): QueuedEvent => ({
  seq,
  subjectId,
  data,
  type: 0,
  at: 0,
  queuedAt: 0,
});
const taken: Outcome = { isTaken: true, isPosted: true, isGone: false, askedMs: undefined, chance: 0.5 };
const failed: Outcome = { ...taken, isTaken: false };
const retryOf = (seq: number, tries = 1): Retry => ({
  firstSeq: seq,
  seqs: [seq],
  subjects: [seq],
  oldestAt: 0,
  tries,
  dueAt: 0,
  isKept: true,
});

/** Posts as many at a time as it may, and returns the event numbers in order. */
function postAll(queue: PostQueue, now: number, outcomeOf: (post: Post) => Outcome = () => taken): number[] {
  const seqs: number[] = [];
  for (let post = queue.next(now); post !== undefined; post = queue.next(now)) {
    seqs.push(...post.seqs);
    queue.settle(post, outcomeOf(post), now);
  }
  return seqs;
}

test('[EVT-2] An event that is stored as a retry is not posted again as a new one after a restart', () => {
  const queue = new PostQueue({ batch: false, doneSeq: 0, breaker: well, retries: [retryOf(2), retryOf(4)] });
  queue.offer(
    [1, 2, 3, 4, 5].map((seq) => event(seq)),
    5,
  );
  expect(postAll(queue, 1).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(queue.doneSeq).toBe(5);
});

test('[HOOK-4] A single webhook post that is never accepted does not keep the breaker open', () => {
  const retries = [retryOf(1), retryOf(2), retryOf(3)];
  const breaker = { failures: 5, failingSince: 0, nextAt: 0 };
  const queue = new PostQueue({ batch: false, doneSeq: 3, breaker, retries });
  const outcomeOf = ({ seqs }: Post) => (seqs.includes(1) ? failed : taken);
  const posted: number[] = [];
  for (let now = 1; now < 3_600_000; now += 600_000) posted.push(...postAll(queue, now, outcomeOf));
  expect(posted.filter((seq) => seq > 1).sort()).toEqual([2, 3]);
});

test('[HOOK-3] A post of many events has at most 256 kB, whatever characters they are written in', () => {
  const queue = new PostQueue({ batch: true, doneSeq: 0, breaker: well, retries: [] });
  queue.offer(
    Array.from({ length: 500 }, (_, place) => event(place + 1, place, '✓'.repeat(1_000))),
    500,
  );
  const post = queue.next(1);
  const bytes = (post?.events ?? []).reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  expect(bytes).toBeGreaterThan(200 * 1_024);
  expect(bytes).toBeLessThanOrEqual(256 * 1_024);
});

test('[HOOK-4] A receiver that asks for a pause gets it, even if it accepts a post that was under way', () => {
  const queue = new PostQueue({ batch: false, doneSeq: 0, breaker: well, retries: [] });
  queue.offer([event(1), event(2), event(3)], 3);
  const [first, second] = [queue.next(1), queue.next(1)] as [Post, Post];
  queue.settle(first, { ...failed, askedMs: 60_000 }, 1);
  queue.settle(second, taken, 2);
  expect(queue.next(50_000)).toBeUndefined();
  expect(queue.next(60_001)?.seqs).toEqual([1]);
});

test('[HOOK-4] A post that was removed from the queue meanwhile says nothing about the receiver', () => {
  const breaker = { failures: 9, failingSince: 1, nextAt: 0 };
  const queue = new PostQueue({ batch: false, doneSeq: 2, breaker, retries: [retryOf(1), retryOf(2)] });
  const [probe] = [queue.next(5)] as [Post];
  expect(queue.settle(probe, { ...taken, isPosted: false }, 5).removed).toEqual([1]);
  expect(queue.breaker).toEqual(breaker);
});

test('[HOOK-4] An accepted post brings forward posts that have failed, whether or not the receiver was seen to be away', () => {
  const retries = [1, 2, 3].map((seq) => ({ ...retryOf(seq), dueAt: 1_000_000 }));
  const queue = new PostQueue({ batch: false, doneSeq: 3, breaker: well, retries });
  expect(queue.next(1)).toBeUndefined();
  queue.offer([event(4)], 4);
  expect(postAll(queue, 2)).toEqual([4, 1, 2, 3]);
  const away = new PostQueue({
    batch: false,
    doneSeq: 3,
    breaker: { failures: 5, failingSince: 0, nextAt: 0 },
    retries: [...retries.slice(1), retryOf(1, 20)].map((retry) => ({ ...retry, dueAt: 1_000_000 })),
  });
  expect(postAll(away, 1)).toEqual([2, 1, 3]);
});

test('[HOOK-4] A post that is refused again and again while others are accepted keeps to its pauses', () => {
  const queue = new PostQueue({ batch: false, doneSeq: 0, breaker: well, retries: [] });
  const outcomeOf = ({ seqs }: Post) => (seqs.includes(1) ? failed : taken);
  let tries = 0;
  for (let seq = 1; seq <= 100; seq += 1) {
    queue.offer([event(seq)], seq);
    tries += postAll(queue, seq, outcomeOf).filter((one) => one === 1).length;
  }
  expect(tries).toBe(5);
  expect(postAll(queue, 3_600_000, outcomeOf)).toEqual([1]);
});

test('[HOOK-4] A receiver that was away for twenty seconds is tried again within five seconds of its return', () => {
  const queue = new PostQueue({ batch: false, doneSeq: 0, breaker: well, retries: [] });
  queue.offer([event(1)], 1);
  const triedAt: number[] = [];
  for (let now = 0; now <= 25_000; now = queue.dueAt()) {
    triedAt.push(now);
    postAll(queue, now, () => (now < 20_000 ? failed : taken));
  }
  expect(triedAt.filter((at) => at >= 20_000).length).toBeGreaterThan(0);
});

test('[HOOK-4] A clock that is set back by two hours makes no pause between webhook posts longer', () => {
  const hours = 2 * 3_600_000;
  const queue = new PostQueue({ batch: false, doneSeq: 0, breaker: well, retries: [] });
  queue.offer([event(1)], 1);
  queue.settle(queue.next(hours) as Post, failed, hours);
  queue.setBack(hours);
  expect(queue.next(999)).toBeUndefined();
  expect(queue.next(1_000)?.seqs).toEqual([1]);
  const away = { failures: 6, failingSince: hours, nextAt: hours + 2_000 };
  const retries = [{ ...retryOf(1, 6), dueAt: hours + 5_000 }];
  const probing = new PostQueue({ batch: false, doneSeq: 1, breaker: away, retries });
  probing.setBack(hours);
  expect(probing.next(1_999)).toBeUndefined();
  expect(probing.next(2_000)).toMatchObject({ seqs: [1], isProbe: true });
});

test('[HOOK-4] Five days of failures disable a webhook, not counting clock changes or time when the server was down', () => {
  const hour = 3_600_000;
  const start = 1_000 * 24 * hour;
  /** Fails at every allowed try until a given time, and then at the later times. */
  const failing = (until: number, ...later: readonly number[]) => {
    const breaker = new Breaker(well, postBackoff);
    const fail = (now: number) => breaker.fail({ isProbe: true, now, chance: 0.5, askedMs: undefined });
    for (let now = start; now <= until; now = Math.max(now + 60_000, breaker.state.nextAt)) fail(now);
    for (const now of later) fail(now);
    return breaker.failingForMs(later.at(-1) ?? until) >= disableAfterMs;
  };
  expect(failing(start + 121 * hour)).toBe(true);
  expect(failing(start + 119 * hour)).toBe(false);
  // The clock is set while the receiver has been away for a minute or for a day.
  expect(failing(start + 60_000, start + 120 * hour)).toBe(false);
  expect(failing(start + 24 * hour, start + 200 * hour)).toBe(false);
  expect(failing(start + 24 * hour, start - 200 * hour, start + 24 * hour)).toBe(false);
});

test('[HOOK-5] A replay is the probe if nothing else waits, and otherwise stays behind it', () => {
  const breaker = { failures: 5, failingSince: 0, nextAt: 10 };
  const calm = new PostQueue({ batch: false, doneSeq: 3, breaker, retries: [] });
  expect(calm.mayReplay(5)).toBe(false);
  const post = calm.replay([event(1)], 2, 20) as Post;
  expect(post).toMatchObject({ kind: 'replay', isProbe: true, tries: 2 });
  expect(calm.mayReplay(20)).toBe(false);
  calm.settle(post, taken, 21);
  expect(calm.breaker).toEqual(well);
  const busy = new PostQueue({ batch: false, doneSeq: 3, breaker, retries: [retryOf(2)] });
  expect(busy.next(20)?.isProbe).toBe(true);
  expect(busy.mayReplay(20)).toBe(false);
});
