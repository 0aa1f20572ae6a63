/**
 * What is known of damage to a store: rows or pages that its engine cannot make sense of, since a disk, a file system or
 * somebody's copy has lost some of them. Calls that need those fail; all others go on.
 */
import { ServiceError } from '../foundation/errors.ts';

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

export class StoreDamage {
  readonly #search: Search;
  readonly #tell: (error: Error) => void;
  #first: string | undefined;

  /** `tell` is called once, for the first damage that is met. */
  constructor(search: Search, tell: (error: Error) => void = () => undefined) {
    this.#search = search;
    this.#tell = tell;
  }

  /** What the engine said of the damage that was met first, by whichever call; undefined: none was met so far. */
  get first(): string | undefined {
    return this.#first;
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
    if (first !== undefined) this.noted(new StoreDamaged(new Error(first)));
    return found;
  }
}
