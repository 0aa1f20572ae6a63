/** Inputs for the verbs of webhooks. */
import * as purge from '../../src/webhooks/outbox/purge-store.ts';
import { queueChanges } from '../../src/webhooks/outbox/queue-store.ts';
import * as administration from '../../src/webhooks/reading/administration-store.ts';
import * as pull from '../../src/webhooks/reading/pull-store.ts';
import * as beginning from '../../src/webhooks/sending/begin-store.ts';
import * as sending from '../../src/webhooks/sending/sending-store.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const limit = 20;
const endpointId = 7;
const retry = { firstSeq: 5, seqs: [5, 6], tries: 2, dueAt: now };
const progress = {
  ...{ endpointId, nodeId: 1, doneSeq: 420, failures: 1, failingSince: now, nextAt: now, now },
  ...{ replayNext: undefined, put: [retry], removed: [3], disabled: undefined },
  attempt: {
    ...{ number: 501, at: now, firstSeq: 420, events: 1, tries: 1, address: '192.0.2.1', status: 503 },
    ...{ durationMs: 7, error: null, answer: '' },
  },
};

export const webhookSamples: readonly Sample[] = [
  sample(queueChanges, { nodeId: 1, to: 100_000, now, limit }, { nodeId: 2, to: 100_000, now, limit }),
  sample(sending.listActiveEndpoints, null),
  sample(sending.listQueueEnds, null),
  sample(sending.readEvents, { endpointId, after: 400, limit }),
  sample(sending.readEventsOf, { endpointId, seqs: [5, 6, 400] }),
  sample(sending.readRetries, endpointId),
  sample(sending.recordProgress, progress, { ...progress, nodeId: 2 }),
  sample(beginning.markBegun, [endpointId]),
  sample(beginning.keepWebhookReader, null),
  sample(administration.listEndpoints, { company: null, name: null }, { company: 'company7', name: 'hook7' }),
  sample(administration.listAttempts, { endpointId, limit }),
  sample(administration.queueTest, { endpointId, now }),
  sample(administration.beginReplay, { endpointId, from: now + 10, to: now + 50_000 }),
  sample(administration.enableEndpoint, endpointId),
  sample(administration.disableEndpoint, { endpointId, now }),
  sample(pull.findWebhook, { companyId: endpointId, name: 'hook7' }),
  sample(pull.pullPage, { endpointId, userId: big.userId, after: 400, limit }),
  sample(purge.listPurgeable, now + 50_000),
  sample(
    purge.purgeQueue,
    { endpointId, isGone: false, before: now + 50_000, limit },
    { endpointId, isGone: true, before: 0, limit },
  ),
];
