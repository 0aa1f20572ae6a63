/** A dispatching node's work besides delivery: batches, webhooks, outgoing mail, erasures, and timed work. */

import type { Logger } from 'pino';
import type { ClosedCompanies } from '../batches/hours/closed-companies.ts';
import { KeptHours } from '../batches/hours/keep-hours.ts';
import { countFolding } from '../batches/reading/counts.ts';
import { Expansion } from '../batches/steps/expand.ts';
import { purgeOldBatches } from '../batches/steps/purge.ts';
import type { Config } from '../config/config.ts';
import { missingTerms } from '../contacts/contact-terms.ts';
import { purgeOldImports } from '../contacts/import/import-contacts.ts';
import { OutgoingWork } from '../email/outgoing/outgoing-work.ts';
import { Relay } from '../email/outgoing/relay.ts';
import type { Sealing } from '../foundation/sealing.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { purgeOldRuns } from '../jobs/purge-runs.ts';
import type { Delivery } from '../messages/delivery/delivery.ts';
import type { Observer } from '../messages/observer.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import { purgeOldSendings } from '../messages/sendings/purge.ts';
import { mendMessageLog } from '../messages/upkeep/mend-log.ts';
import { Purge, type PurgeOptions } from '../messages/upkeep/purge.ts';
import { purgeOptOutsOfRemoved } from '../opt-outs/of-removed-companies.ts';
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { purgeQueues } from '../webhooks/outbox/purge.ts';
import { Poster } from '../webhooks/posting/post.ts';
import { WebhookWork } from '../webhooks/sending/webhook-work.ts';
import type { Metrics } from './metrics.ts';
import { agedRows } from './retention.ts';
import type { StopStack } from './stop-stack.ts';

interface BatchWorkOptions extends Context {
  readonly delivery: Delivery;
  readonly closed: ClosedCompanies;
  readonly observer: Observer;
  readonly isTracked: (companyId: number) => boolean;
  readonly log: Logger;
}

/** Batches become messages on the nodes that dispatch, so that carriers learn of them at once. */
export class BatchWork {
  readonly #expansion: Expansion;
  readonly #hours: KeptHours;
  readonly #folding: WokenLoop;

  constructor(options: BatchWorkOptions) {
    const { store, delivery } = options;
    this.#folding = countFolding(options);
    this.#hours = new KeptHours(options);
    this.#expansion = new Expansion({
      ...options,
      wakeCarrier: (carrierId) => delivery.wake(carrierId),
      // Yields while calls wait for the store.
      othersWait: () => store.waitMs(acceptMessages) > 0,
    });
  }

  start(): void {
    this.#folding.start();
    this.#hours.start();
    this.#expansion.start();
  }

  /** Called when a batch may have a next step. */
  wake(): void {
    this.#expansion.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#expansion.stop(), this.#hours.stop(), this.#folding.stop()]);
  }
}

interface WebhookNeeds extends Context {
  readonly config: Pick<Config, 'callbackNetworks'>;
  readonly news: News;
  readonly sealing: Sealing;
  readonly delivery: Pick<Delivery, 'livingNodeId'>;
  readonly metrics: Pick<Metrics, 'posted' | 'webhookDisabled' | 'webhookEventsLost'>;
  readonly log: Logger;
}

const purgeEveryMs = 10_000;

/** Posts events unless another node does, and keeps queues short. */
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
  const failed = (error: unknown) => log.warn({ error, what: 'webhooks' }, 'a sweep failed; trying again');
  const purging = { store, clock, log, lost: metrics.webhookEventsLost };
  stack.start(
    new WokenLoop({ pauseMs: purgeEveryMs, rest: 1, failed }, (signal) => purgeQueues(purging, signal)),
  );
}

interface OutgoingMailNeeds extends Context {
  readonly config: Pick<Config, 'smtpRelay' | 'mailDomains'>;
  readonly delivery: Pick<Delivery, 'livingNodeId'>;
  readonly metrics: Pick<Metrics, 'mailTried' | 'watchOutbox'>;
  readonly log: Logger;
}

/** Sends mail where a relay is set, unless another node does. */
export async function startOutgoingMail(needs: OutgoingMailNeeds, stack: StopStack): Promise<void> {
  const { config, store, clock, delivery, metrics, log } = needs;
  const { smtpRelay: address, mailDomains } = config;
  if (address === undefined) return;
  const domain = mailDomains[0] ?? 'localhost';
  const relay = new Relay({ address, name: domain });
  stack.push(async () => relay.close());
  const work = new OutgoingWork({
    store,
    clock,
    relay,
    domain,
    log,
    nodeId: () => delivery.livingNodeId,
    chance: Math.random,
    tried: metrics.mailTried,
  });
  stack.push(() => work.stop());
  await work.start();
  metrics.watchOutbox(() => work.size);
}

export function startUpkeep(
  { retentionDays }: Config,
  options: Omit<PurgeOptions, 'retentionDays' | 'aged' | 'alsoPurge'>,
  stack: StopStack,
): void {
  const purge = new Purge({
    ...options,
    retentionDays,
    aged: agedRows,
    alsoPurge: [purgeOldSendings, purgeOldBatches, purgeOldRuns, purgeOldImports, purgeOptOutsOfRemoved],
  });
  stack.start(purge);
  stack.start(logCheck(options));
  stack.start(missingTerms(options.store, options.log));
}

interface LogCheck {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

const againMs = 60_000;
/** Uses at most a fifth of a reader's time; a million messages take about ten seconds of it. */
const rest = 4;

/** Right after a start, finds and repairs gaps that an upgrade left in the message log. */
function logCheck({ store, log }: LogCheck): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'could not check whether all messages are in the lists; trying again');
  return new WokenLoop({ pauseMs: againMs, firstMs: 0, failed }, async (signal) => {
    const { unlogged } = await mendMessageLog(store, { rest, signal });
    if (unlogged > 0)
      log.warn({ messages: unlogged }, 'messages that were missing from the lists have been added to them');
    // One pass is enough, since only this version stores messages from now on.
    return { pauseMs: Infinity };
  });
}
