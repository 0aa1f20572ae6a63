/**
 * Verifies passwords one at a time, in turn: each takes a core for milliseconds, and callers who need no verification must
 * not be slowed down by those who wait for one.
 *
 *   run() ──▶ waiting ──(its turn)──▶ under way ──▶ answered
 *     │          └──(room for a network that has fewer)──▶ overloaded
 *     └──(no room)──▶ overloaded
 *
 * Users in networks from which they have logged in before go first. Strangers share part of a core, and their networks take
 * turns.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type FairLimits, FairQueue } from '../foundation/fair-queue.ts';
import { networkOf, wideNetworkOf } from '../http/origin.ts';

/** Owners are wide networks, and members are the networks within them. */
export interface LoginQueueLimits {
  /** Limits for users in networks from which they have logged in before. */
  readonly known: FairLimits;
  readonly strangers: FairLimits;
}

/** Many users behind one address may log in at once, for example after a restart of their system or of this server. */
const standardLimits: LoginQueueLimits = {
  known: { inAll: 400, ofOwner: 400, ofMember: 400 },
  strangers: { inAll: 100, ofOwner: 30, ofMember: 10 },
};

/**
 * After a stranger's turn, strangers pause three times as long as the turn took, so that they get at most a quarter of a
 * core, and less when it is busy. The pause is capped, since a longer turn was waiting for something else, such as the
 * store.
 */
const pauseShare = 3;
const maxPauseMs = 60;

/** Created once, since a refusal must be cheap during a flood. */
export const overloaded = new ServiceError(
  'overloaded',
  { sentence: 'passwords_waiting' },
  { headers: { 'retry-after': '2' } },
);

export interface WaitingLogin {
  readonly address: string;
  /** Whether the user has logged in from this network before. */
  readonly isKnown: boolean;
  /** Whether the caller has stopped waiting for the answer. */
  readonly isGone: () => boolean;
}

interface QueuedLogin {
  readonly isGone: () => boolean;
  readonly begin: () => Promise<void>;
  readonly refuse: (error: ServiceError) => void;
}

export class LoginQueue {
  readonly #known: FairQueue<QueuedLogin>;
  readonly #strangers: FairQueue<QueuedLogin>;
  #isBusy = false;
  #pausedUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ known, strangers }: LoginQueueLimits = standardLimits) {
    this.#known = new FairQueue(known);
    this.#strangers = new FairQueue(strangers);
  }

  get waiting(): number {
    return this.#known.size + this.#strangers.size;
  }

  /** Returns the result of `work` when its turn has come. Throws `overloaded` when the queue is full. */
  run<Result>({ address, isKnown, isGone }: WaitingLogin, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const turn: QueuedLogin = {
        isGone,
        begin: () => work().then(resolve, reject),
        refuse: reject,
      };
      const line = isKnown ? this.#known : this.#strangers;
      line.add(turn, wideNetworkOf(address), networkOf(address))?.refuse(overloaded);
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#isBusy) return;
    const known = next(this.#known);
    if (known !== undefined) return void this.#begin(known, 0);
    if (this.#strangers.size === 0) return;
    const restMs = this.#pausedUntilMs - performance.now();
    if (restMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, restMs);
      return;
    }
    const stranger = next(this.#strangers);
    if (stranger !== undefined) void this.#begin(stranger, pauseShare);
  }

  async #begin(turn: QueuedLogin, share: number): Promise<void> {
    this.#isBusy = true;
    const startedMs = performance.now();
    await turn.begin();
    const endedMs = performance.now();
    if (share > 0) this.#pausedUntilMs = endedMs + Math.min(maxPauseMs, share * (endedMs - startedMs));
    this.#isBusy = false;
    this.#advance();
  }
}

/** Skips logins whose callers have stopped waiting. */
function next(line: FairQueue<QueuedLogin>): QueuedLogin | undefined {
  for (;;) {
    const turn = line.take();
    if (turn === undefined || !turn.isGone()) return turn;
    turn.refuse(overloaded);
  }
}
