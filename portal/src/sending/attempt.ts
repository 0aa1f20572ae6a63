/**
 * One attempt to send or start something, from the press of the button to the answer. It has its key from the start, and
 * keeps it across a lost connection and a reload: what is requested again under that key is never done twice.
 *
 *   held ──ten seconds──▶ sending ──answer──▶ sent
 *    │ undo                 │ refused ──▶ gone, with the server's sentence
 *    ▼                      │ no answer ──▶ doubtful ──again──▶ sending
 *   gone                    ▼                 └── a day later: outdated; it can only be searched for
 *    └── the page was closed: interrupted; nothing was sent, and nothing is sent until the user says so
 *
 * All tabs of a browser share one attempt. While it is held or being sent, one tab has it, and the other tabs show it as
 * `elsewhere`.
 */
import { type CallOptions, isRepeatable, newIdempotencyKey } from '../api/client.ts';
import { Fault, type FaultContent } from '../api/fault.ts';
import { serverTime } from '../browser/clock.ts';
import { keep, kept, whenKeptElsewhere } from '../browser/kept.ts';
import { sharedValue } from '../browser/value.ts';
import { currentSession } from '../session/session.ts';
import { type Language, language } from '../words/language.ts';

interface Begun<Parameters> {
  readonly key: string;
  readonly parameters: Parameters;
  /** When the attempt was first sent, or when its hold began. */
  readonly begunAt: number;
}

export type OpenAttempt<Parameters> = {
  readonly state: 'held' | 'interrupted' | 'sending' | 'doubtful' | 'outdated' | 'elsewhere';
  /** The server's answer, if the answer does not say whether it was done. */
  readonly said?: FaultContent & { readonly language: Language };
} & Begun<Parameters>;

export type Attempt<Parameters, Answer> =
  | OpenAttempt<Parameters>
  | { readonly state: 'sent'; readonly sent: Answer; readonly parameters: Parameters }
  | { readonly state: 'refused'; readonly fault: Fault; readonly parameters: Parameters };

/** Milliseconds during which the attempt can be undone: long enough to notice a mistake, short enough to wait for. */
const heldMs = 10_000;

/**
 * Browsers let the timers of a background tab run only once a minute. Locks, which need no timer, are available over HTTPS only.
 */
const aliveForMs = 90_000;

interface Way<Parameters, Answer> {
  /** The name under which the browser keeps such an attempt. */
  readonly kind: string;
  readonly call: (parameters: Parameters, options: CallOptions) => Promise<Answer>;
  /** What to do once it is accepted, whatever page is then shown. */
  readonly accepted?: (parameters: Parameters, username: string) => void;
}

/** The attempts of one kind: the current one, and what can be done about it. */
export class Attempts<Parameters, Answer> {
  readonly #way: Way<Parameters, Answer>;
  readonly #current = sharedValue<Attempt<Parameters, Answer> | undefined>(undefined);
  readonly use = this.#current.use;
  readonly now = this.#current.get;
  readonly subscribe = this.#current.subscribe;
  /** On the clock of `performance.now`. */
  #heldUntil = 0;
  #timer: number | undefined;
  #heartbeat: number | undefined;
  #owner: string | undefined;
  /** The key of the attempt that this tab holds or sends. */
  #ownKey: string | undefined;
  /** Whether the other tabs, and this one after a reload, know of the attempt. The browser's storage may be off or full. */
  #isStored = true;

  constructor(way: Way<Parameters, Answer>) {
    this.#way = way;
  }

