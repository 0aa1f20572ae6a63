/**
 * Which number of the pool a two-way SMS goes out from. Whoever has the lease of a number and a recipient gets the
 * recipient's answers to it. A book is opened for some recipients, writes leases for them, and is then stored.
 *
 *   the conversation has a number to itself ▶ that one
 *   a number without a live lease ──────────▶ the one that was used longest ago
 *   none ───────────────────────────────────▶ the one whose lease is the oldest, unless a job waits for answers on it
 */

/** Who waits for answers. A number on which a live job waits is never given to anybody else. */
export const holder = { message: 0, job: 1 } as const;

export interface Lease {
  readonly recipient: string;
  readonly number: string;
  /** The message that an answer belongs to. */
  readonly messageId: number;
  readonly companyId: number;
  readonly userId: number;
  readonly conversation: string;
  readonly holder: number;
  /** Counts leases in the order of their making, whatever the clocks say. */
  readonly turn: number;
  /** When the message goes out; milliseconds since the epoch. */
  readonly startsAt: number;
  readonly endsAt: number;
}

export type Wanted = Omit<Lease, 'number' | 'turn'> & {
  /** Absent: any number of the pool will do. */
  readonly only?: Pick<ReadonlySet<string>, 'has'>;
};

/** Answers often come when the message itself is long over. */
export const leaseAfterValidityMs = 72 * 60 * 60 * 1_000;

export class LeaseBook {
  /** The one that was used longest ago comes first. */
  readonly #pool: Set<string>;
  readonly #leases = new Map<string, Lease[]>();
  readonly #made = new Set<Lease>();
  readonly #ended = new Set<Lease>();
  #turn: number;

