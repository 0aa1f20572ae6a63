import { expect, test } from 'vitest';
import { storedReason } from '../../foundation/sentences.ts';
import { type StatusName, stage, status, statusNames } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect.ts';
import { explain } from './explain.ts';
import { languages } from './explanation.ts';

const dueAt = Date.UTC(2027, 0, 2, 3, 4, 5);
const part = { part: 1 } as InspectedMessage['taken'][number];

type Told = Parameters<typeof explain>[0];

function told(name: StatusName, more: Partial<Told> = {}): Told {
  return {
    status: status[name],
    stage: null,
    dueAt: null,
    expiresAt: dueAt,
    expiredByTimer: 0,
    reason: null,
    carrier: 'north',
    simulated: 0,
    taken: [],
    inDoubt: 0,
    ...more,
  };
}

const inLanguages = statusNames.flatMap((name) => languages.map((language) => [name, language] as const));

test.each(inLanguages)('[STAT-1] [PORT-5] of %s is told why, in whole sentences (%s)', (name, language) => {
  for (const reason of [null, 'code 27']) {
    const { why, todo = 'Nothing.' } = explain(told(name, { reason }), language);
    for (const text of [why, todo]) expect(text).toMatch(/^[A-Z].*\.$/);
    expect(`${why} ${todo}`).not.toMatch(/null|undefined|NaN|\(\)/);
  }
});

test.each<[Told, string]>([
  [told('QUEUED', { stage: stage.waiting }), 'It waits until the carrier north has room for it.'],
  [told('QUEUED', { stage: stage.inFlight }), 'It is being handed to the carrier north just now.'],
  [
    told('QUEUED', { stage: stage.retrying, reason: 'throttled', dueAt }),
    'The carrier north has not taken it yet (throttled); it is tried again at 2027-01-02T03:04:05.000Z.',
  ],
  [
    told('QUEUED', { stage: stage.scheduled, dueAt }),
    'It waits for the hours in which its company sends, until 2027-01-02T03:04:05.000Z.',
  ],
  [told('SCHEDULED', { stage: stage.scheduled, dueAt }), 'It waits for its time, 2027-01-02T03:04:05.000Z.'],
  [told('EXPIRED'), 'No carrier took it before its validity ended at 2027-01-02T03:04:05.000Z.'],
  [
    told('EXPIRED', { taken: [part], expiredByTimer: 1 }),
    'The carrier north took it, but no receipt came until its validity was over: it may have been delivered all the same.',
  ],
  [
    told('EXPIRED', { taken: [part] }),
    'The phone could not be reached before its validity ended at 2027-01-02T03:04:05.000Z.',
  ],
  [
    told('UNKNOWN', { inDoubt: 1 }),
    'The link to the carrier broke while it was handed over: nobody knows whether the carrier has it.',
  ],
  [told('UNKNOWN'), 'The carrier does not know what became of it.'],
])('[STAT-1] %o: %s', (message, why) => {
  expect(explain(message).why).toBe(why);
});

test.each([
  [
    storedReason({ sentence: 'cancelled_by', user: 'demo' }),
    'Det togs tillbaka innan det levererades (avbrutet av demo).',
  ],
  [
    storedReason({ sentence: 'cancelled_by_operator' }),
    'Det togs tillbaka innan det levererades (avbrutet av driften).',
  ],
  // As an earlier version wrote it.
  ['cancelled by demo', 'Det togs tillbaka innan det levererades (cancelled by demo).'],
  ['what a carrier said', 'Det togs tillbaka innan det levererades (what a carrier said).'],
])('[PORT-5] what the server itself noted is told in Swedish: %s', (reason, why) => {
  expect(explain(told('DELETED', { reason }), 'sv')).toEqual({ why });
});
