/**
 * Chooses the number of the pool that a two-way SMS is sent from. The holder of the lease for a number and a recipient
 * gets the recipient's answers to it. A book is opened for some recipients, records leases for them, and is then stored.
 *
 *   the conversation has a number to itself ▶ that one
 *   a number without a live lease ──────────▶ the one used longest ago, numbers of the company before shared ones
 *   none ───────────────────────────────────▶ the one on which the company's own lease is the oldest
 *
 * A number is not taken while a job waits for answers on it, or if another company's lease of it is live for some of
 * the time of the new lease. If nothing else is left, jobs of one company share a number: each then has a code, which
 * an answer names.
 */

import { groupedBy } from '../../foundation/grouped.ts';
import {
  bigint,
  inColumn,
  type Kept,
  nullable,
  StoredRecord,
  smallint,
  text,
} from '../../storage/stored-record.ts';
import { freeCodes } from './reply-codes.ts';

/** The kinds of lease holders. A number on which a live job waits is never leased to anyone else. */
export const holder = { message: 0, job: 1 } as const;

export const leaseFields = {
  recipient: text,
  number: text,
  /** The message that an answer belongs to. */
  messageId: bigint,
  companyId: bigint,
  userId: bigint,
  conversation: text,
  /** A value of `holder`. */
  holder: smallint,
  /** Counts leases in the order in which they are made, independently of clocks. */
  turn: bigint,
  /** When the message is sent, in milliseconds since the epoch. */
  startsAt: bigint,
  endsAt: bigint,
  /** The code that an answer uses to name this job when several jobs share the number. */
  code: nullable(smallint),
  /** An answer without a code, whose sender was asked which of the jobs is meant. */
  unclear: nullable(inColumn('unclear_answer', text)),
};

export const storedLease = new StoredRecord(leaseFields);
export type Lease = Kept<typeof storedLease>;

export type Wanted = Omit<Lease, 'number' | 'turn' | 'code' | 'unclear'> & {
  /** The numbers allowed; by default, any number of the pool. */
  readonly only?: Pick<ReadonlySet<string>, 'has'>;
  /** The code that the text contains, so that the number may be shared with other jobs. */
  readonly code?: number | undefined;
};

export interface PoolNumber {
  readonly number: string;
  /** The turn of the number's latest lease; 0 if there is none. */
  readonly turn: number;
  /** The only company that sends from the number; null for all companies. */
  readonly companyId: number | null;
}

/** Answers often come long after the message itself has ended. */
export const leaseAfterValidityMs = 72 * 60 * 60 * 1_000;

export class LeaseBook {
  /** Numbers by company, least recently used first. */
  readonly #pools = new Map<number | null, Set<string>>();
  readonly #leases = new Map<string, Lease[]>();
  readonly #made = new Set<Lease>();
  readonly #ended = new Set<Lease>();
  #turn: number;

  constructor(pool: readonly PoolNumber[], leases: readonly Lease[]) {
    const byUse = [...pool].sort((a, b) => a.turn - b.turn || (a.number < b.number ? -1 : 1));
    for (const [companyId, numbers] of groupedBy(byUse, (one) => one.companyId))
      this.#pools.set(companyId, new Set(numbers.map(({ number }) => number)));
    this.#turn = pool.reduce((latest, { turn }) => Math.max(latest, turn), 0);
    for (const lease of leases) this.#of(lease.recipient).push(lease);
  }

