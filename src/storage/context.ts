/** What nearly every part works with. */
import type { Clock } from '../foundation/clock.ts';
import type { Store } from './store.ts';

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
}
