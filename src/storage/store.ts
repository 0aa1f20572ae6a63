/** The store as the rooms see it, whichever engine is below, and the errors of calls that are not at fault themselves. */
import { ServiceError } from '../foundation/errors.ts';
import type { Dialect } from './sql.ts';
import type { ReadVerb, WriteVerb } from './verb.ts';

export interface ReadOptions {
  /** Aborted when nobody is waiting for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Store {
  readonly dialect: Dialect;
  readonly damage: StoreDamage;
  /** False while writes of a verb fail because of the store, or get no answer. */
  worksFor(verb: { readonly name: string }): boolean;
  /** How long the oldest waiting write of a verb has waited so far, in milliseconds. */
  waitMs(verb: { readonly name: string }): number;
  /** How many long reads wait for their turn. */
  readonly waitingReads: number;
  /** Runs a verb and resolves once its writes are durable. Throws `store_unavailable` or `overloaded` if it can't. */
  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output>;
  /**
   * Reads committed state. Throws the signal's reason if nobody is waiting for the answer any more before the read has begun.
   */
  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input, options?: ReadOptions): Promise<Output>;
  /**
   * Notifies all nodes that share this store, including this one, that there is something to do. Best effort, and never
   * awaited.
   */
  announce(topic: string): void;
  onAnnouncement(listener: (topic: string) => void): void;
  /** Makes everything deleted so far leave the database files soon, if that is ours to decide. */
  forgetDeleted(): void;
  /** Finishes work under way, then releases the database. */
  close(): Promise<void>;
}

/** The store can't be reached or written. Nothing was kept, so the caller may try again. */
export function storeUnavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'store_unavailable',
    'The store cannot be reached or written just now. Try again in a moment.',
    {
      headers: { 'retry-after': '2' },
      cause,
    },
  );
}

/**
 * The store fell silent, or its disk failed, while it made a call durable. The caller may check, or repeat the call
 * under its key.
 */
export class OutcomeUnknown extends ServiceError {
  constructor(cause: unknown) {
    super(
      'store_unavailable',
      { sentence: 'store_uncertain' },
      {
        headers: { 'retry-after': '2' },
        cause,
      },
    );
  }
}

/** A call has met damage. Nothing was kept, and trying again does not help. */
export class StoreDamaged extends ServiceError {
  constructor(cause: Error) {
    super(
      'store_damaged',
      'The store is damaged, and the data for this call cannot be read. The damage is reported in the log of the server; trying again does not help.',
      { cause },
    );
  }
}

/** Searches the whole store for damage. Returns one sentence of the engine for each finding. */
type Search = (signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Tracks known damage: rows or pages that the engine can't interpret because a disk, a file system or somebody's copy has
 * lost some of them. Calls that need them fail, and all others continue.
 */
export class StoreDamage {
  readonly #search: Search;
  readonly #tell: (error: Error) => void;
  #first: string | undefined;
  /** Damage that an earlier process met. */
  #before: string | undefined;

  /** `tell` is called once, for the first damage. */
  constructor(search: Search, tell: (error: Error) => void = () => undefined) {
    this.#search = search;
    this.#tell = tell;
  }

  /** The engine's message about the first damage that any call met. Undefined if no call has met any. */
  get first(): string | undefined {
    return this.#first ?? this.#before;
  }

  /** Carries over the damage that an earlier process met, until a search finds nothing. */
  remember(before: string): void {
    this.#before = before;
  }

  /** Records damage, and returns the call's error unchanged. */
  noted<Fault>(fault: Fault): Fault {
    if (fault instanceof StoreDamaged && this.#first === undefined) {
      const cause = fault.cause as Error;
      this.#first = cause.message;
      this.#tell(cause);
    }
    return fault;
  }

  /** May take minutes on a large store, which continues to serve meanwhile. */
  async find(signal: AbortSignal = new AbortController().signal): Promise<readonly string[]> {
    const found = await this.#search(signal);
    const [first] = found;
    if (first === undefined) this.#before = undefined;
    else this.noted(new StoreDamaged(new Error(first)));
    return found;
  }
}
