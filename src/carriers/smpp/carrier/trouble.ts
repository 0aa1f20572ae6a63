/**
 * Tells a message that its SMSC refuses again and again from an SMSC that has too much: the first must not make all
 * others wait, the second wants rest.
 */

import type { OutgoingPart } from '../../carrier.ts';

/** What happened to one part so far. */
interface Trouble {
  refusals: number;
  /** How many submissions the SMSC had taken by then. */
  acceptedBefore: number;
}

/** Beyond, the longest known are forgotten: they count as new. */
const mostKnown = 10_000;
const longestPauseMs = 300_000;

export interface Advice {
  /** For this message, in milliseconds from now. */
  readonly pauseMs: number;
  /** Others went through meanwhile: it is the message, not the SMSC. */
  readonly isAlone: boolean;
}

export class Troubles {
  readonly #known = new Map<string, Trouble>();

  get size(): number {
    return this.#known.size;
  }

  /** `accepted` is the number of submissions that were taken so far, of whatever message. */
  refused(part: OutgoingPart, accepted: number, pauseMs: number): Advice {
    const key = keyOf(part);
    const known = this.#known.get(key);
    const refusals = (known?.refusals ?? 0) + 1;
    const isAlone = known !== undefined && accepted > known.acceptedBefore;
    this.#known.delete(key);
    this.#known.set(key, { refusals, acceptedBefore: accepted });
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value as string);
    return { pauseMs: Math.min(longestPauseMs, pauseMs * 2 ** Math.min(refusals - 1, 20)), isAlone };
  }

  /** It has ended, or has been given up for now without being refused. */
  ended(part: OutgoingPart): void {
    if (this.#known.size > 0) this.#known.delete(keyOf(part));
  }
}

function keyOf({ messageId, part }: OutgoingPart): string {
  return `${messageId}/${part}`;
}
