import { describe, expect, test } from 'vitest';
import { LoginQueue, type WaitingLogin } from './login-queue.ts';

const isGone = () => false;
const stranger = (address: string): WaitingLogin => ({ address, isKnown: false, isGone });
const known = (address: string): WaitingLogin => ({ address, isKnown: true, isGone });

/** Work that runs until it is told to end. */
function heldWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.push(() => resolve(name));
    });
  return { begun, work, end: () => ends.shift()?.() };
}

describe('the queue of password verifications', () => {
  test('[CONV-12] Passwords are verified one at a time, those of users on known networks before all others', async () => {
    const queue = new LoginQueue();
    const { begun, work, end } = heldWork();
    const all = [
      queue.run(stranger('192.0.2.1'), work('first')),
      queue.run(stranger('192.0.2.1'), work('stranger')),
      queue.run(stranger('198.51.100.1'), work('other stranger')),
      queue.run(known('192.0.2.1'), work('known')),
      queue.run(known('192.0.2.1'), work('also known')),
    ];
    expect(begun).toEqual(['first']);
    expect(queue.waiting).toBe(4);
    for (const one of [0, 3, 4, 1, 2]) {
      while (begun.length <= [0, 3, 4, 1, 2].indexOf(one))
        await new Promise((resolve) => setTimeout(resolve, 1));
      end();
      await all[one];
    }
    expect(begun).toEqual(['first', 'known', 'also known', 'stranger', 'other stranger']);
  });

  test('[CONV-12] At most 100 logins of unauthenticated clients wait for verification; others are refused immediately', async () => {
    const queue = new LoginQueue();
    const { work, end } = heldWork();
    const outcomes: string[] = [];
    const join = (waiting: WaitingLogin) =>
      void queue
        .run(waiting, work('any'))
        .catch(({ code, headers }) => outcomes.push(`${code} ${headers['retry-after']}`));
    for (let index = 0; index < 5_000; index++) join(stranger(`10.${index % 250}.${index >> 8}.1`));
    expect(queue.waiting).toBe(100);
    join(known('10.0.0.1'));
    expect(queue.waiting).toBe(101);
    await Promise.resolve();
    expect(outcomes).toHaveLength(4_899);
    expect(new Set(outcomes)).toEqual(new Set(['overloaded 2']));
    end();
  });

  test('[CONV-12] A failed verification passes its turn on, and one whose client has left is skipped', async () => {
    const queue = new LoginQueue();
    const failed = queue.run(known('192.0.2.1'), () => Promise.reject(new Error('store is away')));
    const left = queue.run({ ...known('192.0.2.1'), isGone: () => true }, async () => 'never');
    const next = queue.run(known('192.0.2.1'), async () => 'next');
    await expect(failed).rejects.toThrow('store is away');
    await expect(left).rejects.toMatchObject({ code: 'overloaded' });
    expect(await next).toBe('next');
  });
});
