/**
 * Removes what is older than the retention, as long as the time of day can be believed: messages that ended, incoming SMS,
 * conversations, receipts of nobody, spent keys.
 */
import { type Clock, SettledClock, type Stopwatch } from '../../foundation/clock.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import { amongUnlocked, raw, rowSet, sql } from '../../storage/sql.ts';
/** Removes what is older than the retention, as long as the time of day can be believed. */
import type { Store } from '../../storage/store.ts';
import { readVerb, singleWriteVerb, type Transaction, type WriteVerb } from '../../storage/verb.ts';
import { everyCompany } from '../every-company.ts';

/**
 * What a later room removes: what is older than `before`. Returns how much it was, and ends early when the signal is aborted.
 */
export type AlsoPurge = (
  store: Store,
  times: { readonly now: number; readonly before: number },
  signal: AbortSignal,
) => Promise<number>;

/** Purges with a verb that removes a set and answers how many it removed. */
export function purgeInSets(
  verb: WriteVerb<{ readonly now: number; readonly before: number }, number>,
): AlsoPurge {
  return async (store, times, signal) => {
    let purged = 0;
    let removed = 1;
    while (removed > 0 && !signal.aborted) {
      removed = await store.write(verb, times);
      purged += removed;
    }
    return purged;
  };
}

export interface PurgeOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly retentionDays: number;
  readonly alsoPurge: readonly AlsoPurge[];
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const setSize = 500;
const everyMs = 60 * 60 * 1_000;
/** Soon, so that a server that is started often purges too. */
const firstMs = 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

export class Purge {
  readonly #options: PurgeOptions;
  readonly #settledClock: SettledClock;
  readonly #runs: WokenLoop;

  constructor(options: PurgeOptions) {
    this.#options = options;
    this.#settledClock = new SettledClock(options.clock, options.stopwatch);
    const failed = (error: unknown) =>
      options.log.warn({ error, what: 'purge' }, 'a sweep failed; it is tried again');
    this.#runs = new WokenLoop({ pauseMs: everyMs, firstMs, failed }, () => this.run());
  }

  start(): void {
    this.#runs.start();
  }

  stop(): Promise<void> {
    return this.#runs.stop();
  }

  async run(): Promise<void> {
    const { store, clock, retentionDays, alsoPurge, log } = this.#options;
    const { signal } = this.#runs;
    const believedAt = await store.read(readBelievedTime, null);
    if (!this.#settledClock.isSettled(believedAt)) {
      log.warn(
        { now: new Date(clock.now()), believedAt: believedAt === null ? null : new Date(believedAt) },
        'the clock is ahead of what went before: nothing is purged until its time has held for a day',
      );
      return;
    }
    await store.write(keepBelievedTime, clock.now());
    const before = clock.now() - retentionDays * dayMs;
    let purged = 0;
    for (const companyId of await store.read(listCompanyIds, null)) {
      if (signal.aborted) break;
      purged += await this.#purgeMessages(companyId, before);
    }
    for (const purge of [purgeInSets(purgeRest), ...alsoPurge])
      purged += await purge(store, { now: clock.now(), before }, signal);
    // What else was deleted since the run before goes with it.
    store.forgetDeleted();
    if (purged > 0) log.info({ purged, retentionDays }, 'purged what is older than the retention');
  }

  async #purgeMessages(companyId: number, before: number): Promise<number> {
    const { store } = this.#options;
    let purged = 0;
    let step: PurgeStep = { purged: 0, idsSinceOld: 0, nextAfterId: 0 };
    while (step.nextAfterId !== null && !this.#runs.signal.aborted) {
      const { nextAfterId: afterId, idsSinceOld } = step;
      step = await store.write(purgeMessages, {
        companyId,
        afterId,
        idsSinceOld,
        createdBefore: before,
        limit: setSize,
      });
      purged += step.purged;
    }
    return purged;
  }
}

interface PurgeWalk {
  readonly companyId: number;
  /** The walk goes on after this id. */
  readonly afterId: number;
  /** As the step before this one answered; 0 for the first. */
  readonly idsSinceOld: number;
  readonly createdBefore: number;
  readonly limit: number;
}

export interface PurgeStep {
  readonly purged: number;
  /** How far the walk has come since the last old message, gaps counted as short ones. */
  readonly idsSinceOld: number;
  /** Null: the walk is at its end. */
  readonly nextAfterId: number | null;
}

/**
 * A node draws ids from a block and may be slow to use it up, so that its young messages come before older ones of
 * others: the walk goes on for so many ids after the last old message.
 */
const idsOutOfOrder = 100_000;

/**
 * Where there are no messages, as the ids of other companies, of a large batch that was never made, or of what was purged
 * before, so many ids are counted at most: such a gap says nothing about the age of what comes behind it.
 */
const countedOfGap = 1_000;

