/** A thread of the store as the event loop sees it: it is asked, and answers each request by its id. */
import type { Worker } from 'node:worker_threads';
import { StartError } from '../../foundation/errors.ts';
import { Slots } from '../../foundation/slots.ts';
import { startThread } from '../../foundation/thread.ts';
import { OutcomeUnknown, storeUnavailable } from '../store.ts';
import type {
  NamedCall,
  WorkerAnswer,
  WorkerRefusal,
  WorkerRequest,
  WorkerSettled,
  WorkerSetup,
} from './worker.ts';

interface Waiting {
  readonly resolve: (settled: readonly WorkerSettled[]) => void;
  readonly reject: (error: unknown) => void;
}

export class StoreThread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  #waiting = new Slots<Waiting>();
  readonly #ended: Promise<void>;
  #failure: Error | undefined;
  #closing = false;

  constructor(entry: URL, setup: WorkerSetup, onEnd: (error: Error) => void = () => undefined) {
    this.#worker = startThread(entry, { workerData: setup, name: `store-${setup.role}` });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: WorkerAnswer | WorkerRefusal | 'ready') => {
        if (message === 'ready') resolve();
        else if ('refused' in message) {
          this.#closing = true;
          reject(message.isOwn ? new StartError(message.refused) : new Error(message.refused));
        } else this.#settle(message);
      });
      this.#worker.on('error', (error) => {
        this.#fail(error);
        reject(error);
      });
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new Error(`the ${setup.role} thread of the store has ended`));
        if (!this.#closing) onEnd(this.#failure as Error);
        resolve();
      });
    });
  }

  ask(calls: readonly NamedCall[], weight: number): Promise<readonly WorkerSettled[]> {
    if (this.#failure !== undefined) return Promise.reject(storeUnavailable(this.#failure));
    return new Promise((resolve, reject) => {
      const id = this.#waiting.add({ resolve, reject });
      try {
        this.#worker.postMessage({ id, calls, weight } satisfies WorkerRequest);
      } catch (error) {
        this.#waiting.remove(id);
        throw error;
      }
    });
  }

  forget(): void {
    this.#worker.postMessage('forget');
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#worker.postMessage('close');
    await this.#ended;
  }

  #settle(answer: WorkerAnswer): void {
    this.#waiting.remove(answer.id)?.resolve(answer.settled);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    // What was asked of it may have been kept before it ended.
    for (const { reject } of this.#waiting) reject(new OutcomeUnknown(error));
    this.#waiting = new Slots();
  }
}

export function arrived(settled: WorkerSettled | undefined): { output?: unknown; error?: Error } {
  if (settled === undefined) return { error: new Error('the store thread gave no answer') };
  if (!('error' in settled)) return { output: settled.output };
  const cause = new Error(settled.error.message);
  if (settled.error.stack !== undefined) cause.stack = settled.error.stack;
  const { fault } = settled.error;
  if (fault === 'own') return { error: cause };
  return { error: fault === 'unavailable' ? storeUnavailable(cause) : new OutcomeUnknown(cause) };
}
