/** A server's work for alerts: a node with the role `jobs` turns them into incidents, while any node takes them. */
import type { Logger } from 'pino';
import { AcknowledgementSender } from '../alerts/acknowledgement-sender.ts';
import { alertsTopic, FollowIncidents } from '../alerts/follow-incidents.ts';
import { placeOfReceiverSecret } from '../alerts/receiver.ts';
import type { Config } from '../config/config.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Starting } from '../jobs/start-job.ts';
import { Poster } from '../webhooks/posting/post.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

interface AlertWorkNeeds {
  readonly config: Pick<Config, 'roles' | 'callbackNetworks'>;
  readonly starting: Starting;
  readonly sealing: Sealing;
  readonly metrics: Pick<Metrics, 'incident'>;
  readonly log: Logger;
}

export function startAlerts(needs: AlertWorkNeeds, stack: StopStack): void {
  const { config, starting, metrics, log } = needs;
  if (!config.roles.has('jobs')) return;
  tellSources(needs, stack);
  stack.start(new FollowIncidents({ starting, log, went: metrics.incident }));
}

/** Sends what is queued when somebody has taken care. */
function tellSources({ config, starting, sealing, log }: AlertWorkNeeds, stack: StopStack): void {
  const { store, clock } = starting.sending;
  const poster = new Poster({ clock, allowed: config.callbackNetworks });
  stack.push(() => poster.close());
  const sender = new AcknowledgementSender({
    store,
    clock,
    log,
    poster,
    chance: Math.random,
    openSecret: (sealed, url, field) => sealing.open(sealed, placeOfReceiverSecret(url, field)),
  });
  stack.push(() => sender.stop());
  store.onAnnouncement((topic) => {
    if (topic === alertsTopic) sender.wake();
  });
  sender.wake();
}
