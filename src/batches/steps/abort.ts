/** Stops a batch, for its user or the operator: what no carrier has yet is not sent, and its quota comes back. */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseBatchId } from '../batch.ts';
import { type Aborted, type Abortion, abortBatch } from './abort-store.ts';
import { batchTopic } from './expand.ts';

/** Whoever asks for one that has ended already is not wrong: nothing of it is sent any more. */
export type Abort = Exclude<Aborted, { kind: 'notFound' }>;

export function abort(store: Store, clock: Clock, caller: Caller, id: string): Promise<Abort> {
  requireRole(caller, 'send');
  const { companyId, userId, username } = caller;
  return stop(store, clock, id, { owner: { companyId, userId }, reason: `aborted by ${username}` });
}

export function abortForOperator(store: Store, clock: Clock, id: string): Promise<Abort> {
  return stop(store, clock, id, { reason: 'aborted by the operator' });
}

async function stop(
  store: Store,
  clock: Clock,
  id: string,
  who: Pick<Abortion, 'owner' | 'reason'>,
): Promise<Abort> {
  const batchId = parseBatchId(id);
  const outcome: Aborted =
    batchId === undefined
      ? { kind: 'notFound' }
      : await store.write(abortBatch, { id: batchId, now: clock.now(), ...who });
  if (outcome.kind === 'notFound') throw new ServiceError('not_found', `There is no batch ${id}.`);
  if (outcome.kind !== 'ended') store.announce(batchTopic);
  return outcome;
}
