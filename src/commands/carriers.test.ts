/** Tests how the states of carriers appear on a terminal of 80 columns. */
import { expect, test } from 'vitest';
import type { KnownState } from '../messages/nodes/carrier-states.ts';
import { carrierStates, nodesOf } from './carriers.ts';
import { tableLines } from './list.ts';

const now = Date.UTC(2026, 10, 21, 13);
const reason =
  'window-limited: 2 × 10 parts may be without an answer, and an answer takes about 80 ms: no more than 250 parts/s; ask the operator for a larger window or more binds';
const figures = {
  binds: 2,
  bindsUp: 2,
  windowParts: 20,
  windowUsed: 20,
  waitingParts: 812,
  roundTripSeconds: 0.08,
  windowLimitedShare: 0.98123,
  windowLimitedSeconds: 4_711.25,
  throughputLimitedSeconds: 0,
  throttledSeconds: 0,
  submittedParts: 1_000_000,
  receivedReceipts: 999_188,
  unreadableReceipts: 3,
};

function linesOf(reports: readonly KnownState[]): readonly string[] {
  const carriers = [
    { id: 1, name: 'north' },
    { id: 2, name: 'a carrier of thirty characters' },
  ];
  const [heads, rows, notes = []] = carrierStates(
    carriers.map(({ id, name }) => ({ name, nodes: nodesOf({ id }, reports, now) })),
  );
  return tableLines(heads, rows, notes);
}

test('[RUN-3] The list of carriers fits in 80 columns: first each state, and below it the reason and figures', () => {
  const state = { carrierId: 1, nodeId: 1, since: now - 1_000, updatedAt: now, state: 'up' } as const;
  const lines = linesOf([
    { ...state, reason, figures },
    { ...state, carrierId: 2, state: 'starting', reason: null, figures: {}, updatedAt: now - 60_000 },
  ]);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^CARRIER +STATE +SINCE +NODE$/);
  expect(lines[1]).toMatch(/^north +up +2026-11-21T12:59:59Z +1$/);
  expect(lines[2]).toBe('    window-limited: 2 × 10 parts may be without an answer, and an answer takes');
  expect(lines.at(-1)).toMatch(
    /^a carrier of thirty characters +silent, was starting +2026-11-21T12:59:59Z +1$/,
  );
  const said = lines.map((line) => line.trim()).join(' ');
  expect(said).toContain(reason);
  expect(said).toContain('binds 2, bindsUp 2, windowParts 20,');
  expect(said).toContain('windowLimitedShare 0.981,');
});

test('[RUN-3] The list of carriers says when no node has a carrier open', () => {
  expect(linesOf([]).slice(0, 3)).toEqual([
    expect.stringMatching(/^CARRIER /),
    expect.stringMatching(/^north +not reported +-$/),
    '    no node has this carrier open',
  ]);
});

test('[RUN-3] A word longer than a line stays whole, so that it can be copied', () => {
  const word = 'x'.repeat(100);
  expect(tableLines(['A'], [['a']], [[`see ${word} there`]])).toEqual([
    'A',
    'a',
    '    see',
    `    ${word}`,
    '    there',
  ]);
});
