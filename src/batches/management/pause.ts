/** Pauses a batch, for whoever it is visible to: nothing more of it goes to a carrier until it is resumed. */
import type { Caller } from '../../accounts/caller.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseBatchId } from '../batch.ts';
import { actingUser } from '../steps/acting-on-batch.ts';
import { batchTopic } from '../steps/expand.ts';
import { maxPaused, pauseBatch, resumeBatch } from './pause-store.ts';

export async function pause(store: Store, clock: Clock, caller: Caller, id: string): Promise<void> {
  const outcome = await store.write(pauseBatch, act(clock, caller, id));
  if (outcome === 'notFound') throw noBatch(id);
  if (outcome === 'tooMany')
    throw new ServiceError(
      'too_many_paused',
      `The company has ${maxPaused} paused batches. Resume or abort one of them first.`,
    );
  store.announce(batchTopic);
}

export async function resume(store: Store, clock: Clock, caller: Caller, id: string): Promise<void> {
  const outcome = await store.write(resumeBatch, act(clock, caller, id));
  if (outcome === 'notFound') throw noBatch(id);
  store.announce(batchTopic);
}

function act(clock: Clock, caller: Caller, id: string) {
  const user = actingUser(caller);
  const batchId = parseBatchId(id);
  if (batchId === undefined) throw noBatch(id);
  return { id: batchId, now: clock.now(), user };
}

export function noBatch(id: string): ServiceError {
  return new ServiceError('not_found', `There is no batch ${id}.`);
}
