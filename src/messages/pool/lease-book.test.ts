import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holder, type Lease, LeaseBook, type Wanted } from './lease-book.ts';

const now = 1_000_000;
const hour = 3_600_000;
const numbers = ['1001', '1002', '1003'];

let nextMessage = 1;
function wanted(parts: Partial<Wanted> = {}): Wanted {
  return {
    recipient: '46700000001',
    messageId: nextMessage++,
    companyId: 1,
    userId: 1,
    conversation: '',
    holder: holder.message,
    startsAt: now,
    endsAt: now + hour,
    ...parts,
  };
}

/** A number that only company 2 may use. */
const ofCompany2 = '2001';

function poolOf(leases: readonly Lease[], pool = numbers) {
  return pool.map((number) => {
    const turns = leases.filter((lease) => lease.number === number).map(({ turn }) => turn);
    return { number, turn: Math.max(0, ...turns), companyId: number === ofCompany2 ? 2 : null };
  });
}

/** The leases in the store after a book was saved. */
function kept(before: readonly Lease[], book: LeaseBook): readonly Lease[] {
  return [...before.filter((lease) => !book.ended.includes(lease)), ...book.made];
}

/** A store of leases, with a fresh book for each new lease. */
function leasing() {
  let leases: readonly Lease[] = [];
  return {
    lease(parts: Partial<Wanted>, at = now, pool = numbers) {
      const book = new LeaseBook(poolOf(leases, pool), leases);
      const number = book.lease(wanted({ startsAt: at, endsAt: at + hour, ...parts }), at);
      leases = kept(leases, book);
      return number;
    },
    canLease: (recipient: string, at = now, parts: Partial<Wanted> = {}) =>
      new LeaseBook(poolOf(leases), leases).canLease(
        wanted({ recipient, startsAt: at, endsAt: at + hour, ...parts }),
        at,
      ),
    get all() {
      return leases;
    },
  };
}

