/** Aborts a batch, for its user or the operator: what no carrier has yet is not sent, and its quota is refunded. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseBatchId } from '../batch.ts';
import { type AbortBatchInput, type AbortOutcome, abortBatch } from './abort-store.ts';
import { batchTopic } from './expand.ts';

/** Aborting a batch that has ended already is no error: nothing more of it is sent. */
export type AbortAnswer = Exclude<AbortOutcome, { kind: 'notFound' }>;

export function abort(store: Store, clock: Clock, caller: Caller, id: string): Promise<AbortAnswer> {
  requireRole(caller, 'send');
  const { companyId, userId, username } = caller;
  return stop(store, clock, id, { owner: { companyId, userId }, reason: `aborted by ${username}` });
}

export function abortForOperator(store: Store, clock: Clock, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id, { reason: 'aborted by the operator' });
}

async function stop(
  store: Store,
  clock: Clock,
  id: string,
  input: Pick<AbortBatchInput, 'owner' | 'reason'>,
): Promise<AbortAnswer> {
  const batchId = parseBatchId(id);
  const outcome: AbortOutcome =
    batchId === undefined
      ? { kind: 'notFound' }
      : await store.write(abortBatch, { id: batchId, now: clock.now(), ...input });
  if (outcome.kind === 'notFound') throw new ServiceError('not_found', `There is no batch ${id}.`);
  if (outcome.kind !== 'ended') store.announce(batchTopic);
  return outcome;
}
