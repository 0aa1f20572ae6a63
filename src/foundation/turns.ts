/**
 * Lets several long tasks of one thread advance in turns, so that a short one does not wait for a long one to end, nor one
 * owner for all tasks of another.
 */

import { ServiceError } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

/** How long a task may go on while others wait. */
const standardTurnMs = 4;

/** Whose time it is: the id of a company; of those who are not known yet, the network that they are in. */
export type TaskOwner = number | string;

interface Task {
  readonly owner: TaskOwner;
  readonly work: Generator<unknown, unknown>;
  readonly isWanted: () => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Turns {
  readonly #turnMs: number;
  /** By owner, and by whether they have had a turn: most fresh ones need no second, and go by turns with those that do. */
  readonly #tasks = new FairQueue<Task>();
  #isRunning = false;

  constructor(turnMs = standardTurnMs) {
    this.#turnMs = turnMs;
  }

  /** A task that nobody wants any more is given up at its next turn. */
  run<Result>(
    owner: TaskOwner,
    work: Generator<unknown, Result>,
    isWanted: () => boolean = () => true,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const task = { owner, work, isWanted, resolve: resolve as Task['resolve'], reject };
      this.#tasks.add(task, owner, 'fresh');
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#turn());
    });
  }

  /** For a single step of whoever asks: it goes on when its turn has come. */
  next(owner: TaskOwner): Promise<void> {
    return this.run(owner, nothing());
  }

  #turn(): void {
    const task = this.#tasks.take() as Task;
    if (!advance(task, this.#turnMs)) this.#tasks.add(task, task.owner, 'begun');
    // Between two turns messages from outside come in.
    if (this.#tasks.size > 0) setImmediate(() => this.#turn());
    else this.#isRunning = false;
  }
}

/** Whether the task has ended. */
function advance({ work, isWanted, resolve, reject }: Task, turnMs: number): boolean {
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
