import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedChanges } from '../../test/harness/message-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import {
  combineParts,
  isFinal,
  mayBecome,
  parseMessageId,
  type StatusName,
  status,
  statusNames,
} from './message.ts';

/** The status names by code, as the API contract lists them. */
const listed: readonly StatusName[] = [
  ...([
    'QUEUED',
    'SENT',
    'DELIVERED',
    'DELETED',
    'EXPIRED',
    'REJECTED',
    'UNDELIVERABLE',
    'ACCEPTED',
  ] as const),
  ...(['ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER', 'INVALIDDESTINATION', 'SUBSCRIBERERROR', 'UNKNOWN'] as const),
  ...(['ERROR', 'SCHEDULED', 'CANCELED'] as const),
];

const failing: readonly StatusName[] = [
  ...(['DELETED', 'EXPIRED', 'REJECTED', 'UNDELIVERABLE', 'ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER'] as const),
  ...(['INVALIDDESTINATION', 'SUBSCRIBERERROR', 'ERROR'] as const),
];
const final: readonly StatusName[] = ['DELIVERED', ...failing];

/** The arrows of the drawing; none leads away from a status that is not listed here. */
const arrows: Partial<Record<StatusName, readonly StatusName[]>> = {
  SCHEDULED: ['QUEUED', 'CANCELED'],
  QUEUED: ['SENT', 'UNKNOWN', ...final],
  SENT: ['ACCEPTED', 'UNKNOWN', ...final],
  ACCEPTED: final,
  UNKNOWN: final,
};

const pairs = statusNames.flatMap((from) =>
  statusNames.flatMap((to) =>
    [false, true].map((expiredByTimer) => {
      const late = from === 'EXPIRED' && expiredByTimer && to === 'DELIVERED';
      return { from, to, expiredByTimer, allowed: late || (arrows[from]?.includes(to) ?? false) };
    }),
  ),
);

describe('the status of a message', () => {
  test('[STAT-6] The names and codes of statuses are those of the contract', () => {
    expect(statusNames).toEqual(listed);
    for (const [code, name] of listed.entries()) expect(status[name]).toBe(code);
  });

  test('[STAT-6] The status of a message changes along the arrows of the state diagram, and never otherwise', () => {
    for (const { from, to, expiredByTimer, allowed } of pairs) {
      const state = { status: status[from], expiredByTimer };
      const what = `${from}${expiredByTimer ? ' by timer' : ''} to ${to}`;
      expect(mayBecome(state, status[to]), what).toBe(allowed);
    }
  });

  test('[STAT-6] DELIVERED, the failing statuses and CANCELED are final, and nothing follows them', () => {
    const finals = statusNames.filter((name) => isFinal(status[name]));
    expect(new Set(finals)).toEqual(new Set([...final, 'CANCELED']));
    for (const from of finals) {
      for (const to of statusNames) {
        expect(mayBecome({ status: status[from], expiredByTimer: false }, status[to])).toBe(false);
      }
    }
  });

  test('[STAT-6] A message keeps its final status, in whatever order reports arrive', () => {
    const news = fc.array(fc.constantFrom(...statusNames), { maxLength: 12 });
    fc.assert(
      fc.property(news, (names) => {
        let current: number = status.SENT;
        for (const name of names) {
          const before = current;
          if (mayBecome({ status: current, expiredByTimer: false }, status[name])) current = status[name];
          if (isFinal(before)) expect(current).toBe(before);
        }
        const firstFinal = names.find((name) => final.includes(name));
        if (firstFinal !== undefined) expect(current).toBe(status[firstFinal]);
      }),
    );
  });
});

eachStore('the status of a message in the store', (engine) => {
  test('[STAT-6] The store allows the same status changes as the rule does, for every pair', async () => {
    const { store } = await engine.openFreshStore();
    const coded = pairs.map(({ from, to, ...rest }) => ({ from: status[from], to: status[to], ...rest }));
    const questions = coded.map(({ from, to, expiredByTimer }) => ({ from, to, expiredByTimer }));
    const allowed = coded
      .filter((pair) => pair.allowed)
      .map(({ from, to, expiredByTimer }) => ({ from, to, expiredByTimer }));
    const answered = await store.read(allowedChanges, questions);
    expect(answered).toHaveLength(allowed.length);
    expect(answered).toEqual(expect.arrayContaining(allowed));
  });
});

describe('the parts of a message', () => {
  const open = ['SENT', 'ACCEPTED', 'UNKNOWN'] as const;
  const part = fc.constantFrom(...open, ...final).map((name) => status[name]);
  const parts = fc.array(part, { minLength: 1, maxLength: 8 });
  const isFailing = (code: number) => isFinal(code) && code !== status.DELIVERED;

  test('[STAT-7] A message of one part has the status of its part', () => {
    for (const name of [...open, ...final]) expect(combineParts([status[name]])).toBe(status[name]);
  });

  test('[STAT-7] A message is DELIVERED when all parts are, failing when one part fails, and otherwise still open', () => {
    fc.assert(
      fc.property(parts, (codes) => {
        const combined = combineParts(codes);
        expect(combined === status.DELIVERED).toBe(codes.every((code) => code === status.DELIVERED));
        expect(isFailing(combined)).toBe(codes.some(isFailing));
        expect(codes).toContain(combined);
      }),
    );
  });

  test('[STAT-7] The order of the parts matters only for which of several failures a message shows', () => {
    const shuffled = parts.chain((codes) =>
      fc.tuple(fc.constant(codes), fc.shuffledSubarray(codes, { minLength: codes.length })),
    );
    fc.assert(
      fc.property(shuffled, ([codes, others]) => {
        const [one, other] = [combineParts(codes), combineParts(others)];
        if (new Set(codes.filter(isFailing)).size < 2) expect(other).toBe(one);
        else expect([isFailing(one), isFailing(other)]).toEqual([true, true]);
      }),
    );
  });

  test('[STAT-7] While no part has failed, a message shows the least certain status of its parts', () => {
    expect(combineParts([status.DELIVERED, status.SENT])).toBe(status.SENT);
    expect(combineParts([status.ACCEPTED, status.UNKNOWN, status.SENT])).toBe(status.SENT);
    expect(combineParts([status.DELIVERED, status.UNKNOWN, status.ACCEPTED])).toBe(status.UNKNOWN);
    expect(combineParts([status.DELIVERED, status.ACCEPTED])).toBe(status.ACCEPTED);
  });
});

describe('the id of a message', () => {
  test.each([
    ['1', 1],
    ['1000000001', 1_000_000_001],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('[STAT-2] The text %j is a message id', (text, id) => {
    expect(parseMessageId(text)).toBe(id);
  });

  test.each([
    ['0'],
    ['01'],
    ['9007199254740992'],
    ['99999999999999999999'],
    ['-1'],
    ['1.0'],
    ['1e3'],
    [' 1'],
    [''],
    ['１'],
  ])('[STAT-2] The text %j is not a message id', (text) => {
    expect(parseMessageId(text)).toBeUndefined();
  });
});
