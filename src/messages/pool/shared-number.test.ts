/**
 * Tests jobs that share a pool number for one person: codes tell the jobs apart, and each job gets the answers that
 * name its code.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertRuns } from '../../../test/harness/runs.ts';
import { holder, type Lease, LeaseBook, leaseAfterValidityMs, type Wanted } from './lease-book.ts';
import { answeredOf } from './leases.ts';
import { codeIn, freeCodes, withoutCode } from './reply-codes.ts';

const start = 1_000_000;
const minute = 60_000;
const hour = 60 * minute;
const phone = '46700000001';

/** A store of one person's leases. */
function leasing(numbers: readonly string[]) {
  let leases: readonly Lease[] = [];
  let messageId = 0;
  const poolNow = () =>
    numbers.map((number) => {
      const turns = leases.filter((lease) => lease.number === number).map(({ turn }) => turn);
      return { number, turn: Math.max(0, ...turns), companyId: null };
    });
  const wantedBy = (run: string, now: number, parts: Partial<Wanted> = {}): Wanted => ({
    recipient: phone,
    messageId: ++messageId,
    companyId: 1,
    userId: 1,
    conversation: run,
    holder: holder.job,
    startsAt: now,
    endsAt: now + hour,
    ...parts,
  });
  return {
    /** Leases a number for a text of a run: first without a code, then with the code that the text has to contain. */
    say(run: string, now: number, parts: Partial<Wanted> = {}) {
      const book = new LeaseBook(poolNow(), leases);
      const wanted = wantedBy(run, now, parts);
      const code = book.canLease(wanted, now) ? undefined : book.codeFor(wanted, now);
      const named = { ...wanted, code };
      if (!book.canLease(named, now)) return { number: undefined, code };
      const number = book.lease(named, now);
      leases = [...leases.filter((lease) => !book.ended.includes(lease)), ...book.made];
      expect(new Set(leases.map(({ number: at, messageId: id }) => `${at} ${id}`)).size).toBe(leases.length);
      return { number, code };
    },
    /** Makes the run wait for answers until this time. */
    endAt(run: string, endsAt: number) {
      leases = leases.map((lease) => (lease.conversation === run ? { ...lease, endsAt } : lease));
    },
    answer(number: string, text: string, at: number) {
      const found = leases
        .filter((lease) => lease.number === number)
        .sort((a, b) => b.startsAt - a.startsAt || b.turn - a.turn);
      return answeredOf(found, { text, at });
    },
    liveAt: (now: number) => leases.filter(({ endsAt }) => endsAt > now),
  };
}

