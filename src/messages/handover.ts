/**
 * The short way of a message to its carrier: where none waits before it, it is stored as in flight at once, and handed
 * over as soon as it is durable. That saves the claim, and with it a second look at the row.
 *
 *   expect ──▶ accept, as in flight ──▶ inFlight ──▶ carrier
 *      │               ├─the node was given up──▶ waiting ──▶ claimed like all others
 *      │               ├─refused, repeated─────▶ notStored
 *      │               └─no answer─────────────▶ unknown ──▶ looked for as an orphan
 *      └─no room, or others wait──▶ waiting
 */
import type { Claimed } from './claimed.ts';

/** What became of messages that dispatch was made to expect. */
export type Fate = 'inFlight' | 'waiting' | 'notStored' | 'unknown';

/** Room kept for messages that are being stored. Each must be told its end. */
export interface Handover {
  /** The node at which they are to be stored as in flight. */
  readonly nodeId: number;
  /** `references`: those that messages of several parts were given. */
  end(fate: Fate, references?: ReadonlyMap<number, number>): void;
}

/** What sending knows of dispatch. */
export interface Dispatching {
  /** Keeps room for messages of one carrier; undefined: they have to wait in line. */
  expect(carrierId: number, rows: readonly Claimed[]): Handover | undefined;
  /** Something waits in a carrier's line. */
  wake(carrierId: number): void;
}
