/** What a node that dispatches does for mail that goes out, where a relay is set: it sends, unless another node does. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OutgoingWork } from '../email/outgoing/outgoing-work.ts';
import { Relay } from '../email/outgoing/relay.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Delivery } from '../messages/delivery/delivery.ts';
import type { Store } from '../storage/store.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

export interface OutgoingMailNeeds {
  readonly config: Pick<Config, 'smtpRelay' | 'mailDomains'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly delivery: Pick<Delivery, 'livingNodeId'>;
  readonly metrics: Pick<Metrics, 'mailTried' | 'watchOutbox'>;
  readonly log: Logger;
}

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
