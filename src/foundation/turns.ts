/**
 * Lets several long tasks of one thread advance in turns, so that a short one does not wait for a long one to end, nor one
 * owner for all tasks of another.
 */

import { ServiceError } from './errors.ts';
import { LinkedMap } from './linked-map.ts';

/** How long a task may go on while others wait. */
const standardTurnMs = 4;

/** Whose time it is: the id of a company; of those who are not known yet, the network that they are in. */
export type TaskOwner = number | string;

interface Task {
  readonly work: Generator<unknown, unknown>;
  readonly isWanted: () => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Turns {
  readonly #turnMs: number;
  /** Of those who wait, and of nobody else; whose turn is next stands first. */
  readonly #owners = new LinkedMap<TaskOwner, OwnTasks>();
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
      const tasks = this.#owners.get(owner) ?? new OwnTasks();
      this.#owners.set(owner, tasks);
      tasks.fresh.push({ work, isWanted, resolve: resolve as Task['resolve'], reject });
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
    const [owner, tasks] = this.#owners.first as [TaskOwner, OwnTasks];
    // Goes to the end before its task advances, which may bring another.
    this.#owners.delete(owner);
    this.#owners.set(owner, tasks);
    const task = tasks.take();
    if (!advance(task, this.#turnMs)) tasks.begun.push(task);
    if (tasks.size === 0) this.#owners.delete(owner);
    // Between two turns messages from outside come in.
    if (this.#owners.size > 0) setImmediate(() => this.#turn());
    else this.#isRunning = false;
  }
}

/** Of one owner: one at least, or it is not among those who wait. */
class OwnTasks {
  /** Those that have had no turn yet go before every other one of the rest: most need no second. */
  readonly fresh: Task[] = [];
  readonly begun: Task[] = [];
  #isFreshNext = true;

  get size(): number {
    return this.fresh.length + this.begun.length;
  }

  take(): Task {
    const [first, second] = this.#isFreshNext ? [this.fresh, this.begun] : [this.begun, this.fresh];
    this.#isFreshNext = !this.#isFreshNext;
    return (first.shift() ?? second.shift()) as Task;
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
