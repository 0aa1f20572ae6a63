/**
 * Whether the carrier takes messages, as far as its latest answers tell:
 *
 *   up ──can't be reached, refuses everything, asks for a long pause, or leaves messages in doubt in a row──▶ down
 *   ▲                                                                                                 pause │ ▲
 *   └──────────────── it took or refused a message ──────────────── trying, one message at a time ◀─────────┘ │
 *                                                                       └─────────────── none ────────────────┘
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Backoff } from '../backoff.ts';
import type { CarrierStatus } from '../carrier.ts';

/** So many messages in a row without a clear answer, and the carrier counts as down. */
const doubtsToGoDown = 3;

export class Availability {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #changed: () => void;
  #state: 'up' | 'trying' | 'down' = 'up';
  #since: number;
  #reason: string | null = null;
  #doubtsInARow = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `changed` is called when messages may go again. */
  constructor(clock: Clock, backoff: Backoff, changed: () => void) {
    this.#clock = clock;
    this.#backoff = backoff;
    this.#changed = changed;
    this.#since = clock.now();
  }

  /** How many messages may go at a time, if the window has room for so many. */
  bounded(window: number): number {
    if (this.#state === 'up') return window;
    return this.#state === 'trying' ? 1 : 0;
  }

  get isTrying(): boolean {
    return this.#state === 'trying';
  }

  /** While a trial is under way, nothing else goes, so that messages may take another way. */
  status(isBusy: boolean): Pick<CarrierStatus, 'state' | 'since' | 'reason' | 'isTrying'> {
    const since = this.#since;
    const state = this.#state === 'trying' && isBusy ? 'down' : this.#state;
    if (state !== 'trying') return { state, since, reason: this.#reason };
    return { state: 'up', since, reason: `it is being tried again: ${this.#reason}`, isTrying: true };
  }

  /** The carrier has dealt with a message, for better or worse. */
  proved(): void {
    this.#doubtsInARow = 0;
    if (this.#state === 'trying') this.#become('up', null);
    if (this.#state === 'up') this.#backoff.reset();
  }

  /** A message is in doubt, or was refused in a way that may or may not be meant for it alone. */
  doubted(reason: string): void {
    this.#doubtsInARow += 1;
    if (this.isTrying || this.#doubtsInARow >= doubtsToGoDown) this.fail(reason);
  }

  /**
   * Nothing goes until a pause has passed, at least as long as the carrier asked for. Further failures of messages that were
   * under way do not lengthen it.
   */
  fail(reason: string, askedMs = 0): void {
    if (this.#state === 'down') return;
    this.#become('down', reason);
    this.#timer = setTimeout(() => this.#try(), Math.max(askedMs, this.#backoff.next()));
  }

  /** It stays down. */
  end(reason: string): void {
    clearTimeout(this.#timer);
    this.#become('down', reason);
  }

  #try(): void {
    this.#doubtsInARow = 0;
    this.#become('trying', this.#reason);
    this.#changed();
  }

  #become(state: 'up' | 'trying' | 'down', reason: string | null): void {
    // A carrier that is tried in vain has been down all the time.
    if (this.#state === 'up' || state === 'up') this.#since = this.#clock.now();
    this.#state = state;
    this.#reason = reason;
  }
}
