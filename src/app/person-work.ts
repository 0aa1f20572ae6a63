/** What a server does for a person who asks what is known of him, or to be forgotten. */
import type { Clock } from '../foundation/clock.ts';
import { personEndpoints } from '../people/endpoints.ts';
import { ErasureWork, type ErasureWorkOptions, personSecret } from '../people/erasure.ts';
import type { Store } from '../storage/store.ts';
import type { StopStack } from './stop-stack.ts';

export function startErasures(options: ErasureWorkOptions, stack: StopStack): void {
  const work = new ErasureWork(options);
  stack.push(() => work.stop());
  work.start();
}

export function endpointsOfPeople(store: Store, clock: Clock, secret: string) {
  return personEndpoints({ store, clock, secret: personSecret(secret) });
}