/** Removes a company's ended messages of that age, walking by id, which is roughly by age. */
export const purgeMessages = singleWriteVerb(
  'messages.purge',
  async (transaction, input: PurgeWalk): Promise<PurgeStep> => {
    const { companyId, afterId, createdBefore, limit } = input;
    const rows = await transaction.all<{ id: number; created_at: number; stage: number | null }>(
      sql`SELECT id, created_at, stage FROM messages WHERE company_id = ${companyId} AND id > ${afterId}
        ORDER BY id LIMIT ${limit}`,
    );
    const old = rows.filter((row) => row.created_at < createdBefore);
    const ended = old
      .filter((row) => row.stage === null)
      .map((row): MessageKey => [companyId, row.created_at, row.id]);
    await removeMessages(transaction, ended);
    let { idsSinceOld } = input;
    rows.forEach(({ id, created_at: createdAt }, place) => {
      const gap = id - (rows[place - 1]?.id ?? afterId);
      idsSinceOld = createdAt < createdBefore ? 0 : idsSinceOld + Math.min(gap, countedOfGap);
    });
    const lastId = rows.at(-1)?.id ?? null;
    return { purged: ended.length, idsSinceOld, nextAfterId: idsSinceOld > idsOutOfOrder ? null : lastId };
  },
  ({ limit }) => limit,
);

type MessageKey = readonly [companyId: number, createdAt: number, id: number];

/** With all that is known of them. */
export async function removeMessages(transaction: Transaction, ended: readonly MessageKey[]): Promise<void> {
  if (ended.length === 0) return;
  const keys = rowSet('old', { company_id: 'bigint', created_at: 'bigint', id: 'bigint' }, ended);
  await transaction.run(
    sql`DELETE FROM message_parts WHERE (company_id, message_id) IN (SELECT company_id, id FROM ${keys})`,
  );
  await transaction.run(
    sql`DELETE FROM message_refusals WHERE (company_id, message_id) IN (SELECT company_id, id FROM ${keys})`,
  );
  await transaction.run(
    sql`DELETE FROM message_events WHERE (company_id, message_id) IN (SELECT company_id, id FROM ${keys})`,
  );
  await transaction.run(
    sql`DELETE FROM message_log
        WHERE (company_id, created_at, id) IN (SELECT company_id, created_at, id FROM ${keys})`,
  );
  await transaction.run(
    sql`DELETE FROM messages WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys})`,
  );
}

/** The most that is removed of each of the five kinds at once. */
const restLimit = 1_000;

/**
 * Removes incoming SMS, conversations, unmatched receipts and leases of that age, and idempotency keys that have run out.
 */
export const purgeRest = singleWriteVerb(
  'messages.purgeRest',
  async (transaction, { before, now }: { readonly before: number; readonly now: number }) => {
    const limit = raw(String(restLimit));
    const incoming = await transaction.run(
      sql`DELETE FROM incoming_messages WHERE ${amongUnlocked(
        'id',
        sql`incoming_messages WHERE received_at < ${before} ORDER BY received_at LIMIT ${limit}`,
      )}`,
    );
    const receipts = await transaction.run(
      // Rows of this table have no key but the one that SQLite gives them, and their place on PostgreSQL.
      sql`DELETE FROM unmatched_receipts WHERE ${amongUnlocked(
        'rowid',
        sql`unmatched_receipts WHERE received_at < ${before} ORDER BY received_at LIMIT ${limit}`,
      )}`,
    );
    const keys = await transaction.run(
      sql`DELETE FROM idempotency_keys WHERE ${amongUnlocked(
        'company_id, user_id, idempotency_key',
        sql`idempotency_keys WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${limit}`,
      )}`,
    );
    const leases = await transaction.run(
      sql`DELETE FROM number_leases WHERE ${amongUnlocked(
        'recipient, number, message_id',
        sql`number_leases WHERE ends_at < ${before} ORDER BY ends_at LIMIT ${limit}`,
      )}`,
    );
    const conversations = await transaction.run(
      sql`DELETE FROM conversations WHERE ${amongUnlocked(
        'id',
        sql`conversations WHERE last_at < ${before} ORDER BY last_at LIMIT ${limit}`,
      )}`,
    );
    return incoming + receipts + keys + leases + conversations;
  },
  () => 5 * restLimit,
);

/** The time of day when it was believed last (see `settled-clock.ts`). */
export const readBelievedTime = readVerb('messages.readBelievedTime', async (reading, _: null) => {
  const row = await reading.first<{ believed_at: number }>(sql`SELECT believed_at FROM believed_time`);
  return row?.believed_at ?? null;
});

/** Not the latest of all: a wrong time that was believed once is put right. */
export const keepBelievedTime = singleWriteVerb(
  'messages.keepBelievedTime',
  async (transaction, now: number) => {
    await transaction.run(
      sql`INSERT INTO believed_time (id, believed_at) VALUES (1, ${now})
      ON CONFLICT (id) DO UPDATE SET believed_at = excluded.believed_at`,
    );
    return null;
  },
);

export const listCompanyIds = readVerb('messages.listCompanyIds', (reading, _: null) =>
  everyCompany(reading),
);
