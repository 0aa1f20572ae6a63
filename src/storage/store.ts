/** The store as the rooms see it, whatever engine is below, and what its calls fail with that are not at fault themselves. */
import { ServiceError } from '../foundation/errors.ts';
import type { Dialect } from './sql.ts';
import type { ReadVerb, WriteVerb } from './verb.ts';

export interface ReadOptions {
  /** Is aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Store {
  readonly dialect: Dialect;
  readonly damage: StoreDamage;
  /** False while writes of a verb fail because the store is at fault, or get no answer. */
  worksFor(verb: { readonly name: string }): boolean;
  /** How long what waits longest among the writes of a verb has waited so far, in milliseconds. */
  waitMs(verb: { readonly name: string }): number;
  /** Runs a verb and answers once what it wrote is durable. Throws `store_unavailable` or `overloaded` when it can't. */
  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output>;
  /** Reads committed state. Throws the signal's reason when nobody waits for the answer any more before it has begun. */
  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input, options?: ReadOptions): Promise<Output>;
  /** Tells all nodes that share this store, this one too, that something waits for them; best effort, never waited for. */
  announce(topic: string): void;
  onAnnouncement(listener: (topic: string) => void): void;
  /** What was deleted so far is to leave the files of the database soon, where that is ours to decide. */
  forgetDeleted(): void;
  /** Finishes what is under way, then lets go of the database. */
  close(): Promise<void>;
}

/** The store can't be reached or written. Nothing was kept: the caller may try again. */
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
 * The store fell silent, or its disk failed, while it made a call durable. The caller may look, or repeat the call under
 * its key.
 */
export class OutcomeUnknown extends ServiceError {
  constructor(cause: unknown) {
    super(
      'store_unavailable',
      'The store failed while it kept this call, so that it may or may not have been done. Repeat it with an `Idempotency-Key`, or look before you repeat it.',
      {
        headers: { 'retry-after': '2' },
        cause,
      },
    );
  }
}

/** A call has met damage: nothing was kept, and trying again does not help. */
export class StoreDamaged extends ServiceError {
  constructor(cause: Error) {
    super(
      'store_damaged',
      'What this call needs cannot be read: the store is damaged. Its operator is told; trying again does not help.',
      { cause },
    );
  }
}

/** Looks through the whole store, and answers with what is damaged in it, a sentence of the engine each. */
type Search = (signal: AbortSignal) => Promise<readonly string[]>;

/**
 * What is known of damage: rows or pages that the engine cannot make sense of, since a disk, a file system or somebody's
 * copy has lost some of them. Calls that need those fail; all others go on.
 */
export class StoreDamage {
  readonly #search: Search;
  readonly #tell: (error: Error) => void;
  #first: string | undefined;
  /** What an earlier process met. */
  #before: string | undefined;

  /** `tell` is called once, for the first damage that is met. */
  constructor(search: Search, tell: (error: Error) => void = () => undefined) {
    this.#search = search;
    this.#tell = tell;
  }

  /** What the engine said of the damage that was met first, by whichever call; undefined: none was met so far. */
  get first(): string | undefined {
    return this.#first ?? this.#before;
  }

  /** Goes on with what an earlier process met, until a search finds nothing. */
  remember(before: string): void {
    this.#before = before;
  }

  /** Hands on what a call failed with. */
  noted<Fault>(fault: Fault): Fault {
    if (fault instanceof StoreDamaged && this.#first === undefined) {
      const cause = fault.cause as Error;
      this.#first = cause.message;
      this.#tell(cause);
    }
    return fault;
  }

  /** May take minutes of a large store, in which it goes on serving. */
  async find(signal: AbortSignal = new AbortController().signal): Promise<readonly string[]> {
    const found = await this.#search(signal);
    const [first] = found;
    if (first === undefined) this.#before = undefined;
    else this.noted(new StoreDamaged(new Error(first)));
    return found;
  }
}
