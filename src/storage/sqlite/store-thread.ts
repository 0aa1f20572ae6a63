/** A store thread as seen from the event loop: the requests sent to it, mainly groups of calls, and its responses. */
import { StartError } from '../../foundation/errors.ts';
import { CalledThread } from '../../foundation/thread.ts';
import { byVerb } from '../group-commit.ts';
import type { SchemaMode } from '../schema-version.ts';
import { OutcomeUnknown, StoreDamaged, storeUnavailable } from '../store.ts';
import type { AnyVerb, ReadVerb } from '../verb.ts';
import type { CrossingError } from './faults.ts';

export interface WorkerSetup {
  readonly role: 'writer' | 'reader' | 'migrator';
  readonly path: string;
  /** Only for the writer, which opens the store first. */
  readonly schema?: SchemaMode;
  /** Only for a reader whose cache is smaller than usual. */
  readonly cacheKiB?: number;
}

interface Call {
  readonly verb: AnyVerb;
  readonly input: unknown;
}

export interface NamedCall {
  readonly verb: string;
  readonly input: unknown;
}

/** `forget`: leave nothing in the files of what has been deleted so far. `migrate`: handled only by the migrator. */
export type WorkerAsk = WorkerRequest | 'open' | 'migrate' | 'forget' | 'close';

export interface WorkerRequest {
  /** The calls by verb: their inputs, or what the verb packs them into. */
  readonly steps: readonly { readonly verb: string; readonly inputs: unknown }[];
  /** The approximate number of rows that the calls touch. */
  readonly weight: number;
}

/** The outputs of a request's calls, by step and in each step's order, or the results if any call failed. */
export type WorkerAnswer =
  | { readonly outputs: readonly unknown[] }
  | { readonly settled: readonly WorkerSettled[] };

export type WorkerSettled = { readonly output: unknown } | { readonly error: CrossingError };

export type Opened =
  | { readonly isOpen: true }
  /** The store has this older schema version and must be migrated first. */
  | { readonly older: number }
  | {
      readonly refused: string;
      /** Whether the sentence is our own and needs no other text around it. */
      readonly isOwn: boolean;
    };

export class StoreThread {
  /** Resolves with the version of a store that must be migrated first, in which case the thread has ended. */
  readonly ready: Promise<number | undefined>;
  readonly #thread: CalledThread<WorkerAsk>;
  #hasOpened = false;
  #closing = false;

  constructor(entry: URL, setup: WorkerSetup, onEnd: (error: Error) => void = () => undefined) {
    this.#thread = new CalledThread(entry, {
      name: `store-${setup.role}`,
      noun: `the ${setup.role} thread of the store`,
      workerData: setup,
      // Pending requests may have been stored before the thread ended.
      lost: (cause) => new OutcomeUnknown(cause),
      gone: storeUnavailable,
      // If it cannot be started, only its starter needs to know.
      onEnd: (cause) => {
        if (this.#hasOpened && !this.#closing) onEnd(cause);
      },
    });
    this.ready = this.#open();
  }

  async ask(calls: readonly Call[], weight: number): Promise<readonly WorkerSettled[]> {
    const steps = byVerb(calls);
    const answer = await this.#thread.call<WorkerAnswer>({
      steps: steps.map(({ verb, indexes }) => {
        const inputs = indexes.map((index) => calls[index]?.input);
        return { verb: verb.name, inputs: verb.packing?.pack(inputs as never[]) ?? inputs };
      }),
      weight,
    });
    const settled = 'settled' in answer ? answer.settled : answer.outputs.map((output) => ({ output }));
    if (steps.length === 1) return settled;
    const inOrder: WorkerSettled[] = new Array(calls.length);
    for (const [place, index] of steps.flatMap(({ indexes }) => indexes).entries())
      inOrder[index] = settled[place] as WorkerSettled;
    return inOrder;
  }

  async read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output> {
    const [settled] = await this.ask([{ verb, input }], 1);
    const { output, error } = arrived(settled);
    if (error !== undefined) throw error;
    return output as Output;
  }

  forget(): void {
    this.#thread.tell('forget');
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#thread.tell('close');
    await this.#thread.ended;
  }

  /** Ends the thread without waiting for its current work, as far as Node can stop it. */
  async end(): Promise<void> {
    this.#closing = true;
    await this.#thread.end();
  }

  async migrate(): Promise<void> {
    await this.#openedBy('migrate');
  }

  #open(): Promise<number | undefined> {
    return this.#openedBy('open');
  }

  async #openedBy(ask: 'open' | 'migrate'): Promise<number | undefined> {
    const opened = await this.#thread.call<Opened>(ask).catch((error: OutcomeUnknown) => {
      throw error.cause;
    });
    if ('isOpen' in opened) {
      this.#hasOpened = true;
      return undefined;
    }
    // The thread does not end itself: its end could be seen before its response and be mistaken for an unexpected end.
    await this.close();
    if ('older' in opened) return opened.older;
    throw opened.isOwn ? new StartError(opened.refused) : new Error(opened.refused);
  }
}

export function arrived(settled: WorkerSettled | undefined): { output?: unknown; error?: Error } {
  if (settled === undefined) return { error: new Error('the store thread gave no answer') };
  if (!('error' in settled)) return { output: settled.output };
  const cause = new Error(settled.error.message);
  if (settled.error.stack !== undefined) cause.stack = settled.error.stack;
  const { fault } = settled.error;
  if (fault === 'own') return { error: cause };
  if (fault === 'damaged') return { error: new StoreDamaged(cause) };
  return { error: fault === 'unavailable' ? storeUnavailable(cause) : new OutcomeUnknown(cause) };
}
