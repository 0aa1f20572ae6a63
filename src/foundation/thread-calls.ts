/** Calls to a thread and their answers. What a thread still owes when it ends is answered by an error. */
import { parentPort, type Worker } from 'node:worker_threads';
import { arrived, type CrossingFault, crossing } from './crossing-fault.ts';
import { Slots } from './slots.ts';
import { startThread } from './thread.ts';

/** Without an id nobody waits for an answer. */
export interface Call<Ask> {
  readonly id?: number;
  readonly ask: Ask;
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: CrossingFault };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface CalledThreadOptions {
  readonly name: string;
  /** Completes "… has ended". */
  readonly noun: string;
  readonly workerData?: unknown;
  /** For who waits for an answer when the thread ends. */
  readonly lost: (cause: Error) => Error;
  /** For who asks after that. */
  readonly gone: (cause: Error) => Error;
  readonly onEnd?: (cause: Error) => void;
}

export class CalledThread<Ask> {
  /** Resolves when the thread is no more. */
  readonly ended: Promise<void>;
  readonly #options: CalledThreadOptions;
  readonly #worker: Worker;
  #waiting = new Slots<Waiting>();
  #failure: Error | undefined;

  constructor(entry: URL, options: CalledThreadOptions) {
    this.#options = options;
    this.#worker = startThread(entry, options);
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new Error(`${options.noun} has ended`));
        resolve();
      });
    });
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** `transfer` is left out rather than empty: an empty list costs a call of the store a tenth more. */
  call<Answer>(ask: Ask, transfer?: readonly ArrayBuffer[]): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#options.gone(this.#failure));
    return new Promise((resolve, reject) => {
      const id = this.#waiting.add({ resolve, reject });
      try {
        this.#worker.postMessage({ id, ask } satisfies Call<Ask>, transfer);
      } catch (error) {
        this.#waiting.remove(id);
        throw error;
      }
    });
  }

  tell(ask: Ask): void {
    this.#worker.postMessage({ ask } satisfies Call<Ask>);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.remove(reply.id);
    if ('fault' in reply) waiting?.reject(arrived(reply.fault));
    else waiting?.resolve(reply.answer as never);
  }

  #fail(cause: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = cause;
    const waiting = this.#waiting;
    this.#waiting = new Slots();
    for (const { reject } of waiting) reject(this.#options.lost(cause));
    this.#options.onEnd?.(cause);
  }
}

/** In the thread: has each call answered, also one that nobody waits for any more. `given` names what an answer hands over. */
export function answerCalls<Ask, Answer>(
  answer: (ask: Ask) => Promise<Answer>,
  given: (answer: Answer) => readonly ArrayBuffer[] = () => [],
): void {
  const port = portOfThread();
  port.on('message', async ({ id, ask }: Call<Ask>) => {
    if (id === undefined) {
      await answer(ask);
      return;
    }
    try {
      const answered = await answer(ask);
      port.postMessage({ id, answer: answered } satisfies Reply, given(answered));
    } catch (error) {
      port.postMessage({ id, fault: crossing(error) } satisfies Reply);
    }
  });
}

export function portOfThread() {
  if (parentPort === null) throw new Error('this file runs as a worker thread only');
  return parentPort;
}
