/**
 * The short path of a message to its carrier: when no others wait, it is stored as in flight at once, and handed over as
 * soon as it is durable. That saves the claim, and reading the row again.
 *
 *   expect ──▶ accept, as in flight ──▶ inFlight ──▶ carrier
 *      │               ├─the node was given up──▶ waiting ──▶ claimed like all others
 *      │               ├─refused, repeated─────▶ notStored
 *      │               └─no answer─────────────▶ unknown ──▶ looked for as an orphan
 *      └─no room, or others wait──▶ waiting
 */
import type { Claimed } from './claimed.ts';

/** What became of messages that dispatch expected. */
export type Fate = 'inFlight' | 'waiting' | 'notStored' | 'unknown';

/** Room that is reserved for messages being stored. `end` must be called for each. */
export interface Handover {
  /** The node at which they are to be stored as in flight. */
  readonly nodeId: number;
  /** `references`: those that messages of several parts were given. */
  end(fate: Fate, references?: ReadonlyMap<number, number>): void;
}

/** What sending needs of dispatch. */
export interface Dispatching {
  /** Reserves room for messages of one carrier; undefined when they have to wait in line. */
  expect(carrierId: number, rows: readonly Claimed[]): Handover | undefined;
  /** Says that messages wait for a carrier. */
  wake(carrierId: number): void;
}
