import { expect, test } from 'vitest';
import { languages } from '../../foundation/language.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { type StatusName, stage, status, statusNames } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect.ts';
import { explain } from './explain.ts';

const dueAt = Date.UTC(2027, 0, 2, 3, 4, 5);
const part = { part: 1 } as InspectedMessage['taken'][number];

type ExplainedMessage = Parameters<typeof explain>[0];

function messageAs(name: StatusName, more: Partial<ExplainedMessage> = {}): ExplainedMessage {
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

test.each(inLanguages)(
  '[STAT-1] [PORT-5] The reason for status %s is explained in whole sentences (%s)',
  (name, language) => {
    for (const reason of [null, 'code 27']) {
      const { why, todo = 'Nothing.' } = explain(messageAs(name, { reason }), language);
      for (const text of [why, todo]) expect(text).toMatch(/^[A-Z].*\.$/);
      expect(`${why} ${todo}`).not.toMatch(/null|undefined|NaN|\(\)/);
    }
  },
);

test.each<[ExplainedMessage, string]>([
  [messageAs('QUEUED', { stage: stage.waiting }), 'It is waiting until the carrier north has room for it.'],
  [messageAs('QUEUED', { stage: stage.inFlight }), 'It is being handed to the carrier north right now.'],
  [
    messageAs('QUEUED', { stage: stage.retrying, reason: 'throttled', dueAt }),
    'The carrier north has not taken it yet (throttled); it will be tried again at 2027-01-02T03:04:05.000Z.',
  ],
  [
    messageAs('QUEUED', { stage: stage.scheduled, dueAt }),
    'It is waiting for the send hours of its company, until 2027-01-02T03:04:05.000Z.',
  ],
  [
    messageAs('SCHEDULED', { stage: stage.scheduled, dueAt }),
    'It is waiting for its send time, 2027-01-02T03:04:05.000Z.',
  ],
  [messageAs('EXPIRED'), 'No carrier took it before its validity ended at 2027-01-02T03:04:05.000Z.'],
  [
    messageAs('EXPIRED', { taken: [part], expiredByTimer: 1 }),
    'The carrier north took it, but no receipt came before its validity ended: it may still have been delivered.',
  ],
  [
    messageAs('EXPIRED', { taken: [part] }),
    'The phone could not be reached before the validity of the SMS ended at 2027-01-02T03:04:05.000Z.',
  ],
  [
    messageAs('UNKNOWN', { inDoubt: 1 }),
    'The connection to the carrier broke while it was being handed over. It is not known whether the carrier has it.',
  ],
  [messageAs('UNKNOWN'), 'The carrier does not know what happened to it.'],
])('[STAT-1] The status of the message %o is explained: %s', (message, why) => {
  expect(explain(message).why).toBe(why);
});

test.each([
  [
    storedReason({ sentence: 'cancelled_by', user: 'demo' }),
    'Det stoppades innan det levererades (stoppat av demo).',
  ],
  [
    storedReason({ sentence: 'cancelled_by_operator' }),
    'Det stoppades innan det levererades (stoppat av driften).',
  ],
  // The form in which an earlier version stored the name of the user who cancelled.
  ['cancelled by demo', 'Det stoppades innan det levererades (”cancelled by demo”).'],
  ['what a carrier said', 'Det stoppades innan det levererades (”what a carrier said”).'],
])('[PORT-5] A reason that the server itself noted is explained in Swedish: %s', (reason, why) => {
  expect(explain(messageAs('DELETED', { reason }), 'sv')).toEqual({ why });
});