describe('a number that jobs share', () => {
  test('[JOB-7] The first job has a number to itself; when a second one joins, both get a code and keep it', () => {
    const { say, answer, endAt } = leasing(['1001']);
    expect(say('a', start)).toEqual({ number: '1001', code: undefined });
    expect(answer('1001', 'YES', start)).toMatchObject({ lease: { conversation: 'a' }, isUnclear: false });
    expect(say('b', start)).toEqual({ number: '1001', code: 62 });
    expect(say('a', start + 1)).toEqual({ number: '1001', code: undefined });
    expect(say('b', start + 2)).toEqual({ number: '1001', code: undefined });
    expect(answer('1001', 'YES', start + 3)).toMatchObject({ isUnclear: true, code: null });
    for (const [text, run] of Object.entries({ 'YES 61': 'a', '61': 'a', 'Ja till 62!': 'b', NEJ62: 'b' }))
      expect(answer('1001', text, start + 3)).toMatchObject({
        lease: { conversation: run },
        isUnclear: false,
      });
    expect(answer('1001', 'YES 77', start + 3)).toMatchObject({ isUnclear: true });
    // Everything except the ended run's code now refers to the run that goes on.
    endAt('b', start + 4);
    expect(answer('1001', 'YES', start + 5)).toMatchObject({
      lease: { conversation: 'a' },
      isUnclear: false,
    });
    expect(answer('1001', 'YES 62', start + 5)).toMatchObject({ lease: { conversation: 'b' }, code: 62 });
    // A code that someone may still answer with is not assigned to the next run.
    expect(say('c', start + 6)).toEqual({ number: '1001', code: 63 });
    expect(say('b', start + 7, { endsAt: start + 7 })).toEqual({ number: '1001', code: undefined });
    expect(answer('1001', 'YES', start + 8)).toMatchObject({ isUnclear: true });
  });

  test('[JOB-7] A job shares a number with no other company, and with no message that waits for an answer', () => {
    const { say } = leasing(['1001']);
    say('a', start);
    expect(say('b', start, { companyId: 2 })).toEqual({ number: undefined, code: undefined });
    expect(say('', start, { holder: holder.message })).toEqual({ number: undefined, code: undefined });
    expect(say('b', start + 2 * hour, { companyId: 2 }).number).toBe('1001');
    expect(say('c', start + 2 * hour)).toEqual({ number: undefined, code: undefined });
  });

  test('[JOB-7] Job codes are found among the first words of an answer, and are neither hours nor counts', () => {
    const codes = new Set([61, 62, 105]);
    const read = (text: string) => codeIn(text, codes);
    expect(['YES 61', 'JA 62', '62', ' 105 yes', 'no62', 'Ja tack, nr 61', 'ＹＥＳ ６１'].map(read)).toEqual([
      ...[61, 62, 62, 105, 62, 61, 61],
    ]);
    expect(['YES', 'YES 6', '161', 'YES 61234', 'yes but I can not be there at 61', ''].map(read)).toEqual(
      Array(6).fill(undefined),
    );
    expect([withoutCode('YES61', 61), withoutCode('62', 62)]).toEqual(['YES ', ' ']);
    const taken = Array.from({ length: 939 }, (_, index) => ({ code: 61 + index, endsAt: start + 1 }));
    expect(freeCodes([], start, 3)).toEqual([61, 62, 63]);
    expect(freeCodes(taken, start, 1)).toEqual([]);
    // All codes have been used, so one that nobody waits for is assigned again.
    expect(freeCodes(taken.with(7, { code: 68, endsAt: start }), start, 2)).toEqual([68]);
  });

  const act = fc.record({
    run: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    what: fc.constantFrom('say', 'say', 'say', 'end', 'extend'),
    after: fc.constantFrom(0, minute, 20 * minute, 100 * hour),
  });

  test('[JOB-7] No two live jobs have the same code, and each answer goes to the job whose code it names', async () => {
    const property = fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 30 }), async (acts) => {
      const store = leasing(['1001', '1002']);
      let now = start;
      const turns = new Map<string, number>();
      const codes = new Map<
        string,
        { readonly number: string; readonly code: number; readonly at: number }
      >();
      for (const { run: name, what, after } of acts) {
        now += after;
        // A run that has ended does not come back; the next one with its name is a different run.
        const run = `${name}${turns.get(name) ?? 0}`;
        const own = store.liveAt(now).find(({ conversation }) => conversation === run);
        if (own === undefined) turns.set(name, 1 + (turns.get(name) ?? 0));
        if (what === 'say') {
          const said = store.say(own === undefined ? `${name}${turns.get(name)}` : run, now);
          expect(said.number).toBe(own?.number ?? said.number);
          expect(said.number).toBeDefined();
        } else if (own !== undefined) store.endAt(run, what === 'end' ? now : now + hour);
        const live = store.liveAt(now);
        const given = new Map(live.map(({ conversation, code }) => [conversation, code] as const));
        const some = [...given.values()].filter((code) => code !== null);
        expect(new Set(some).size).toBe(some.length);
        for (const [conversation, code] of given) {
          const { number } = live.find((one) => one.conversation === conversation) as Lease;
          const others = live.filter((one) => one.number === number && one.conversation !== conversation);
          if (others.length > 0) expect(code).not.toBeNull();
          expect(store.answer(number, 'Yes', now)).toMatchObject({ isUnclear: others.length > 0 });
          if (others.length === 0)
            expect(store.answer(number, 'Yes', now)?.lease.conversation).toBe(conversation);
          if (code === null) continue;
          expect(store.answer(number, `Yes ${code}`, now)?.lease.conversation).toBe(conversation);
          codes.set(conversation, { number, code, at: now });
        }
        // The code of an ended job never refers to another job.
        for (const [conversation, { number, code, at }] of codes)
          if (now - at < leaseAfterValidityMs)
            expect(store.answer(number, `Yes ${code}`, now)?.lease.conversation).toBe(conversation);
      }
    });
    await assertRuns(property, 500);
  });
});
