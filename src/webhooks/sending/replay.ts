/**
 * A range of events that is posted again beside new ones: a few posts a second, each retried as patiently as any other
 * post.
 */
import { giveUpAfterMs, type Outcome, postBackoff } from './post-queue.ts';

/** The pause between two posts. */
const replayPauseMs = 100;

export class Replay {
  #next: number;
  /** The last event number of the range. */
  readonly to: number;
  /** The numbers of the events to post again. Undefined means the whole range. */
  readonly #only: readonly number[] | undefined;
  #tries = 0;
  #failingSince: number | undefined;
  #dueAt = 0;
  #end: 'done' | 'givenUp' | undefined;

  constructor(next: number, to: number, only?: readonly number[]) {
    this.#next = next;
    this.to = to;
    this.#only = only;
  }

  /** The number of the first event in the next post, or null once the replay has ended. */
  get next(): number | null {
    return this.#end === undefined ? this.#next : null;
  }

  /** The numbers still to be posted. Undefined means all from `next` on. */
  get left(): readonly number[] | undefined {
    return this.#only?.filter((seq) => seq >= this.#next);
  }

  /** How many times the next post has been tried so far. */
  get tries(): number {
    return this.#tries;
  }

  get dueAt(): number {
    return this.#dueAt;
  }

  /** Whether the last post was not accepted for a day. */
  get isGivenUp(): boolean {
    return this.#end === 'givenUp';
  }

  isDue(now: number): boolean {
    return this.#end === undefined && this.#dueAt <= now;
  }

  /** The clock was set back by this many milliseconds. */
  setBack(ms: number): void {
    this.#dueAt -= ms;
  }

  begin(now: number): void {
    this.#dueAt = now + replayPauseMs;
  }

  /** Called when no events of the range are left. */
  finish(): void {
    this.#end = 'done';
  }

  settle(lastSeq: number, { isTaken, chance, askedMs }: Outcome, now: number): void {
    if (isTaken) {
      this.#next = lastSeq + 1;
      this.#tries = 0;
      this.#failingSince = undefined;
      if (this.#next > this.to) this.finish();
      return;
    }
    this.#tries += 1;
    this.#failingSince ??= now;
    this.#dueAt = now + postBackoff.pauseMs(this.#tries, chance, askedMs);
    if (now - this.#failingSince >= giveUpAfterMs) this.#end = 'givenUp';
  }
}