  /** `turn`: of the latest lease of a number, 0 when it has none. */
  constructor(pool: readonly { readonly number: string; readonly turn: number }[], leases: readonly Lease[]) {
    this.#pool = new Set(
      [...pool].sort((a, b) => a.turn - b.turn || (a.number < b.number ? -1 : 1)).map(({ number }) => number),
    );
    this.#turn = pool.reduce((latest, { turn }) => Math.max(latest, turn), 0);
    for (const lease of leases) this.#of(lease.recipient).push(lease);
  }

  /** Those that were not stored yet. */
  get made(): readonly Lease[] {
    return [...this.#made];
  }

  /** Stored ones that are gone, or made anew. */
  get ended(): readonly Lease[] {
    return [...this.#ended];
  }

  /** False: there is no pool, or on each of its numbers that will do a live job waits for this recipient. */
  canLease(wanted: Wanted, now: number): boolean {
    const mayBeKept = this.#of(wanted.recipient).some((lease) => lease.holder === holder.job);
    if (mayBeKept || wanted.only !== undefined) return this.#choose(wanted, now) !== undefined;
    return this.#pool.size > 0;
  }

  /** Answers with the number; undefined as above. */
  lease(wanted: Wanted, now: number): string | undefined {
    const number = this.#choose(wanted, now);
    if (number === undefined) return undefined;
    const { only: _, ...lease } = wanted;
    this.#write({ ...lease, number, turn: ++this.#turn }, now);
    return number;
  }

  #choose(wanted: Wanted, now: number): string | undefined {
    const leases = this.#of(wanted.recipient);
    const live = leases.filter(({ endsAt }) => endsAt > now);
    const own = this.#own(leases, wanted, now);
    const others = live.filter((lease) => lease.number === own && !isSameConversation(lease, wanted));
    if (own !== undefined && others.length === 0) return own;
    const free = this.#free(live, wanted);
    if (free !== undefined) return free;
    // It is shared with a message that is still to come.
    if (own !== undefined && others.every((lease) => lease.holder !== holder.job)) return own;
    return this.#oldest(leases, live, wanted);
  }

  #of(recipient: string): Lease[] {
    let leases = this.#leases.get(recipient);
    if (leases === undefined) {
      leases = [];
      this.#leases.set(recipient, leases);
    }
    return leases;
  }

  /** A conversation keeps its number until another has taken that over, however long it was silent. */
  #own(leases: readonly Lease[], wanted: Wanted, now: number): string | undefined {
    if (wanted.conversation === '') return undefined;
    const numbers = new Set(
      leases.filter((lease) => isSameConversation(lease, wanted)).map(({ number }) => number),
    );
    const own = [...numbers]
      .filter((number) => this.#pool.has(number) && willDo(wanted, number))
      .flatMap((number) => currentOf(leases, number, now) ?? [])
      .filter((lease) => isSameConversation(lease, wanted));
    return own.sort((a, b) => b.turn - a.turn)[0]?.number;
  }

  #free(live: readonly Lease[], wanted: Wanted): string | undefined {
    const taken = new Set(live.map(({ number }) => number));
    for (const number of this.#pool) if (!taken.has(number) && willDo(wanted, number)) return number;
    return undefined;
  }

  #oldest(leases: readonly Lease[], live: readonly Lease[], wanted: Wanted): string | undefined {
    const kept = new Set(live.filter((lease) => lease.holder === holder.job).map(({ number }) => number));
    const turns = new Map<string, number>();
    for (const { number, turn } of leases) turns.set(number, Math.max(turns.get(number) ?? 0, turn));
    let oldest: string | undefined;
    let oldestTurn = Number.POSITIVE_INFINITY;
    for (const number of this.#pool) {
      const turn = turns.get(number) ?? 0;
      if (kept.has(number) || turn >= oldestTurn || !willDo(wanted, number)) continue;
      oldest = number;
      oldestTurn = turn;
      if (turn === 0) break;
    }
    return oldest;
  }

  /**
   * A lease that has begun ends those before it, of which the last is kept: should the message never go out, answers
   * still belong to the one before. A lease that is still to begin stands beside them until then.
   */
  #write(lease: Lease, now: number): void {
    const leases = this.#of(lease.recipient);
    const before = lease.startsAt > now ? [] : begunOf(leases, lease.number, now);
    const endsAt = before
      .filter((earlier) => isSameConversation(earlier, lease))
      .reduce((end, earlier) => Math.max(end, earlier.endsAt), lease.endsAt);
    for (const earlier of before) {
      leases.splice(leases.indexOf(earlier), 1);
      if (!this.#made.delete(earlier)) this.#ended.add(earlier);
    }
    const [last] = before;
    if (last !== undefined) this.#add(leases, { ...last, endsAt: Math.min(last.endsAt, now) });
    this.#add(leases, { ...lease, endsAt });
    this.#pool.delete(lease.number);
    this.#pool.add(lease.number);
  }

  #add(leases: Lease[], lease: Lease): void {
    leases.push(lease);
    this.#made.add(lease);
  }
}

function willDo({ only }: Wanted, number: string): boolean {
  return only?.has(number) ?? true;
}

function isSameConversation(a: Lease | Wanted, b: Lease | Wanted): boolean {
  return (
    a.conversation !== '' &&
    a.conversation === b.conversation &&
    a.userId === b.userId &&
    a.holder === b.holder
  );
}

/** The newest first, as answers are matched to them. */
function begunOf(leases: readonly Lease[], number: string, now: number): readonly Lease[] {
  return leases
    .filter((lease) => lease.number === number && lease.startsAt <= now)
    .sort((a, b) => b.startsAt - a.startsAt || b.turn - a.turn);
}

/** Whose the number is: the newest lease that has begun; without any, the newest that is still to begin. */
function currentOf(leases: readonly Lease[], number: string, now: number): Lease | undefined {
  const [begun] = begunOf(leases, number, now);
  if (begun !== undefined) return begun;
  return leases.filter((lease) => lease.number === number).sort((a, b) => b.turn - a.turn)[0];
}
