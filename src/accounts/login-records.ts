/**
 * Failed attempts counted across all nodes, and the networks from which users have logged in before. They are kept in memory,
 * where they are checked, and in the store, for other nodes and after a restart. Writes are deferred and batched; while the
 * store is unreachable, only memory counts.
 */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import type { Stopwatch } from '../foundation/clock.ts';
import { lruCache } from '../foundation/lru-cache.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { networkOf } from '../http/origin.ts';
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import { type Allowance, type Attempt, allowancesOf } from './attempt-limits.ts';
import { FailureCounts, slotMs, slotsKept } from './failure-counts.ts';
import {
  type KnownNetwork,
  keepFailures,
  keepKnownNetwork,
  listKnownNetworks,
  type NetworkOwner,
  purgeLogins,
  readAttempts,
  type SubjectRow,
} from './login-store.ts';

export interface LoginRecordsParts extends Context {
  readonly news: News;
  readonly stopwatch: Stopwatch;
  /** The result of `loginRecordSecret`. */
  readonly recordSecret: KeyObject;
  readonly log: { warn(details: object, message: string): void };
}

const dayMs = 86_400_000;
/** Milliseconds from the first failure until it is stored; other nodes see counts at least this late. */
const gatherMs = 400;
const retryMs = 2_000;
/** The maximum number of rows per transaction; others wait for the next transaction. */
const maxRowsPerStep = 500;
/** The maximum number of failures that wait to be stored; while the store is unreachable, the oldest are dropped. */
const maxWaiting = 20_000;
/**
 * The maximum number of remembered pairs of user and network, about 15 MB; further pairs count as strangers until the store
 * has been read.
 */
const maxKnown = 100_000;
/**
 * The allowed difference between nodes' clocks; a network missed because of a larger difference is found in the store
 * at the next verification.
 */
const clocksDifferMs = 120_000;
const purgeEveryMs = 60_000;
const maxFailureRows = 100_000;
const knownForMs = 180 * dayMs;
const slotsOfAnHour = 3_600_000 / slotMs;

export class LoginRecords {
  readonly counts: FailureCounts;
  readonly #parts: LoginRecordsParts;
  /** When each user last logged in from each network, by digest. */
  readonly #known = lruCache<string, number>(maxKnown);
  readonly #failures = lruCache<string, Allowance>(maxWaiting);
  readonly #rows = new Map<string, SubjectRow>();
  readonly #networks = new Map<string, KnownNetwork>();
  /** When the known networks were last read from the store. */
  #knownAt = 0;
  #purgedAt = Number.NEGATIVE_INFINITY;
  readonly #writing: WokenLoop;
  #isFailing = false;

  constructor(parts: LoginRecordsParts) {
    this.#parts = parts;
    this.#writing = new WokenLoop(
      { pauseMs: Infinity, gatherMs, retryMs, failed: (error) => this.#failed(error) },
      () => this.#write(),
    );
    this.counts = new FailureCounts(randomBytes(9).toString('base64url'), parts.clock, parts.stopwatch);
    parts.news.on('logins', () =>
      this.#readKnown(Math.min(this.#knownAt, parts.clock.now()) - clocksDifferMs),
    );
  }

  async start(): Promise<void> {
    await this.#readKnown(0);
    this.#writing.start();
  }

  /** Stores everything that has been counted so far. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    do await this.#write().catch((error: unknown) => this.#failed(error));
    while (this.#waits && !this.#isFailing);
  }

  /** Whether memory knows that this user has logged in from this network before. */
  isKnown({ username, address }: Attempt): boolean {
    return this.#known.has(this.#networkDigest(username, address));
  }