  /** Seconds during which the attempt that this tab holds can still be undone. */
  secondsLeft(): number {
    return Math.max(0, Math.ceil((this.#heldUntil - performance.now()) / 1_000));
  }

  /** Loads what this browser knows of an attempt that a previous page did not finish, or that another tab holds. */
  recall(username: string): void {
    if (this.#owner === username) {
      this.#look();
      return;
    }
    if (this.#owner === undefined) {
      whenKeptElsewhere((name) => {
        if (name === this.#storedName() || name === this.#aliveName()) this.#look();
      });
      window.setInterval(() => {
        const state = this.#current.get()?.state;
        if (state === 'elsewhere' || state === 'doubtful') this.#look();
      }, 1_000);
    }
    this.#release();
    this.#owner = username;
    this.#current.set(undefined);
    this.#look();
  }

  /** Holds the attempt for ten seconds before it is sent. */
  hold(parameters: Parameters): void {
    this.#heldUntil = performance.now() + heldMs;
    this.#takeOn({ state: 'held', key: newIdempotencyKey(), parameters, begunAt: serverTime() });
    this.#timer = window.setTimeout(() => void this.sendNow(), heldMs);
  }

  /**
   * Drops the attempt, even if it was interrupted, refused or sent, and frees the form. An attempt that is being sent can't be
   * recalled.
   */
  letGo(): void {
    const attempt = this.#current.get();
    if (attempt?.state === 'sending') return;
    this.#release();
    if (attempt !== undefined && 'key' in attempt) this.#forget(attempt.key);
    this.#current.set(undefined);
    this.#look();
  }

  async sendNow(): Promise<void> {
    const attempt = this.#current.get();
    if (attempt === undefined || !('key' in attempt)) return;
    // The author has signed out, and the attempt must not be sent in anyone else's name.
    if (currentSession.get()?.username !== this.#owner) return this.letGo();
    if (this.#isStored && this.#stored()?.key !== attempt.key) return this.#look();
    const { state, key, parameters } = attempt;
    if (state === 'doubtful' && !isRepeatable(attempt.begunAt))
      return this.#current.set({ ...attempt, state: 'outdated' });
    if (state !== 'held' && state !== 'interrupted' && state !== 'doubtful') return;
    window.clearTimeout(this.#timer);
    const begunAt = state === 'doubtful' ? attempt.begunAt : serverTime();
    this.#takeOn({ state: 'sending', key, parameters, begunAt });
    const sender = this.#owner as string;
    try {
      const sent = await this.#way.call(parameters, { idempotencyKey: key, firstSentAt: begunAt });
      this.#way.accepted?.(parameters, sender);
      this.#forget(key);
      this.#current.set({ state: 'sent', sent, parameters });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.isRefusal) {
        this.#forget(key);
        this.#current.set({ state: 'refused', fault: error, parameters });
      } else {
        const said =
          error.code === 'unreachable' ? {} : { said: { code: error.code, error: error.error, language } };
        this.#become({ state: 'doubtful', key, parameters, begunAt, ...said });
      }
    }
    this.#release();
  }

  readonly #storedName = () => `${this.#way.kind}.${this.#owner}`;
  readonly #aliveName = () => `${this.#way.kind}-alive.${this.#owner}`;

  #stored(): OpenAttempt<Parameters> | undefined {
    const text = kept(this.#storedName());
    if (text === undefined) return undefined;
    const { said, ...attempt } = JSON.parse(text) as OpenAttempt<Parameters>;
    // An older version of the page stored a sentence without its code.
    return typeof said === 'object' ? { ...attempt, said } : attempt;
  }

  /** This tab reports that it is alive before other tabs learn that it holds the attempt. */
  #takeOn(attempt: OpenAttempt<Parameters>): void {
    if (this.#ownKey === undefined) {
      this.#ownKey = attempt.key;
      this.#sayAlive();
      this.#heartbeat = window.setInterval(this.#sayAlive, 1_000);
      window.addEventListener('pagehide', this.#fallSilent);
      window.addEventListener('beforeunload', warn);
    }
    this.#become(attempt);
  }

  #become(attempt: OpenAttempt<Parameters>): void {
    this.#current.set(attempt);
    this.#isStored = keep(this.#storedName(), JSON.stringify(attempt));
    // What is stored is out of date.
    if (!this.#isStored) keep(this.#storedName(), undefined);
  }

  #release(): void {
    if (this.#ownKey === undefined) return;
    this.#ownKey = undefined;
    window.clearTimeout(this.#timer);
    window.clearInterval(this.#heartbeat);
    this.#fallSilent();
    window.removeEventListener('pagehide', this.#fallSilent);
    window.removeEventListener('beforeunload', warn);
  }

  #forget(key: string): void {
    if (this.#stored()?.key === key) keep(this.#storedName(), undefined);
  }

  readonly #sayAlive = () => void keep(this.#aliveName(), String(Date.now()));
  readonly #fallSilent = () => void keep(this.#aliveName(), undefined);
  readonly #isAlive = () => Math.abs(Date.now() - Number(kept(this.#aliveName()) ?? 0)) < aliveForMs;

  /** The stored state is authoritative, because another tab may have taken over, finished or dropped the attempt. */
  #look(): void {
    if (!this.#isStored) return;
    const shown = this.#current.get();
    const known = this.#stored();
    if (known === undefined) {
      if (shown === undefined || !('key' in shown)) return;
      this.#release();
      this.#current.set(undefined);
      return;
    }
    if (known.key === this.#ownKey || shown?.state === 'sent') return;
    this.#release();
    const state = this.#stateOf(known);
    const isShown = shown !== undefined && 'key' in shown && shown.key === known.key && shown.state === state;
    if (!isShown) this.#current.set({ ...known, state });
  }

  /** The state of an attempt that this tab does not hold. */
  #stateOf(known: OpenAttempt<Parameters>): OpenAttempt<Parameters>['state'] {
    if (known.state !== 'doubtful' && this.#isAlive()) return 'elsewhere';
    if (known.state === 'held') return 'interrupted';
    return isRepeatable(known.begunAt) ? 'doubtful' : 'outdated';
  }
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
