/**
 * Passwords are verified one at a time, in turn: each takes a core for milliseconds, and who needs no verification shall
 * not feel how many wait for one.
 *
 *   run() ──▶ waiting ──(its turn)──▶ under way ──▶ answered
 *     │          └──(room for a network that has fewer)──▶ overloaded
 *     └──(no room)──▶ overloaded
 *
 * Users in a network of theirs go first. Strangers have a share of a core, and take turns by their networks.
 */
import { ServiceError } from '../foundation/errors.ts';
import { networkOf, wideNetworkOf } from '../http/network-of.ts';
import { type FairLimits, FairLine } from './fair-line.ts';

export interface LoginQueueLimits {
  /** Of users in networks of theirs. */
  readonly known: FairLimits;
  readonly strangers: FairLimits;
}

/** A good many users may start again behind one address, as after a restart of theirs or of this server. */
const standardLimits: LoginQueueLimits = {
  known: { inAll: 400, ofNetwork: 400, ofAddress: 400 },
  strangers: { inAll: 100, ofNetwork: 30, ofAddress: 10 },
};

/**
 * After a stranger's turn strangers wait three times as long as it took, so that they have a quarter of a core, and less
 * of a busy one. What takes longer than this waited for something else, such as the store.
 */
const restShare = 3;
const maxRestMs = 60;

/** Made once: in a flood, to refuse must cost little. */
export const overloaded = new ServiceError(
  'overloaded',
  'More passwords wait to be checked than this server can check in a second. Try again in a moment; API keys are checked at once.',
  { headers: { 'retry-after': '2' } },
);

export interface Waiting {
  readonly address: string;
  /** In a network where the user has been right before. */
  readonly isKnown: boolean;
  /** Nobody waits for the answer any more. */
  readonly isGone: () => boolean;
}

interface Turn {
  readonly isGone: () => boolean;
  readonly begin: () => Promise<void>;
  readonly refuse: (error: ServiceError) => void;
}

export class LoginQueue {
  readonly #known: FairLine<Turn>;
  readonly #strangers: FairLine<Turn>;
  #isBusy = false;
  #restsUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ known, strangers }: LoginQueueLimits = standardLimits) {
    this.#known = new FairLine(known);
    this.#strangers = new FairLine(strangers);
  }

  get waiting(): number {
    return this.#known.size + this.#strangers.size;
  }

  /** Returns what the work does when its turn has come. Throws `overloaded` when there is no room to wait. */
  run<Result>({ address, isKnown, isGone }: Waiting, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const turn: Turn = {
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
    const restMs = this.#restsUntilMs - performance.now();
    if (restMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, restMs);
      return;
    }
    const stranger = next(this.#strangers);
    if (stranger !== undefined) void this.#begin(stranger, restShare);
  }

  async #begin(turn: Turn, share: number): Promise<void> {
    this.#isBusy = true;
    const startedMs = performance.now();
    await turn.begin();
    const endedMs = performance.now();
    if (share > 0) this.#restsUntilMs = endedMs + Math.min(maxRestMs, share * (endedMs - startedMs));
    this.#isBusy = false;
    this.#advance();
  }
}

/** What nobody waits for is left out. */
function next(line: FairLine<Turn>): Turn | undefined {
  for (;;) {
    const turn = line.take();
    if (turn === undefined || !turn.isGone()) return turn;
    turn.refuse(overloaded);
  }
}
