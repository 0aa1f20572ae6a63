/** What a node that dispatches does for webhooks and callbacks: it posts, unless another node does, and keeps queues short. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Clock } from '../foundation/clock.ts';
import { Periodic } from '../foundation/periodic.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Delivery } from '../messages/delivery/delivery.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { purgeQueues } from '../webhooks/outbox/purge.ts';
import { Poster } from '../webhooks/posting/post.ts';
import { WebhookWork } from '../webhooks/sending/webhook-work.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

export interface WebhookNeeds {
  readonly config: Pick<Config, 'callbackNetworks'>;
  readonly store: Store;
  readonly news: News;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly delivery: Pick<Delivery, 'livingNodeId'>;
  readonly metrics: Pick<Metrics, 'posted' | 'webhookDisabled' | 'webhookEventsLost'>;
  readonly log: Logger;
}

const purgeEveryMs = 10_000;

export async function startWebhooks(needs: WebhookNeeds, stack: StopStack): Promise<void> {
  const { config, store, clock, delivery, metrics, log } = needs;
  const poster = new Poster({ clock, allowed: config.callbackNetworks });
  stack.push(() => poster.close());
  const work = new WebhookWork({
    ...needs,
    poster,
    nodeId: () => delivery.livingNodeId,
    chance: Math.random,
    tried: metrics.posted,
    disabled: metrics.webhookDisabled,
  });
  stack.push(() => work.stop());
  await work.start();
  let isStopped = false;
  const failed = (error: unknown) =>
    log.warn({ error, what: 'webhooks' }, 'a sweep failed; it is tried again');
  const purging = new Periodic({ pauseMs: purgeEveryMs, rest: 1, failed }, () =>
    purgeQueues({ store, clock, log, lost: metrics.webhookEventsLost }, () => isStopped),
  ).start();
  stack.push(() => {
    isStopped = true;
    return purging.stop();
  });
}
