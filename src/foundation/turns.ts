/** Lets several long tasks of one thread advance in turns, so that a short one does not wait for the end of a long one. */

import { ServiceError } from './errors.ts';

/** How long a task may go on while others wait. */
const turnMs = 4;

interface Task {
  readonly work: Generator<unknown, unknown>;
  readonly isWanted: () => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Turns {
  /** Those that have had no turn yet go before every other one of the rest: most need no second. */
  readonly #fresh: Task[] = [];
  readonly #begun: Task[] = [];
  #isFreshNext = true;
  #isRunning = false;

  /** A task that nobody wants any more is given up at its next turn. */
  run<Result>(work: Generator<unknown, Result>, isWanted: () => boolean = () => true): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#fresh.push({ work, isWanted, resolve: resolve as Task['resolve'], reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#turn());
    });
  }

  /** For a single step of whoever asks: it goes on when its turn has come. */
  next(): Promise<void> {
    return this.run(nothing());
  }

  #turn(): void {
    const [first, second] = this.#isFreshNext ? [this.#fresh, this.#begun] : [this.#begun, this.#fresh];
    this.#isFreshNext = !this.#isFreshNext;
    const task = first.shift() ?? second.shift();
    if (task !== undefined && !advance(task)) this.#begun.push(task);
    // Between two turns messages from outside come in.
    if (this.#fresh.length + this.#begun.length > 0) setImmediate(() => this.#turn());
    else this.#isRunning = false;
  }
}

/** Whether the task has ended. */
function advance({ work, isWanted, resolve, reject }: Task): boolean {
  const endMs = performance.now() + turnMs;
  try {
    if (!isWanted()) {
      reject(new ServiceError('request_timeout', 'The client has left: nobody wants this any more.'));
      return true;
    }
    do {
      const step = work.next();
      if (step.done) {
        resolve(step.value);
        return true;
      }
    } while (performance.now() < endMs);
    return false;
  } catch (error) {
    reject(error);
    return true;
  }
}

function* nothing(): Generator<void, void> {}
