/** Sample inputs for the verbs of webhooks. */
import { operator } from '../../src/audit/audit-log.ts';
import * as callbacks from '../../src/webhooks/callback-url.ts';
import * as administration from '../../src/webhooks/management/administration-store.ts';
import * as pull from '../../src/webhooks/management/pull-events.ts';
import * as purge from '../../src/webhooks/outbox/purge.ts';
import { queueChanges } from '../../src/webhooks/outbox/queue-changes.ts';
import * as beginning from '../../src/webhooks/sending/begin-tracking.ts';
import * as sending from '../../src/webhooks/sending/sending-store.ts';
import { dryRunWebhook, webhooks } from '../../src/webhooks/webhook.ts';
import { type Sample, sample } from './sample.ts';
import { big, now, small } from './stock.ts';

const limit = 20;
const endpointId = 7;
const acting = { companyId: endpointId, scopeId: endpointId, username: 'user7', session: undefined, now };
const given = {
  name: 'new',
  url: 'https://a.example',
  events: ['message.status'] as const,
  secret: 'sealed',
};
const known = { ...acting, key: endpointId, ifMatch: undefined };
const change = { ...known, rename: undefined, values: {} };
const act = { endpointId, now, by: operator };
const called = { companyId: big.companyId, userId: big.userId, until: now };
const calling = { ...called, username: 'user10', session: undefined, now, secret: 'sealed' };
const retry = { firstSeq: 5, seqs: [5, 6], tries: 2, dueAt: now };
const progress = {
  endpointId,
  nodeId: 1,
  timesEnabled: 0,
  doneSeq: 420,
  failures: 1,
  failingSince: now,
  nextAt: now,
  now,
  replayNext: undefined,
  put: [retry],
  removed: [3],
  disabled: undefined,
  attempt: {
    number: 501,
    at: now,
    firstSeq: 420,
    events: 1,
    tries: 1,
    address: '192.0.2.1',
    status: 503,
    durationMs: 7,
    error: null,
    answer: '',
    seqs: [420],
  },
};

export const webhookSamples: readonly Sample[] = [
  sample(queueChanges, { nodeId: 1, to: 100_000, now, limit }, { nodeId: 2, to: 100_000, now, limit }),
  sample(sending.listActiveEndpoints, null),
  sample(sending.listQueueEnds, null),
  sample(sending.readEvents, { endpointId, after: 400, limit }),
  sample(sending.readEventsOf, { endpointId, seqs: [5, 6, 400] }),
  sample(sending.readRetries, endpointId),
  sample(sending.recordProgress, progress, { ...progress, nodeId: 2 }, { ...progress, timesEnabled: 1 }),
  sample(beginning.markBegun, [endpointId]),
  sample(beginning.keepWebhookReader, null),
  sample(administration.listEndpoints, { company: null, name: null }, { company: 'company7', name: 'hook7' }),
  sample(administration.listAttempts, { endpointId, limit }, { endpointId, before: 300, limit }),
  sample(administration.findAttempt, { endpointId, number: 400 }),
  sample(administration.replayAttempt, { ...act, number: 400 }),
  sample(administration.queueTest, act),
  sample(administration.beginReplay, { ...act, from: now + 10, to: now + 50_000 }),
  sample(administration.enableEndpoint, act),
  sample(administration.disableEndpoint, act),
  sample(administration.countRetries, endpointId),
  sample(
    webhooks.list,
    { scopeId: endpointId, ownerId: undefined, among: { failing: true }, after: 0, limit },
    { scopeId: endpointId, ownerId: big.userId, among: undefined, after: 3, limit },
  ),
  sample(webhooks.find, { scopeId: endpointId, key: endpointId }),
  sample(dryRunWebhook, { companyId: endpointId, ownerId: undefined, given }),
  sample(webhooks.create, { ...acting, name: undefined, values: {}, more: given }),
  sample(
    webhooks.change,
    { ...change, more: { batch: false } },
    { ...change, more: { secret: 'sealed' } },
    { ...change, more: { user: big.userId } },
  ),
  sample(webhooks.remove, known),
  sample(
    callbacks.findCallback,
    { ...called, url: 'https://a.example' },
    { ...called, url: 'https://b.example' },
  ),
  sample(
    callbacks.openCallback,
    { ...calling, url: 'https://a.example' },
    { ...calling, userId: small.userId, url: 'https://b.example' },
  ),
  sample(callbacks.rotateCallbackSecret, calling, { ...calling, secret: null }),
  sample(callbacks.hasUnusedCallbacks, now + 50),
  sample(callbacks.purgeCallbacks, now + 50),
  sample(pull.findWebhook, { companyId: endpointId, name: 'hook7' }),
  sample(pull.pullPage, { endpointId, companyId: big.companyId, userId: big.userId, after: 400, limit }),
  sample(purge.listPurgeable, { before: now + 50_000, maxEvents: 1_000_000 }),
  sample(
    purge.purgeQueue,
    { endpointId, isGone: false, fullTo: null, before: now + 50_000, limit },
    { endpointId, isGone: true, fullTo: null, before: 0, limit },
  ),
];
