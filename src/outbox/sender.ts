/**
 * Delivers to one receiver what its queue supplies, with several attempts at the same time, and has the outcome of each
 * stored. The queue decides what comes next and what an answer means; `Breaker` decides how often an unreachable receiver is
 * tried.
 *
 *   woken ──▶ next ──▶ under way ──stored──▶ woken
 *               └──nothing for now──▶ rests until something is due, or it is woken
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, ClockWatch, type Stopwatch } from '../foundation/clock.ts';

interface SenderOptions {
  readonly clock: Clock;
  /** The system's stopwatch by default. */
  readonly stopwatch?: Stopwatch;
  /** Whether this node may still deliver. */
  readonly mayDeliver: () => boolean;
  /**
   * Begins what may be done now: either an attempt that includes storing its outcome, or a reading of waiting rows.
   * Undefined when there is nothing to do. After a failure, the sender rests for a second unless woken.
   */
  readonly next: (now: number) => Promise<void> | undefined;
  /** When there will be something to do for which no wake comes; Infinity for never. */
  readonly dueAt: () => number;
  /**
   * Called when the clock was set back by this much, so that everything due by that clock becomes due that much sooner.
   */
  readonly setBack: (ms: number) => void;
  /** How long a stop waits for deliveries in progress; outcomes not stored by then are delivered again. */
  readonly stopMs: number;
  readonly failed: (error: unknown) => void;
}

const leastPauseMs = 100;
const longestPauseMs = 60_000;
const storePauseMs = 1_000;
/** An unreachable store is reported once a minute. */
const triesOfWarning = 60;

export class Sender {
  readonly #options: SenderOptions;
  readonly #watch: ClockWatch;
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isOver = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#watch = new ClockWatch(options.clock, options.stopwatch);
  }

  /** Whether nothing more may be stored, since another sender may have taken over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether nothing more may be begun. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Signals that there may be something to do. It is cheap and is called often. */
  wake(): void {
    const { clock, mayDeliver, next, dueAt, setBack } = this.#options;
    if (this.#isStopped || !mayDeliver()) return;
    const setBackMs = this.#watch.setBackMs();
    if (setBackMs > 0) setBack(setBackMs);
    const now = clock.now();
    for (let work = next(now); work !== undefined; work = next(now)) this.#follow(work);
    this.#rest(Math.min(Math.max(dueAt() - now, leastPauseMs), longestPauseMs));
  }

  /** Retries however long the store is unreachable, because deliveries made must be recorded. */
  async persistently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isStopped) throw error;
        if (tries % triesOfWarning === 1) this.#options.failed(error);
        await delay(storePauseMs);
        if (this.#isOver) throw error;
      }
    }
  }

  /** From now on nothing is begun or stored. */
  end(): void {
    this.#isStopped = true;
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Resolves when the deliveries in progress are stored or take too long. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const waiting = new AbortController();
    await Promise.race([
      Promise.all(this.#underWay),
      delay(this.#options.stopMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    this.end();
  }

  #follow(work: Promise<void>): void {
    const ended = work.then(
      () => {
        this.#underWay.delete(ended);
        this.wake();
      },
      (error: unknown) => {
        this.#underWay.delete(ended);
        if (this.#isStopped) return;
        this.#options.failed(error);
        this.#rest(storePauseMs);
      },
    );
    this.#underWay.add(ended);
  }

  #rest(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms).unref();
  }
}
