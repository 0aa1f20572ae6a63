/** Inputs for the verbs of webhooks. */
import { operator } from '../../src/audit/audit-log.ts';
import * as administration from '../../src/webhooks/management/administration-store.ts';
import * as change from '../../src/webhooks/management/change-store.ts';
import * as visible from '../../src/webhooks/management/list-store.ts';
import * as pull from '../../src/webhooks/management/pull-events.ts';
import * as purge from '../../src/webhooks/outbox/purge.ts';
import { queueChanges } from '../../src/webhooks/outbox/queue-changes.ts';
import * as beginning from '../../src/webhooks/sending/begin-listening.ts';
import * as sending from '../../src/webhooks/sending/sending-store.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const limit = 20;
const endpointId = 7;
const acting = {
  visible: { companyId: endpointId, userId: null },
  username: 'user7',
  session: undefined,
  now,
};
const webhook = {
  company: 'company7',
  url: 'https://a.example',
  secrets: [],
  events: ['message.status'] as const,
  filter: {},
  user: undefined,
  batch: true,
  text: 'none' as const,
  active: true,
};
const act = { endpointId, now, by: operator };
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
  sample(
    visible.listVisibleWebhooks,
    { visible: { companyId: 7, userId: null }, failing: true, after: 0, limit },
    { visible: { companyId: 7, userId: big.userId }, failing: false, after: 3, limit },
  ),
  sample(visible.findVisibleWebhook, { visible: { companyId: 7, userId: null }, id: endpointId }),
  sample(visible.findCompanyName, endpointId),
  sample(visible.countRetries, endpointId),
  sample(change.foreseeWebhook, { ...acting, webhook: { ...webhook, id: 'new' } }),
  sample(change.makeWebhook, { ...acting, webhook: { ...webhook, id: 'new' } }),
  sample(change.changeWebhook, { ...acting, id: endpointId, ifMatch: undefined, changes: { batch: false } }),
  sample(change.rotateSecret, { ...acting, id: endpointId, secret: 'sealed' }),
  sample(change.removeWebhook, { ...acting, id: endpointId, ifMatch: undefined }),
  sample(pull.findWebhook, { companyId: endpointId, name: 'hook7' }),
  sample(pull.pullPage, { endpointId, companyId: big.companyId, userId: big.userId, after: 400, limit }),
  sample(purge.listPurgeable, { before: now + 50_000, mostEvents: 1_000_000 }),
  sample(
    purge.purgeQueue,
    { endpointId, isGone: false, fullTo: null, before: now + 50_000, limit },
    { endpointId, isGone: true, fullTo: null, before: 0, limit },
  ),
];
