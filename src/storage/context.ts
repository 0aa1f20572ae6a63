/** Defines the dependencies that nearly every module needs. */
import type { Clock } from '../foundation/clock.ts';
import type { Store } from './store.ts';

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
}
