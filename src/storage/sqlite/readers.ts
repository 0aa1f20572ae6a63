/**
 * The reader threads, each with its own connection: one for short reads, and one for long reads, which their owners use
 * in turns.
 */
import { ReadTurns } from '../read-turns.ts';
import { type ReadOptions, storeUnavailable } from '../store.ts';
import type { ReadVerb } from '../verb.ts';
import type { StoreThread } from './store-thread.ts';

/** As long as a read of PostgreSQL waits for its connection. */
const maxWaitMs = 5_000;

export class Readers {
  readonly ready: Promise<unknown>;
  readonly #start: () => StoreThread;
  readonly #short: StoreThread;
  /** Started for the first long read: most commands come to their end without one. */
  #long: StoreThread | undefined;
  /** What waits for the thread waits here, where it can be dropped, or be overtaken by another owner. */
  readonly #turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs });

  constructor(start: () => StoreThread) {
    this.#start = start;
    this.#short = start();
    this.ready = this.#short.ready;
  }

  async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    { signal }: ReadOptions,
  ): Promise<Output> {
    const owner = verb.ownerOf?.(input);
    if (owner === undefined) {
      signal?.throwIfAborted();
      return this.#short.read(verb, input);
    }
    await this.#turns.take(owner, signal);
    try {
      const thread = await this.#forLongReads();
      return await thread.read(verb, input);
    } finally {
      this.#turns.give(owner);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long?.close()]);
  }

  async #forLongReads(): Promise<StoreThread> {
    this.#long ??= this.#start();
    const thread = this.#long;
    try {
      await thread.ready;
      return thread;
    } catch (error) {
      // The next read tries again.
      if (this.#long === thread) this.#long = undefined;
      throw storeUnavailable(error as Error);
    }
  }
}
