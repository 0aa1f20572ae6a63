/** A server's work for alerts: a node with the role `jobs` turns them into incidents, while any node takes them. */
import type { Logger } from 'pino';
import { FollowIncidents } from '../alerts/follow-incidents.ts';
import type { Config } from '../config/config.ts';
import type { Starting } from '../jobs/start-job.ts';
import type { Metrics } from './metrics.ts';
import type { StopStack } from './stop-stack.ts';

interface AlertWorkNeeds {
  readonly config: Pick<Config, 'roles'>;
  readonly starting: Starting;
  readonly metrics: Pick<Metrics, 'incident'>;
  readonly log: Logger;
}

export function startAlerts({ config, metrics, ...needs }: AlertWorkNeeds, stack: StopStack): void {
  if (!config.roles.has('jobs')) return;
  stack.start(new FollowIncidents({ ...needs, went: metrics.incident }));
}