  /** Leases that are not stored yet. */
  get made(): readonly Lease[] {
    return [...this.#made];
  }

  /** Stored leases that are gone or were made again. */
  get ended(): readonly Lease[] {
    return [...this.#ended];
  }

  /**
   * False when no number is suitable, or when a live job or another company is waiting for this recipient on every
   * number.
   */
  canLease(wanted: Wanted, now: number): boolean {
    const leases = this.#of(wanted.recipient);
    const isTaken = ({ code }: Lease) => code === wanted.code;
    if (wanted.code !== undefined && liveOthers(leases, wanted, now).some(isTaken)) return false;
    const mayBeKept = leases.some((lease) => mayKeep(lease, wanted));
    if (mayBeKept || wanted.only !== undefined) return this.#choose(wanted, now) !== undefined;
    return this.#poolsFor(wanted).length > 0;
  }

  /** The code that a job's text has to contain so that it can be sent; undefined if no code would help. */
  codeFor(wanted: Wanted, now: number): number | undefined {
    if (wanted.holder !== holder.job) return undefined;
    const leases = this.#of(wanted.recipient);
    const number = this.#choose({ ...wanted, code: undefined }, now) ?? this.#shareable(wanted, now);
    if (number === undefined) return undefined;
    // The first free codes are for jobs that have had the number to themselves so far.
    const uncoded = liveOthers(leases, wanted, now).filter(
      (one) => one.number === number && one.code === null,
    );
    return freeCodes(leases, now, uncoded.length + 1).at(-1);
  }

  /** Returns the number; undefined when none can be leased. */
  lease(wanted: Wanted, now: number): string | undefined {
    const number = this.#choose(wanted, now);
    if (number === undefined) return undefined;
    const { only: _, code = null, ...lease } = wanted;
    this.#write({ ...lease, number, turn: ++this.#turn, code, unclear: null }, now);
    return number;
  }

  #choose(wanted: Wanted, now: number): string | undefined {
    const leases = this.#of(wanted.recipient);
    const held = this.#heldByJob(leases, wanted, now);
    if (held !== undefined) return held;
    const live = leases.filter(({ endsAt }) => endsAt > now);
    const others = liveOthers(leases, wanted, now);
    const kept = numbersOf(others.filter((lease) => mayKeep(lease, wanted) && keeps(lease, wanted)));
    const ofCompany = (lease: Lease) => lease.companyId === wanted.companyId;
    const own = this.#own(leases, wanted, now);
    const isOpen = own !== undefined && !kept.has(own);
    if (isOpen && !numbersOf(others.filter(ofCompany)).has(own)) return own;
    const free = this.#free(new Set([...kept, ...numbersOf(live.filter(ofCompany))]), wanted);
    if (free !== undefined) return free;
    // The number is shared with a message that is yet to be sent.
    const taken = isOpen ? own : this.#oldest(leases.filter(ofCompany), kept, wanted);
    return taken ?? (wanted.code === undefined ? undefined : this.#shareable(wanted, now));
  }

  /**
   * A job stays on the number where it waits, no matter who shares the number; its closing message is sent from there too.
   */
  #heldByJob(leases: readonly Lease[], wanted: Wanted, now: number): string | undefined {
    if (wanted.holder !== holder.job) return undefined;
    const own = leases.filter((lease) => isSameConversation(lease, wanted));
    const usedByOthers = this.#usedByOthers(leases, wanted, now);
    const isUsable = ({ number, endsAt }: Lease) =>
      (endsAt > now || wanted.endsAt <= now) &&
      !usedByOthers.has(number) &&
      this.#poolsFor(wanted).some((pool) => pool.has(number)) &&
      willDo(wanted, number);
    return own.filter(isUsable).sort((a, b) => b.turn - a.turn)[0]?.number;
  }

  /** The number with the fewest jobs, if all of them belong to the same company. */
  #shareable(wanted: Wanted, now: number): string | undefined {
    const leases = this.#of(wanted.recipient);
    const usedByOthers = this.#usedByOthers(leases, wanted, now);
    const others = liveOthers(leases, wanted, now);
    const waiting = (number: string) => others.filter((lease) => lease.number === number).length;
    return this.#poolsFor(wanted)
      .flatMap((pool) => [...pool])
      .filter((number) => !usedByOthers.has(number) && willDo(wanted, number))
      .sort((a, b) => waiting(a) - waiting(b))[0];
  }

  /** Numbers on which anyone other than jobs of the same company is waiting. */
  #usedByOthers(leases: readonly Lease[], wanted: Wanted, now: number): ReadonlySet<string> {
    return numbersOf(liveOthers(leases, wanted, now).filter((lease) => !isColleague(lease, wanted)));
  }

  /** The company's pool comes before the pool shared by all. */
  #poolsFor({ companyId }: Pick<Wanted, 'companyId'>): readonly Set<string>[] {
    return [this.#pools.get(companyId), this.#pools.get(null)].filter((pool) => pool !== undefined);
  }

  #of(recipient: string): Lease[] {
    let leases = this.#leases.get(recipient);
    if (leases === undefined) {
      leases = [];
      this.#leases.set(recipient, leases);
    }
    return leases;
  }

  /** A conversation keeps its number until another takes the number over, however long it has been silent. */
  #own(leases: readonly Lease[], wanted: Wanted, now: number): string | undefined {
    if (wanted.conversation === '') return undefined;
    const pools = this.#poolsFor(wanted);
    const numbers = numbersOf(leases.filter((lease) => isSameConversation(lease, wanted)));
    const own = [...numbers]
      .filter((number) => pools.some((pool) => pool.has(number)) && willDo(wanted, number))
      .flatMap((number) => currentOf(leases, number, now) ?? [])
      .filter((lease) => isSameConversation(lease, wanted));
    return own.sort((a, b) => b.turn - a.turn)[0]?.number;
  }

  #free(taken: ReadonlySet<string>, wanted: Wanted): string | undefined {
    for (const pool of this.#poolsFor(wanted))
      for (const number of pool) if (!taken.has(number) && willDo(wanted, number)) return number;
    return undefined;
  }

  /** `leases` are those of the company. */
  #oldest(leases: readonly Lease[], kept: ReadonlySet<string>, wanted: Wanted): string | undefined {
    const turns = new Map<string, number>();
    for (const { number, turn } of leases) turns.set(number, Math.max(turns.get(number) ?? 0, turn));
    let oldest: string | undefined;
    let oldestTurn = Number.POSITIVE_INFINITY;
    for (const pool of this.#poolsFor(wanted)) {
      for (const number of pool) {
        const turn = turns.get(number) ?? 0;
        if (kept.has(number) || turn >= oldestTurn || !willDo(wanted, number)) continue;
        oldest = number;
        oldestTurn = turn;
        if (turn === 0) return oldest;
      }
    }
    return oldest;
  }

  /**
   * A lease that has begun ends the earlier ones, of which the last is kept: if the message is never sent, answers still
   * belong to the lease before. A lease that has yet to begin coexists with them until then.
   */
  #write(lease: Lease, now: number): void {
    const leases = this.#of(lease.recipient);
    const begun = lease.startsAt > now ? [] : begunOf(leases, lease.number, now);
    const before = begun.filter((earlier) => !staysBeside(earlier, lease, now));
    const own = before.filter((earlier) => isSameConversation(earlier, lease));
    const endsAt = own.reduce((end, earlier) => Math.max(end, earlier.endsAt), lease.endsAt);
    for (const earlier of before) this.#remove(leases, earlier);
    const [last] = before;
    if (last !== undefined) this.#add(leases, { ...last, endsAt: Math.min(last.endsAt, now) });
    const code = lease.code ?? own.find((earlier) => earlier.code !== null)?.code ?? null;
    const unclear = own.find((earlier) => earlier.unclear !== null)?.unclear ?? null;
    this.#add(leases, { ...lease, endsAt, code, unclear });
    if (code !== null) this.#giveCodes(leases, lease, now);
    for (const pool of this.#poolsFor(lease)) if (pool.delete(lease.number)) pool.add(lease.number);
  }

  /** Jobs that had the number to themselves until now also need a code. */
  #giveCodes(leases: Lease[], { number }: Lease, now: number): void {
    const jobs = leases.filter(
      (one) => one.number === number && one.holder === holder.job && one.endsAt > now,
    );
    for (const [, own] of groupedBy(jobs, ({ conversation }) => conversation)) {
      const code = own.find((one) => one.code !== null)?.code ?? freeCodes(leases, now, 1)[0] ?? null;
      for (const one of own) {
        if (one.code === code) continue;
        this.#remove(leases, one);
        this.#add(leases, { ...one, code });
      }
    }
  }

  #remove(leases: Lease[], lease: Lease): void {
    leases.splice(leases.indexOf(lease), 1);
    if (!this.#made.delete(lease)) this.#ended.add(lease);
  }

  #add(leases: Lease[], lease: Lease): void {
    leases.push(lease);
    this.#made.add(lease);
  }
}

