/** A range of events that is posted again beside what is new: a few posts a second, and as patiently as any other. */
import { giveUpAfterMs, type Outcome, postBackoff } from './post-queue.ts';

/** From one post to the next. */
const replayPauseMs = 100;

export class Replay {
  #next: number;
  /** The last one. */
  readonly to: number;
  /** The numbers of those that are posted again; undefined: all of the range. */
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

  /** The event that the next post begins with; null: it has ended. */
  get next(): number | null {
    return this.#end === undefined ? this.#next : null;
  }

  /** The numbers that are still to be posted; undefined: all from `next` on. */
  get left(): readonly number[] | undefined {
    return this.#only?.filter((seq) => seq >= this.#next);
  }

  /** Of the next post, so far. */
  get tries(): number {
    return this.#tries;
  }

  get dueAt(): number {
    return this.#dueAt;
  }

  /** Its last post was not taken for a day. */
  get isGivenUp(): boolean {
    return this.#end === 'givenUp';
  }

  isDue(now: number): boolean {
    return this.#end === undefined && this.#dueAt <= now;
  }

  /** The clock was set back by so much. */
  setBack(ms: number): void {
    this.#dueAt -= ms;
  }

  begin(now: number): void {
    this.#dueAt = now + replayPauseMs;
  }

  /** Nothing of the range is left. */
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