  /** Reads what the store knows about an attempt, and returns whether the user has logged in from this network before. */
  async recall(attempt: Attempt): Promise<boolean> {
    const allowances = Object.values(allowancesOf(attempt));
    const subjects = allowances.map(({ key }) => this.#digest(key));
    const network = this.#networkDigest(attempt.username, attempt.address);
    const fromSlot = this.#slotOfDay() - slotsKept;
    const { rows, seenAt } = await this.#parts.store.read(readAttempts, { subjects, fromSlot, network });
    allowances.forEach(({ key, limits }, index) => {
      this.counts.learn(
        key,
        limits,
        rows.filter(({ subject }) => subject === subjects[index]),
      );
    });
    if (seenAt !== undefined) this.#known.set(network, seenAt);
    return this.#known.has(network);
  }

  /** Schedules the storing of failures counted against these allowances. */
  keep(allowances: readonly Allowance[]): void {
    for (const allowance of allowances) this.#failures.set(allowance.key, allowance);
    this.#writing.wake();
  }

  /** Records that a user has logged in from a network; written at most once a day. */
  remember({ username, address }: Attempt, owner: NetworkOwner): void {
    const now = this.#parts.clock.now();
    const digest = this.#networkDigest(username, address);
    const seenAt = this.#known.get(digest);
    if (seenAt !== undefined && Math.abs(now - seenAt) < dayMs) return;
    this.#known.set(digest, now);
    if (this.#networks.size < maxWaiting) this.#networks.set(digest, { owner, digest, now });
    this.#writing.wake();
  }

  get #waits(): boolean {
    return this.#failures.size + this.#rows.size + this.#networks.size > 0;
  }

  async #readKnown(since: number): Promise<void> {
    const now = this.#parts.clock.now();
    const known = await this.#parts.store.read(listKnownNetworks, { since, limit: maxKnown });
    for (const { digest, seen_at: seenAt } of known.reverse()) this.#known.set(digest, seenAt);
    this.#knownAt = now;
  }

  async #write(): Promise<void> {
    await this.#writeFailures();
    await this.#writeNetworks();
    await this.#purge();
    this.#isFailing = false;
    // More rows may be waiting than one transaction takes.
    if (this.#waits) this.#writing.wake();
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#parts.log.warn({ err: error }, failing);
    this.#isFailing = true;
  }

  async #writeFailures(): Promise<void> {
    for (const [key, { storedFrom }] of [...this.#failures.entries()]) {
      if (this.#rows.size >= maxRowsPerStep) break;
      this.#failures.delete(key);
      const subject = this.#digest(key);
      for (const row of this.counts.takeUnstored(key, storedFrom))
        this.#rows.set(`${subject} ${row.slot}`, { subject, ...row });
    }
    const rows = [...this.#rows.values()];
    if (rows.length === 0) return;
    await this.#parts.store.write(keepFailures, rows);
    this.#rows.clear();
  }

  async #writeNetworks(): Promise<void> {
    const networks = [...this.#networks.values()].slice(0, maxRowsPerStep);
    await Promise.all(networks.map((network) => this.#parts.store.write(keepKnownNetwork, network)));
    for (const { digest } of networks) this.#networks.delete(digest);
  }

  async #purge(): Promise<void> {
    const elapsed = this.#parts.stopwatch.elapsed();
    if (elapsed - this.#purgedAt < purgeEveryMs) return;
    const slot = this.#slotOfDay();
    await this.#parts.store.write(purgeLogins, {
      beforeSlot: slot - slotsKept,
      afterSlot: slot + slotsOfAnHour,
      maxFailures: maxFailureRows,
      seenBefore: this.#parts.clock.now() - knownForMs,
    });
    this.#purgedAt = elapsed;
  }

  #slotOfDay(): number {
    return Math.floor(this.#parts.clock.now() / slotMs);
  }

  #networkDigest(username: string, address: string): string {
    return this.#digest(`network ${networkOf(address)} ${username}`);
  }

  /** 132 bits, enough to rule out collisions. */
  #digest(text: string): string {
    return createHmac('sha256', this.#parts.recordSecret).update(text).digest('base64url').slice(0, 22);
  }
}

const failing = 'failed logins could not be stored; meanwhile, this node counts only its own';
