/** Ids without a round trip for each one: a node leases a block of them from the store and draws from it. */
import { type Clock, systemClock } from '../foundation/clock.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';
import { type Reading, singleWriteVerb, type Transaction } from './verb.ts';

/** The kinds of object that ids are drawn for. Ids of different kinds may be equal. */
export type IdKind = keyof typeof firstIds;

/** The id sequence of a noun that declares its own. */
export interface IdSequence {
  readonly name: string;
  readonly first: number;
}

/** The first id of each kind. Message ids are long from the start, so they are not mistaken for counts. */
const firstIds = {
  company: 1_001,
  user: 10_001,
  apiKey: 1,
  carrier: 1,
  message: 1_000_000_001,
  batch: 100_001,
  incoming: 1_000_000_001,
  node: 1,
  addressBook: 1,
  contact: 1,
  tag: 1,
  systemUser: 501,
  webhook: 1,
  jobRun: 1_001,
  contactImport: 1,
} as const satisfies Readonly<Record<string, number>>;

interface BlockRequest {
  readonly kind: IdKind | IdSequence;
  readonly size: number;
}

/** Returns the first id of a block, which then belongs to the caller unless the transaction fails. */
export async function leaseBlock(transaction: Transaction, { kind, size }: BlockRequest): Promise<number> {
  const { name, first } = typeof kind === 'string' ? { name: kind, first: firstIds[kind] } : kind;
  const row = await transaction.first<{ next_id: number }>(
    sql`INSERT INTO id_blocks (name, next_id) VALUES (${name}, ${first + size})
        ON CONFLICT (name) DO UPDATE SET next_id = id_blocks.next_id + ${size}
        RETURNING next_id`,
  );
  return (row as { next_id: number }).next_id - size;
}

export const leaseIds = singleWriteVerb('storage.leaseIds', leaseBlock);

/**
 * A block is discarded at this age. An id drawn more than this long after another is therefore the greater one,
 * whichever nodes drew them.
 */
export const oldestBlockMs = 24 * 60 * 60_000;

interface Lease {
  readonly first: Promise<number>;
  readonly at: number;
}

/** Leases the next block in advance, so drawing rarely waits. */
export class Ids {
  readonly #store: Store;
  readonly #kind: IdKind;
  readonly #blockSize: number;
  readonly #clock: Clock;
  #next = 0;
  #end = 0;
  #leasedAt = 0;
  #ahead: Lease | undefined;

  constructor(store: Store, kind: IdKind, blockSize: number, clock: Clock = systemClock) {
    this.#store = store;
    this.#kind = kind;
    this.#blockSize = blockSize;
    this.#clock = clock;
  }

  /** Returns the first of `count` consecutive ids, or a promise of it if the store has to be asked. */
  draw(count: number): number | Promise<number> {
    // Large draws lease their own ids. Taken from the block, they would make everyone else wait for the next one.
    if (count > Math.max(1, this.#blockSize / 16))
      return this.#store.write(leaseIds, { kind: this.#kind, size: count });
    if (this.#next + count > this.#end || this.#isOld(this.#leasedAt)) return this.#drawFromNewBlock(count);
    const first = this.#next;
    this.#next += count;
    if (this.#ahead === undefined && this.#end - this.#next < this.#blockSize / 4) this.#leaseAhead();
    return first;
  }

  async #drawFromNewBlock(count: number): Promise<number> {
    const known = this.#ahead;
    const ahead = known === undefined || this.#isOld(known.at) ? this.#leaseAhead() : known;
    const first = await ahead.first;
    if (this.#ahead === ahead) {
      // The first waiting caller opens the new block, and the rest of the old one is discarded.
      this.#ahead = undefined;
      this.#next = first;
      this.#end = first + this.#blockSize;
      this.#leasedAt = ahead.at;
    }
    return this.draw(count);
  }

  /** True even if the difference arises because the clock was set back. */
  #isOld(at: number): boolean {
    return Math.abs(this.#clock.now() - at) > oldestBlockMs;
  }

  #leaseAhead(): Lease {
    const first = this.#store.write(leaseIds, { kind: this.#kind, size: this.#blockSize });
    const lease = { first, at: this.#clock.now() };
    this.#ahead = lease;
    first.catch(() => {
      // Callers waiting for this lease get the error, and the next draw tries again.
      if (this.#ahead === lease) this.#ahead = undefined;
    });
    return lease;
  }
}

/** Returns whether an id of this kind has ever been drawn. */
export async function hasLeased(reading: Reading, kind: IdKind): Promise<boolean> {
  return (await reading.first(sql`SELECT name FROM id_blocks WHERE name = ${kind}`)) !== undefined;
}

/** Assigns ids to the objects that have none. Ids that are already assigned are skipped, now and later. */
export async function fillIds<Kept extends { readonly id: number | undefined }>(
  transaction: Transaction,
  kind: IdKind,
  objects: readonly Kept[],
): Promise<readonly (Kept & { readonly id: number })[]> {
  // An empty block ensures that there is a row to update.
  await leaseBlock(transaction, { kind, size: 0 });
  const highest = Math.max(0, ...objects.flatMap(({ id }) => id ?? []));
  await transaction.run(
    sql`UPDATE id_blocks SET next_id = ${highest + 1} WHERE name = ${kind} AND next_id <= ${highest}`,
  );
  const missing = objects.filter(({ id }) => id === undefined).length;
  let next = await leaseBlock(transaction, { kind, size: missing });
  return objects.map((object) => ({ ...object, id: object.id ?? next++ }));
}
