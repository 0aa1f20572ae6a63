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

/** How an expectation of dispatch ended. */
export type HandoverEnd = 'inFlight' | 'waiting' | 'notStored' | 'unknown';

/** Room reserved for messages that are being stored. `end` must be called for each reservation. */
export interface Handover {
  /** The node at which the messages are to be stored as in flight. */
  readonly nodeId: number;
  /** `references` holds the references of messages that have several parts. */
  end(how: HandoverEnd, references?: ReadonlyMap<number, number>): void;
}

/** The operations of dispatch that sending needs. */
export interface Dispatching {
  /** Reserves room for messages of one carrier; undefined when they have to queue. */
  expect(carrierId: number, rows: readonly Claimed[]): Handover | undefined;
  /** Reports that messages wait for a carrier. */
  wake(carrierId: number): void;
}

/**
 * A message as dispatch needs it: either claimed by a node from those waiting, or expected at the node since it was accepted.
 */
export interface Claimed {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly flash: number;
  readonly parts: number;
  readonly expires_at: number;
  readonly attempts: number;
  /** How many times the message has been in doubt. */
  readonly in_doubt: number;
  /** For a message of one part: the packed header that it has as a part of a longer text, else null. */
  readonly reference: number | null;
}
