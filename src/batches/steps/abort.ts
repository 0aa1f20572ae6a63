/** Aborts a batch, for whoever it is visible to or the operator: what no carrier has yet is not sent, and its quota is refunded. */
import type { Caller } from '../../accounts/caller.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseBatchId } from '../batch.ts';
import { type AbortOutcome, abortBatch } from './abort-store.ts';
import { actingUser, type BatchUser } from './acting-on-batch.ts';
import { batchTopic } from './expand.ts';

/** Aborting a batch that has ended already is no error: nothing more of it is sent. */
export type AbortAnswer = Exclude<AbortOutcome, { kind: 'notFound' }>;

export function abort(store: Store, clock: Clock, caller: Caller, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id, actingUser(caller));
}

export function abortForOperator(store: Store, clock: Clock, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id);
}

async function stop(store: Store, clock: Clock, id: string, user?: BatchUser): Promise<AbortAnswer> {
  const batchId = parseBatchId(id);
  const outcome: AbortOutcome =
    batchId === undefined
      ? { kind: 'notFound' }
      : await store.write(abortBatch, { id: batchId, now: clock.now(), ...(user && { user }) });
  if (outcome.kind === 'notFound') throw new ServiceError('not_found', `There is no batch ${id}.`);
  if (outcome.kind !== 'ended') store.announce(batchTopic);
  return outcome;
}
