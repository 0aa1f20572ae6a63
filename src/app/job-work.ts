/**
 * A server's work for jobs: a node with the role `jobs` advances their runs, while any node starts runs and takes answers.
 */
import type { Logger } from 'pino';
import { type Config, outgoingDomain, publicUrl } from '../config/config.ts';
import { FollowRuns, jobsTopic } from '../jobs/follow-runs.ts';
import { answerLinkSecret, type JobMailSettings } from '../jobs/job-mail.ts';
import type { Starting } from '../jobs/start-job.ts';
import type { Observer } from '../messages/observer.ts';
import type { Sending } from '../messages/sending/send.ts';
import { Ids } from '../storage/ids.ts';
import type { Store } from '../storage/store.ts';
import type { StopStack } from './stop-stack.ts';

interface JobWorkNeeds {
  readonly config: Config;
  readonly secret: string;
  readonly sending: Sending;
  readonly log: Logger;
}

const runIdBlock = 10;

export async function startJobs(needs: JobWorkNeeds, stack: StopStack): Promise<Starting> {
  const { config, log } = needs;
  const sending = { ...needs.sending, mail: mailSettings(needs) };
  const { store } = sending;
  if (config.roles.has('jobs')) {
    const following = new FollowRuns({ sending, log });
    await following.start();
    stack.push(() => following.stop());
  }
  return { sending, ids: new Ids(store, 'jobRun', runIdBlock), wake: () => store.announce(jobsTopic) };
}

/** Undefined without a relay. */
function mailSettings({ config, secret }: JobWorkNeeds): JobMailSettings | undefined {
  const domain = outgoingDomain(config);
  if (domain === undefined) return undefined;
  return { baseUrl: publicUrl(config, config.http.port), domain, secret: answerLinkSecret(secret) };
}

/**
 * An incoming message may answer a run, so this notifies the node that advances the run instead of leaving it to the next
 * poll.
 */
export function announcingAnswers(observer: Observer, store: Pick<Store, 'announce'>): Observer {
  return {
    ...observer,
    incoming(carrier, routed) {
      observer.incoming(carrier, routed);
      if (routed) store.announce(jobsTopic);
    },
  };
}