function willDo({ only }: Wanted, number: string): boolean {
  return only?.has(number) ?? true;
}

function numbersOf(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.map(({ number }) => number));
}

/** Whether a number's lease could be moved to another time without affecting jobs and other companies. */
export function mayMove(moved: Lease, leases: readonly Lease[], now: number): boolean {
  const others = liveOthers(leases, moved, now).filter(({ messageId }) => messageId !== moved.messageId);
  return !others.some((lease) => mayKeep(lease, moved) && keeps(lease, moved));
}

function mayKeep(lease: Lease, wanted: Pick<Lease, 'companyId'>): boolean {
  return lease.holder === holder.job || lease.companyId !== wanted.companyId;
}

/** Live leases of the recipient that belong to other conversations. */
function liveOthers(leases: readonly Lease[], wanted: Lease | Wanted, now: number): readonly Lease[] {
  return leases.filter((lease) => lease.endsAt > now && !isSameConversation(lease, wanted));
}

function isColleague(lease: Lease, wanted: Pick<Lease, 'holder' | 'companyId'>): boolean {
  return lease.holder === holder.job && wanted.holder === holder.job && lease.companyId === wanted.companyId;
}

/** A live job continues waiting; late answers to a job that has ended name the code. */
function staysBeside(earlier: Lease, lease: Lease, now: number): boolean {
  if (!isColleague(earlier, lease) || isSameConversation(earlier, lease)) return false;
  return earlier.endsAt > now || (earlier.code !== null && earlier.endsAt > now - leaseAfterValidityMs);
}

/**
 * An answer belongs to the lease that began last, so another company's lease must neither begin nor end within the time of
 * this one.
 */
function keeps(lease: Lease, wanted: Pick<Lease, 'startsAt' | 'endsAt'>): boolean {
  if (lease.holder === holder.job) return true;
  return lease.startsAt < wanted.endsAt && wanted.startsAt < lease.endsAt;
}

function isSameConversation(a: Lease | Wanted, b: Lease | Wanted): boolean {
  return (
    a.conversation !== '' &&
    a.conversation === b.conversation &&
    a.userId === b.userId &&
    a.holder === b.holder
  );
}

/** Newest first, which is the order in which answers are matched to them. */
function begunOf(leases: readonly Lease[], number: string, now: number): readonly Lease[] {
  return leases
    .filter((lease) => lease.number === number && lease.startsAt <= now)
    .sort((a, b) => b.startsAt - a.startsAt || b.turn - a.turn);
}

/** The lease that has the number: the newest one that has begun or, if there is none, the newest one yet to begin. */
function currentOf(leases: readonly Lease[], number: string, now: number): Lease | undefined {
  const [begun] = begunOf(leases, number, now);
  if (begun !== undefined) return begun;
  return leases.filter((lease) => lease.number === number).sort((a, b) => b.turn - a.turn)[0];
}
