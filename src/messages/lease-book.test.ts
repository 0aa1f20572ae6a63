import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holder, type Lease, LeaseBook, type Wanted } from './lease-book.ts';

const now = 1_000_000;
const hour = 3_600_000;
const numbers = ['1001', '1002', '1003'];

let nextMessage = 1;
function wanted(parts: Partial<Wanted> = {}): Wanted {
  return {
    ...{ recipient: '46700000001', messageId: nextMessage++, companyId: 1, userId: 1, conversation: '' },
    ...{ holder: holder.message, startsAt: now, endsAt: now + hour, ...parts },
  };
}

function poolOf(leases: readonly Lease[], pool = numbers) {
  return pool.map((number) => {
    const turns = leases.filter((lease) => lease.number === number).map(({ turn }) => turn);
    return { number, turn: Math.max(0, ...turns) };
  });
}

/** The leases as the store has them after a book was kept. */
function kept(before: readonly Lease[], book: LeaseBook): readonly Lease[] {
  return [...before.filter((lease) => !book.ended.includes(lease)), ...book.made];
}

/** A store of leases, with a fresh book for each. */
function leasing() {
  let leases: readonly Lease[] = [];
  return {
    lease(parts: Partial<Wanted>, at = now, pool = numbers) {
      const book = new LeaseBook(poolOf(leases, pool), leases);
      const number = book.lease(wanted({ startsAt: at, endsAt: at + hour, ...parts }), at);
      leases = kept(leases, book);
      return number;
    },
    canLease: (recipient: string, at = now) =>
      new LeaseBook(poolOf(leases), leases).canLease(wanted({ recipient }), at),
    get all() {
      return leases;
    },
  };
}

describe('the book of leases', () => {
  test('[SEND-16] without a pool there is nothing to lease', () => {
    const book = new LeaseBook([], []);
    expect(book.canLease(wanted(), now)).toBe(false);
    expect(book.lease(wanted(), now)).toBeUndefined();
    expect(book.made).toEqual([]);
  });

  test('[SEND-16] a lease that is over leaves its number free, yet its conversation comes back to it', () => {
    const { lease } = leasing();
    expect(lease({ conversation: 'a' })).toBe('1001');
    expect(lease({ conversation: 'b' })).toBe('1002');
    expect(lease({ conversation: 'a' }, now + 2 * hour)).toBe('1001');
    expect(lease({ conversation: 'c' }, now + 2 * hour)).toBe('1003');
    expect(lease({ conversation: 'd' }, now + 2 * hour)).toBe('1002');
    expect(lease({ conversation: 'b' }, now + 2 * hour)).toBe('1001');
  });

  test('[SEND-16] a shorter validity does not shorten the lease of a conversation', () => {
    const store = leasing();
    store.lease({ conversation: 'a', endsAt: now + 9 * hour });
    store.lease({ conversation: 'a', endsAt: now + hour }, now + 1);
    expect(store.all.map(({ endsAt }) => endsAt).sort()).toEqual([now + 1, now + 9 * hour]);
  });

  test('[SEND-16] a number on which a live job waits for the recipient is never given away', () => {
    const store = leasing();
    const job = { holder: holder.job, conversation: 'job' };
    for (const number of numbers) store.lease({ ...job, conversation: `job ${number}` });
    expect(store.canLease('46700000001')).toBe(false);
    expect(store.lease({})).toBeUndefined();
    expect(store.canLease('46700000002')).toBe(true);
    expect(store.lease({ recipient: '46700000002' })).toBe('1001');
    expect(store.canLease('46700000001', now + 2 * hour)).toBe(true);
    expect(store.lease({}, now + 2 * hour)).toBe('1002');
  });

  test('[SEND-16] a number that left the pool is not taken, not even by its conversation', () => {
    const { lease } = leasing();
    expect(lease({ conversation: 'a' })).toBe('1001');
    expect(lease({ conversation: 'a' }, now, ['1002'])).toBe('1002');
  });

  const request = fc.record({
    recipient: fc.constantFrom('1', '2'),
    userId: fc.constantFrom(1, 2),
    conversation: fc.constantFrom('', 'a', 'b', 'c', 'd'),
    holder: fc.constantFrom(holder.message, holder.message, holder.job),
    after: fc.integer({ min: 0, max: hour }),
    delay: fc.constantFrom(0, 0, 0, 2 * hour),
    newBook: fc.boolean(),
  });

  test('[SEND-16] live conversations share a number only when none is free, and jobs never', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        let stored: readonly Lease[] = [];
        let book = new LeaseBook(poolOf(stored), stored);
        let at = now;
        for (const { after, delay, newBook, ...parts } of requests) {
          at += after;
          if (newBook) {
            stored = kept(stored, book);
            book = new LeaseBook(poolOf(stored), stored);
          }
          const startsAt = at + delay;
          const before = kept(stored, book);
          const live = before.filter(({ recipient, endsAt }) => recipient === parts.recipient && endsAt > at);
          const number = book.lease(wanted({ ...parts, startsAt, endsAt: startsAt + hour }), at);
          const jobs = live.filter((lease) => lease.holder === holder.job);
          const isOwn = (lease: Lease) =>
            lease.conversation !== '' &&
            lease.conversation === parts.conversation &&
            lease.userId === parts.userId &&
            lease.holder === parts.holder;
          const others = live.filter((lease) => lease.number === number && !isOwn(lease));
          const free = numbers.filter((one) => live.every((lease) => lease.number !== one));
          if (number === undefined) expect(new Set(jobs.map((job) => job.number)).size).toBe(numbers.length);
          if (others.length > 0) expect(free).toEqual([]);
          expect(others.filter((lease) => lease.holder === holder.job)).toEqual([]);
          // Of those that have begun, the newest is the one that answers belong to, and few others are kept.
          const begun = kept(stored, book).filter(
            (lease) => lease.startsAt <= at && lease.recipient === parts.recipient && lease.number === number,
          );
          if (delay === 0 && number !== undefined) {
            expect(begun.length).toBeLessThanOrEqual(2);
            expect(begun.filter(({ endsAt }) => endsAt > at)).toMatchObject([
              { conversation: parts.conversation, userId: parts.userId, startsAt: at },
            ]);
          }
        }
      }),
    );
  });
});