describe('the book of leases', () => {
  test('[SEND-16] Without a pool no number can be leased', () => {
    const book = new LeaseBook([], []);
    expect(book.canLease(wanted(), now)).toBe(false);
    expect(book.lease(wanted(), now)).toBeUndefined();
    expect(book.made).toEqual([]);
  });

  test('[SEND-16] After a lease has ended its number is free, but its conversation comes back to it', () => {
    const { lease } = leasing();
    expect(lease({ conversation: 'a' })).toBe('1001');
    expect(lease({ conversation: 'b' })).toBe('1002');
    expect(lease({ conversation: 'a' }, now + 2 * hour)).toBe('1001');
    expect(lease({ conversation: 'c' }, now + 2 * hour)).toBe('1003');
    expect(lease({ conversation: 'd' }, now + 2 * hour)).toBe('1002');
    expect(lease({ conversation: 'b' }, now + 2 * hour)).toBe('1001');
  });

  test('[SEND-16] A shorter validity does not shorten the lease of a conversation', () => {
    const store = leasing();
    store.lease({ conversation: 'a', endsAt: now + 9 * hour });
    store.lease({ conversation: 'a', endsAt: now + hour }, now + 1);
    expect(store.all.map(({ endsAt }) => endsAt).sort()).toEqual([now + 1, now + 9 * hour]);
  });

  test('[SEND-16] A number on which a live job waits for the recipient is never given away', () => {
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

  test('[SEND-16] A number that left the pool is not leased, even by its conversation', () => {
    const { lease } = leasing();
    expect(lease({ conversation: 'a' })).toBe('1001');
    expect(lease({ conversation: 'a' }, now, ['1002'])).toBe('1002');
  });

  test('[SEND-16] A live lease is never given to another company, which then cannot send to that recipient', () => {
    const store = leasing();
    const other = { companyId: 2, userId: 3 };
    for (const conversation of ['a', 'b', 'c']) store.lease({ conversation });
    expect(store.canLease('46700000001', now, other)).toBe(false);
    expect(store.lease(other)).toBeUndefined();
    expect(store.canLease('46700000002', now, other)).toBe(true);
    // Within the company the oldest lease goes, even if it belongs to another user.
    expect(store.lease({ userId: 2 })).toBe('1001');
    expect(store.lease(other, now + hour)).toBe('1002');
    // The conversation that had the number returns, and finds the number leased to another conversation.
    expect(store.lease({ conversation: 'b' }, now + hour)).toBe('1003');
  });

  test('[SEND-16] A lease that is still to begin keeps its number for its own time only', () => {
    const store = leasing();
    const other = { companyId: 2, userId: 3 };
    const planned = { startsAt: now + 2 * hour, endsAt: now + 3 * hour, conversation: 'a' };
    expect(store.lease(planned, now, ['1001'])).toBe('1001');
    expect(store.lease({ ...other, endsAt: now + 2 * hour + 1 }, now, ['1001'])).toBeUndefined();
    expect(store.lease({ ...other, endsAt: now + 2 * hour, conversation: 'x' }, now, ['1001'])).toBe('1001');
    // The lease is not extended into the time of the other, and the other does not begin earlier.
    expect(store.lease({ ...other, conversation: 'x' }, now + 90 * 60_000, ['1001'])).toBeUndefined();
    expect(store.lease({ conversation: 'a' }, now + hour, ['1001'])).toBeUndefined();
    expect(store.lease({ conversation: 'a' }, now + 2 * hour, ['1001'])).toBe('1001');
  });

  test('[SEND-16] A number kept for one company is leased by that company alone, and before shared numbers', () => {
    const { lease } = leasing();
    const pool = ['1001', ofCompany2];
    const other = { companyId: 2, userId: 3 };
    expect(lease({ ...other, conversation: 'a' }, now, pool)).toBe(ofCompany2);
    expect(lease({ ...other, conversation: 'b' }, now, pool)).toBe('1001');
    expect(lease({ ...other, conversation: 'c' }, now, pool)).toBe(ofCompany2);
    expect(lease({}, now, pool)).toBeUndefined();
    expect(lease({ recipient: '46700000002' }, now, pool)).toBe('1001');
    expect(lease({ recipient: '46700000002' }, now, [ofCompany2])).toBeUndefined();
    // A conversation that had the number while the number was shared continues from another number.
    expect(lease({ recipient: '3', conversation: 'a' }, now, ['1002'])).toBe('1002');
    const own = [{ number: '1002', turn: 0, companyId: 2 }];
    const stored = { number: '1002', turn: 1, code: null, unclear: null };
    const before = [{ ...wanted({ recipient: '3', conversation: 'a' }), ...stored }];
    const book = new LeaseBook([...own, { number: '1001', turn: 0, companyId: null }], before);
    expect(book.lease(wanted({ recipient: '3', conversation: 'a' }), now)).toBe('1001');
  });

  const request = fc.record({
    recipient: fc.constantFrom('1', '2'),
    userId: fc.constantFrom(1, 2, 3),
    conversation: fc.constantFrom('', 'a', 'b', 'c', 'd'),
    holder: fc.constantFrom(holder.message, holder.message, holder.job),
    after: fc.integer({ min: 0, max: hour / 4 }),
    delay: fc.constantFrom(0, 0, 0, 2 * hour),
    newBook: fc.boolean(),
  });

  test('[SEND-16] Live conversations share a number only when none is free, and jobs and companies never do', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60, size: 'max' }), (requests) => {
        let stored: readonly Lease[] = [];
        const pool = [...numbers, ofCompany2];
        let book = new LeaseBook(poolOf(stored, pool), stored);
        let at = now;
        for (const { after, delay, newBook, ...asked } of requests) {
          const parts = { ...asked, companyId: asked.userId === 3 ? 2 : 1 };
          const usable = parts.companyId === 2 ? pool : numbers;
          at += after;
          if (newBook) {
            stored = kept(stored, book);
            book = new LeaseBook(poolOf(stored, pool), stored);
          }
          const startsAt = at + delay;
          const before = kept(stored, book);
          const live = before.filter(({ recipient, endsAt }) => recipient === parts.recipient && endsAt > at);
          const number = book.lease(wanted({ ...parts, startsAt, endsAt: startsAt + hour }), at);
          const isOwn = (lease: Lease) =>
            lease.conversation !== '' &&
            lease.conversation === parts.conversation &&
            lease.userId === parts.userId &&
            lease.holder === parts.holder;
          const isKept = (lease: Lease) => {
            if (isOwn(lease)) return false;
            if (lease.holder === holder.job) return true;
            const overlaps = lease.startsAt < startsAt + hour && startsAt < lease.endsAt;
            return lease.companyId !== parts.companyId && overlaps;
          };
          const keptNumbers = live.filter(isKept).map((lease) => lease.number);
          const ownNumbers = live.filter((lease) => lease.companyId === parts.companyId);
          const taken = [...keptNumbers, ...ownNumbers.map((lease) => lease.number)];
          const shared = ownNumbers.filter((lease) => lease.number === number && !isOwn(lease));
          if (number === undefined) expect(usable.filter((one) => !keptNumbers.includes(one))).toEqual([]);
          else expect(usable).toContain(number);
          expect(keptNumbers).not.toContain(number);
          if (shared.length > 0) expect(usable.filter((one) => !taken.includes(one))).toEqual([]);
          // No other company loses any of its time.
          const leasesThen = kept(stored, book);
          for (const lease of live.filter(({ companyId }) => companyId !== parts.companyId))
            expect(leasesThen).toContainEqual(lease);
          // Of the leases that have begun, the newest receives the answers, and only a few others are kept.
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
