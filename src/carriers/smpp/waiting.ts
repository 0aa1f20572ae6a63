/** Submissions that wait for the window, the rate or the link, in order, each with the time since when it waits. */
import type { Submission } from './submission.ts';

/** Places that are read and not cleared yet; beyond, they are cut off. */
const mostSpent = 1_024;

export class Waiting {
  #submissions: Submission[] = [];
  /** By `performance.now()`. */
  #since: number[] = [];
  #head = 0;
  #parts = 0;

  /** SMS parts. */
  get parts(): number {
    return this.#parts;
  }

  get size(): number {
    return this.#submissions.length - this.#head;
  }

  push(submission: Submission, since: number): void {
    this.#submissions.push(submission);
    this.#since.push(since);
    this.#parts += submission.length;
  }

  /** Before all others, in the order given. */
  putBack(submissions: readonly Submission[], since: number): void {
    this.#submissions = [...submissions, ...this.#submissions.slice(this.#head)];
    this.#since = [...submissions.map(() => since), ...this.#since.slice(this.#head)];
    this.#head = 0;
    for (const submission of submissions) this.#parts += submission.length;
  }

  shift(): Submission | undefined {
    const submission = this.#submissions[this.#head];
    if (submission === undefined) return undefined;
    this.#head += 1;
    this.#parts -= submission.length;
    if (this.#head === this.#submissions.length) this.#cut();
    else if (this.#head > mostSpent && this.#head * 2 > this.#submissions.length) this.#cut();
    return submission;
  }

  /** Takes those that wait since before then. */
  takeOlder(then: number): readonly Submission[] {
    const older: Submission[] = [];
    while (this.size > 0 && (this.#since[this.#head] as number) < then) older.push(this.shift() as Submission);
    return older;
  }

  takeAll(): readonly Submission[] {
    return this.takeOlder(Number.POSITIVE_INFINITY);
  }

  #cut(): void {
    this.#submissions = this.#submissions.slice(this.#head);
    this.#since = this.#since.slice(this.#head);
    this.#head = 0;
  }
}
