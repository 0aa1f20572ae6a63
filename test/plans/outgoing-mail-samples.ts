/** Sample inputs for the verbs of outgoing mail. */
import * as outbox from '../../src/email/outgoing/outbox-store.ts';
import { keepMailReader, queueReceipts, takeChanges } from '../../src/email/outgoing/take-changes-store.ts';
import { type Sample, sample } from './sample.ts';
import { now } from './stock.ts';

const limit = 20;
const messageId = '<60000@sms.example>';
const taking = { nodeId: 1, to: 100_000, limit, now, domain: 'sms.example' };
const tried = {
  messageId,
  dueAt: now,
  reason: '250 OK',
  kind: 'question' as const,
  at: now,
  isCounted: true,
};

export const outgoingMailSamples: readonly Sample[] = [
  sample(keepMailReader, null),
  sample(takeChanges, taking, { ...taking, nodeId: 2 }),
  sample(queueReceipts, { ...taking, now: now + 60_000, limit: 5 }, { ...taking, nodeId: 2 }),
  sample(
    outbox.readDueMails,
    { now: now + 60_000, limit, after: 0 },
    { now: now + 60_000, limit, after: 100 },
    { now: 1, limit, after: 0 },
  ),
  sample(
    outbox.recordTriedMails,
    { ...tried, nodeId: 1, outcome: 'taken' },
    { ...tried, nodeId: 1, outcome: 'deferred' },
    { ...tried, nodeId: 2, outcome: 'failed' },
  ),
  sample(
    outbox.pullPutOffMails,
    { now: now + 60_000, after: now + 90_000, until: Number.MAX_SAFE_INTEGER, limit },
    { now: 0, after: 0, until: now + 36_000, limit },
  ),
  sample(
    outbox.pullMailsAhead,
    { now, longestMs: [36_000, 72_000, 17_280_000], limit },
    { now: 0, longestMs: [36_000], limit },
  ),
  sample(outbox.measureOutbox, null),
  sample(
    outbox.listOutbox,
    { company: null, state: 'all', limit },
    { company: null, state: 'waiting', limit },
    { company: 'company7', state: 'failed', limit },
    { company: 'company7', state: 'waiting', limit },
  ),
  sample(outbox.replayMails, { messageIds: null, now }, { messageIds: ['<7@sms.example>', messageId], now }),
];
