/**
 * Lets several long tasks of one thread advance in turns, so that a short one does not wait for a long one to end, and no
 * company or user waits for all tasks of another.
 */

import { ServiceError } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

/** How long a task may run while others wait. */
const standardTurnMs = 4;

/** Who owns the time: a user, or for a client not known yet, its network. */
export type TaskOwner = { readonly companyId: number; readonly userId: number } | string;

/** The turn that the owner takes in a `FairQueue`: a user's turn within its company, or the network's turn. */
export function turnOf(owner: TaskOwner): {
  readonly company: number | string;
  readonly member: number | string;
} {
  return typeof owner === 'string'
    ? { company: owner, member: '' }
    : { company: owner.companyId, member: owner.userId };
}

interface Task {
  readonly work: Generator<unknown, unknown>;
  readonly isWanted: () => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A user, or a network, that has tasks. */
interface BusyUser {
  readonly company: number | string;
  readonly key: string;
  /** Most tasks need a single turn. Those that have had none yet alternate with those that have begun. */
  readonly tasks: FairQueue<Task>;
}

export class Turns {
  readonly #turnMs: number;
  /** Holds each user once, however many tasks it has: companies take turns, and within each its users. */
  readonly #queue = new FairQueue<BusyUser>();
  /** Includes the user whose turn it is. */
  readonly #users = new Map<string, BusyUser>();
  #isRunning = false;

  constructor(turnMs = standardTurnMs) {
    this.#turnMs = turnMs;
  }

  /** A task that is no longer wanted is dropped at its next turn. */
  run<Result>(
    owner: TaskOwner,
    work: Generator<unknown, Result>,
    isWanted: () => boolean = () => true,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const task = { work, isWanted, resolve: resolve as Task['resolve'], reject };
      this.#userOf(owner).tasks.add(task, 'fresh', '');
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#turn());
    });
  }

  /** For a single step of the caller, which continues when its turn has come. */
  next(owner: TaskOwner): Promise<void> {
    return this.run(owner, nothing());
  }

  #userOf(owner: TaskOwner): BusyUser {
    const { company, member } = turnOf(owner);
    const key = `${company} ${member}`;
    const known = this.#users.get(key);
    if (known !== undefined) return known;
    const user = { company, key, tasks: new FairQueue<Task>() };
    this.#users.set(key, user);
    this.#queue.add(user, user.company, key);
    return user;
  }

  #turn(): void {
    const user = this.#queue.take() as BusyUser;
    const task = user.tasks.take() as Task;
    if (!advance(task, this.#turnMs)) user.tasks.add(task, 'begun', '');
    if (user.tasks.size > 0) this.#queue.add(user, user.company, user.key);
    else this.#users.delete(user.key);
    // Messages from outside are handled between two turns.
    if (this.#queue.size > 0) setImmediate(() => this.#turn());
    else this.#isRunning = false;
  }
}

/** Returns whether the task has ended. */
function advance({ work, isWanted, resolve, reject }: Task, turnMs: number): boolean {
  const endMs = performance.now() + turnMs;
  try {
    if (!isWanted()) {
      reject(
        new ServiceError('request_timeout', 'The client has disconnected: the result is no longer needed.'),
      );
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
