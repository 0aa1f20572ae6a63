/**
 * The reader threads, each with its own connection: one for short reads, and one for long reads, which their owners use
 * in turns.
 */
import { ReadTurns } from '../read-turns.ts';
import type { ReadOptions } from '../store.ts';
import type { ReadVerb } from '../verb.ts';
import { arrived, type StoreThread } from './store-thread.ts';

/** As long as a read of PostgreSQL waits for its connection. */
const maxWaitMs = 5_000;

export class Readers {
  readonly ready: Promise<unknown>;
  readonly #short: StoreThread;
  readonly #long: StoreThread;
  /** What waits for the thread waits here, where it can be dropped, or be overtaken by another owner. */
  readonly #turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs });

  constructor(start: () => StoreThread) {
    this.#short = start();
    this.#long = start();
    this.ready = Promise.all([this.#short.ready, this.#long.ready]);
  }

  async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    { signal }: ReadOptions,
  ): Promise<Output> {
    const owner = verb.ownerOf?.(input);
    if (owner === undefined) {
      signal?.throwIfAborted();
      return this.#ask(this.#short, verb, input);
    }
    await this.#turns.take(owner, signal);
    try {
      return await this.#ask(this.#long, verb, input);
    } finally {
      this.#turns.give(owner);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close()]);
  }

  async #ask<Input, Output>(thread: StoreThread, { name }: ReadVerb<Input, Output>, input: Input) {
    const [settled] = await thread.ask([{ verb: name, input }], 1);
    const { output, error } = arrived(settled);
    if (error !== undefined) throw error;
    return output as Output;
  }
}
