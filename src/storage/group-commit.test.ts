import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pause, until } from '../../test/harness/awake.ts';
import {
  grouped,
  HeldCommits,
  namesOf,
  other,
  own,
  type Piece,
  piece,
} from '../../test/harness/held-commits.ts';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { ServiceError } from '../foundation/errors.ts';
import { byVerb, GroupCommit, type VerbCall } from './group-commit.ts';
import { storeUnavailable } from './store.ts';

const outcome = (attempt: Promise<unknown>) =>
  attempt.catch((error: unknown) => (error instanceof ServiceError ? error.code : String(error)));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('group commit', () => {
  test('[SEND-5] An idle store commits at once, and calls that arrive meanwhile share the next commit, in their order', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const first = commits.write(piece, { name: 'a', weight: 1 });
    await turn();
    const later = ['b', 'c', 'd'].map((name) => commits.write(piece, { name, weight: 1 }));
    await turn();
    expect(held.names).toEqual([['a']]);
    await held.end(0);
    expect(await first).toBe('a');
    expect(held.names).toEqual([['a'], ['b', 'c', 'd']]);
    await held.end(1);
    expect(await Promise.all(later)).toEqual(['b', 'c', 'd']);
  });

  test('[SEND-5] Calls of one turn of the event loop share a commit, and no call is answered before its commit', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const answered: string[] = [];
    for (const name of ['a', 'b'])
      void commits.write(piece, { name, weight: 1 }).then((answer) => answered.push(answer));
    await turn();
    expect(held.names).toEqual([['a', 'b']]);
    expect(answered).toEqual([]);
    await held.end(0);
    expect(answered).toEqual(['a', 'b']);
  });

  test('[SEND-5] Only the call whose answer is an error is refused, and a missing answer is an error too', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const calls = ['a', 'b', 'c'].map((name) => commits.write(piece, { name, weight: 1 }));
    const results = Promise.allSettled(calls);
    await turn();
    await held.end(0, [{ output: 'a' }, { error: new Error('b is guilty') }]);
    const [a, b, c] = await results;
    expect(a).toEqual({ status: 'fulfilled', value: 'a' });
    expect(b).toMatchObject({ status: 'rejected', reason: { message: 'b is guilty' } });
    expect(c).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('no answer') },
    });
  });

  test('[DLV-7] A commit that throws refuses its whole group, and the next group goes on', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const lost = Promise.allSettled(['a', 'b'].map((name) => commits.write(piece, { name, weight: 1 })));
    await turn();
    const next = commits.write(piece, { name: 'c', weight: 1 });
    await held.end(0, new Error('the disk is gone'));
    for (const result of await lost) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'the disk is gone' } });
    }
    await held.end(1);
    expect(await next).toBe('c');
  });

  test('[DLV-7] Calls that have waited long behind a failing store share its fault; calls that have just come do not', async () => {
    holdTime();
    onTestFinished(letTimeGo);
    const held = new HeldCommits();
    const commits = grouped(held);
    const lost = outcome(commits.write(piece, { name: 'a', weight: 1 }));
    await turn();
    const waited = outcome(commits.write(piece, { name: 'b', weight: 1 }));
    pass(1_100);
    const justCome = outcome(commits.write(piece, { name: 'c', weight: 1 }));
    expect(commits.waitMs(piece)).toBeGreaterThan(1_000);
    await held.end(0, storeUnavailable(new Error('silent')));
    expect(await Promise.all([lost, waited])).toEqual(['store_unavailable', 'store_unavailable']);
    expect(commits.worksFor(piece)).toBe(false);
    expect(held.names).toEqual([['a'], ['c']]);
    await held.end(1);
    expect(await justCome).toBe('c');
    expect(commits.worksFor(piece)).toBe(true);
    expect([commits.waitMs(piece), commits.waitingWeight]).toEqual([0, 0]);
  });

  test('[DLV-7] A lane that is stuck refuses new calls, and other lanes go on', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const stuck = outcome(commits.write(piece, { name: 'a', weight: 1 }));
    await turn();
    expect(commits.worksFor(piece)).toBe(true);
    await until(() => !commits.worksFor(piece));
    expect(commits.worksFor(other)).toBe(true);
    expect(await outcome(commits.write(piece, { name: 'b', weight: 1 }))).toBe('store_unavailable');
    const beside = outcome(commits.write(other, { name: 'c', weight: 1 }));
    await turn();
    await held.end(1);
    expect(await beside).toBe('c');
    await held.end(0);
    expect(await stuck).toBe('a');
    expect(commits.worksFor(piece)).toBe(true);
  });

  test('[DLV-7] A process that was itself stalled does not take its store for stalled', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const first = outcome(commits.write(piece, { name: 'a', weight: 1 }));
    await turn();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(commits.worksFor(piece)).toBe(true);
    const second = outcome(commits.write(piece, { name: 'b', weight: 1 }));
    await held.end(0);
    await turn();
    await held.end(1);
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  test('[DLV-7] Each verb counts as failing separately, even in a shared lane or when it waited behind another’s fault', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { lane: () => 'all' });
    const works = () => [piece, other].map((verb) => commits.worksFor(verb));
    const lost = outcome(commits.write(other, { name: 'a', weight: 1 }));
    await turn();
    await held.end(0, storeUnavailable(new Error('locked')));
    expect(await lost).toBe('store_unavailable');
    expect(works()).toEqual([true, false]);
    const lostAgain = outcome(commits.write(other, { name: 'b', weight: 1 }));
    await turn();
    const behind = outcome(commits.write(piece, { name: 'c', weight: 1 }));
    await pause(1_100);
    await held.end(1, storeUnavailable(new Error('locked')));
    expect(await Promise.all([lostAgain, behind])).toEqual(['store_unavailable', 'store_unavailable']);
    expect(works()).toEqual([false, false]);
    const next = commits.write(piece, { name: 'd', weight: 1 });
    await turn();
    await held.end(2);
    expect(await next).toBe('d');
    expect(works()).toEqual([true, false]);
  });

  test('[DLV-8] A call past the bound is refused as overload, with Retry-After, and the next is accepted once there is room', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { maxGroupWeight: 5, maxWaitingWeight: 10 });
    const taken = ['a', 'b'].map((name) => commits.write(piece, { name, weight: 5 }));
    expect(commits.waitingWeight).toBe(10);
    const refused = await commits.write(piece, { name: 'c', weight: 5 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ code: 'overloaded', status: 503, headers: { 'retry-after': '1' } });
    await turn();
    expect(commits.waitingWeight).toBe(5);
    const next = commits.write(piece, { name: 'd', weight: 5 });
    for (const index of [0, 1, 2]) await held.end(index);
    expect(await Promise.all([...taken, next])).toEqual(['a', 'b', 'd']);
  });

  test('[DLV-8] The node’s own work is accepted even when a caller’s is refused', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { maxWaitingWeight: 10 });
    const full = commits.write(piece, { name: 'full', weight: 10 });
    await expect(commits.write(piece, { name: 'caller', weight: 1 })).rejects.toMatchObject({
      code: 'overloaded',
    });
    const beat = commits.write(own, { name: 'beat', weight: 1 });
    await turn();
    for (const index of [0, 1]) await held.end(index);
    expect(await Promise.all([full, beat])).toEqual(['full', 'beat']);
  });

  test('[DLV-8] [CONV-12] Calls heavier than any bound go alone, and take no room from the others', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    const heavy = commits.write(piece, { name: 'heavy', weight: 5_000 });
    await expect(commits.write(piece, { name: 'heavier', weight: 5_001 })).rejects.toMatchObject({
      code: 'overloaded',
    });
    const light = commits.write(piece, { name: 'light', weight: 1 });
    expect(commits.waitingWeight).toBe(5_001);
    await turn();
    await held.end(0);
    await held.end(1);
    expect(await Promise.all([heavy, light])).toEqual(['heavy', 'light']);
    expect(held.names.flat().sort()).toEqual(['heavy', 'light']);
    expect(commits.waitingWeight).toBe(0);
  });

  test('[DLV-8] Lanes do not wait for each other, but share the bound on what may wait', async () => {
    const held = new HeldCommits();
    const commits = grouped(held, { maxWaitingWeight: 3 });
    const slow = commits.write(piece, { name: 'slow', weight: 1 });
    await turn();
    const behind = commits.write(piece, { name: 'behind', weight: 3 });
    await expect(commits.write(other, { name: 'refused', weight: 1 })).rejects.toMatchObject({
      code: 'overloaded',
    });
    await held.end(0);
    const beside = commits.write(other, { name: 'beside', weight: 1 });
    await turn();
    expect(held.names).toEqual([['slow'], ['behind'], ['beside']]);
    await held.end(2);
    expect(await beside).toBe('beside');
    await held.end(1);
    expect(await Promise.all([slow, behind])).toEqual(['slow', 'behind']);
  });

  test('[RUN-4] Group commit is idle only when nothing waits or is under way', async () => {
    const held = new HeldCommits();
    const commits = grouped(held);
    await commits.idle();
    let idle = false;
    const answers = [commits.write(piece, { name: 'a', weight: 1 })];
    void commits.idle().then(() => {
      idle = true;
    });
    await turn();
    answers.push(commits.write(piece, { name: 'b', weight: 1 }));
    await held.end(0);
    expect(idle).toBe(false);
    await held.end(1);
    expect(idle).toBe(true);
    expect(await Promise.all(answers)).toEqual(['a', 'b']);
  });

  test('[SEND-5] [DLV-8] Each call is answered once, in order and in groups within the bounds, whatever arrives and whenever', async () => {
    const arrival = fc.record({ weight: fc.integer({ min: 1, max: 15 }), pause: fc.boolean() });
    const shape = fc.record({
      depth: fc.integer({ min: 1, max: 3 }),
      maxGroupWeight: fc.integer({ min: 1, max: 20 }),
      earlyGroup: fc.integer({ min: 2, max: 6 }),
      gatherTurns: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { maxLength: 60 }), shape, async (arrivals, bounds) => {
        const groups: (readonly VerbCall[])[] = [];
        let underWay = 0;
        const commits = new GroupCommit({
          ...bounds,
          lane: () => 'one',
          maxWaitingWeight: 1_000,
          commit: async (group) => {
            groups.push(group);
            underWay += 1;
            expect(underWay).toBeLessThanOrEqual(bounds.depth);
            await turn();
            underWay -= 1;
            return group.map((call) => ({ output: (call.input as Piece).name }));
          },
        });
        const answers: Promise<string>[] = [];
        for (const [index, { weight, pause }] of arrivals.entries()) {
          answers.push(commits.write(piece, { name: String(index), weight }));
          if (pause) await turn();
        }
        const expected = arrivals.map((_, index) => String(index));
        expect(await Promise.all(answers)).toEqual(expected);
        await commits.idle();
        expect(commits.waitingWeight).toBe(0);
        const isLarge = (name: string) => (arrivals[Number(name)]?.weight ?? 0) > bounds.maxGroupWeight;
        const order = groups.flatMap(namesOf);
        expect(order.filter(isLarge)).toEqual(expected.filter(isLarge));
        expect(order.filter((name) => !isLarge(name))).toEqual(expected.filter((name) => !isLarge(name)));
        for (const group of groups) {
          const weight = group.reduce((sum, call) => sum + call.weight, 0);
          expect(group.length === 1 || weight <= bounds.maxGroupWeight).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('[SEND-5] A group is split into one step per verb, each with its calls in their order', () => {
    const calls = [piece, other, piece, other, other].map((verb) => ({ verb }));
    expect(byVerb<{ readonly name: string }>(calls)).toEqual([
      { verb: piece, indexes: [0, 2] },
      { verb: other, indexes: [1, 3, 4] },
    ]);
  });
});
