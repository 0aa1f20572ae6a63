/**
 * Distinguishes a message that the carrier keeps refusing from an overloaded carrier: the first must not make all others wait, the
 * second needs a pause.
 */
import { LinkedMap } from '../foundation/linked-map.ts';
import type { OutgoingPart } from './carrier.ts';

/** The refusals of one part so far. */
interface RefusedPart {
  refusals: number;
  /** How many submissions the carrier had accepted at the latest refusal. */
  acceptedBefore: number;
}

/** Beyond this number the oldest are forgotten; if refused again, they count as new. */
const maxKnown = 10_000;
const maxPauseMs = 300_000;

interface RetryAdvice {
  /** How long this message should wait, in milliseconds from now. */
  readonly pauseMs: number;
  /** Whether other messages got through in the meantime, in which case this message is the problem and not the carrier. */
  readonly isOnlyThisMessage: boolean;
}

export class RepeatedRefusals {
  readonly #known = new LinkedMap<string, RefusedPart>();

  get size(): number {
    return this.#known.size;
  }

  /** `accepted` is the number of submissions accepted so far, of all messages. */
  refused(part: OutgoingPart, accepted: number, pauseMs: number): RetryAdvice {
    const key = keyOf(part);
    const known = this.#known.get(key);
    const refusals = (known?.refusals ?? 0) + 1;
    const isOnlyThisMessage = known !== undefined && accepted > known.acceptedBefore;
    this.#known.delete(key);
    this.#known.set(key, { refusals, acceptedBefore: accepted });
    if (this.#known.size > maxKnown) this.#known.delete(this.#known.first?.[0] as string);
    return { pauseMs: Math.min(maxPauseMs, pauseMs * 2 ** Math.min(refusals - 1, 20)), isOnlyThisMessage };
  }

  /** Called when the part has its outcome, or was given back without being refused. */
  ended(part: OutgoingPart): void {
    if (this.#known.size > 0) this.#known.delete(keyOf(part));
  }
}

function keyOf({ messageId, part }: OutgoingPart): string {
  return `${messageId}/${part}`;
}
