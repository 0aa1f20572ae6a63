/**
 * Removes what is older than the retention, provided that the time of day can be trusted: ended messages, incoming SMS,
 * conversations, receipts that belong to nobody, spent keys.
 */
import { SettledClock, type Stopwatch } from '../../foundation/clock.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { type AgedRows, type PurgeTimes, purgeAged, purgeInSets } from '../../storage/retention.ts';
import { raw, type Sql, sql, usingEach } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { everyCompany } from '../every-company.ts';

/** Additional removals by a later room. Returns how much was removed, and ends early when the signal is aborted. */
export type AlsoPurge = (store: Store, times: PurgeTimes, signal: AbortSignal) => Promise<number>;

export interface PurgeOptions extends Context {
  readonly stopwatch: Stopwatch;
  readonly retentionDays: number;
  readonly aged: readonly AgedRows[];
  readonly alsoPurge: readonly AlsoPurge[];
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const setSize = 500;
/**
 * The pause after each step, in which the store works for others. Without it, calls took five times as long on SQLite while a
 * backlog was purged. With it, some 4,000 messages are purged a second.
 */
const restMs = 100;
const everyMs = 60 * 60 * 1_000;
/** The first purge comes early, so that even a server that is restarted often purges. */
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
      options.log.warn({ error, what: 'purge' }, 'a sweep failed; trying again');
    this.#runs = new WokenLoop({ pauseMs: everyMs, firstMs, failed }, () => this.run());
  }

  start(): void {
    this.#runs.start();
  }

  stop(): Promise<void> {
    return this.#runs.stop();
  }

  async run(): Promise<void> {
    const { store, clock, retentionDays, aged, alsoPurge, log } = this.#options;
    const { signal } = this.#runs;
    const believedAt = await store.read(readBelievedTime, null);
    if (!this.#settledClock.isSettled(believedAt)) {
      log.warn(
        { now: new Date(clock.now()), believedAt: believedAt === null ? null : new Date(believedAt) },
        'the clock has jumped ahead: nothing is purged until the new time is a day old',
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
    for (const rows of aged) {
      const times = { now: clock.now(), before };
      purged += await purgeInSets(signal, () => store.write(purgeAged, { rows, ...times }));
    }
    for (const purge of alsoPurge) purged += await purge(store, { now: clock.now(), before }, signal);
    // This also discards everything else that was deleted since the previous run.
    store.forgetDeleted();
    if (purged > 0) log.info({ purged, retentionDays }, 'purged data older than the retention period');
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
      if (step.purged > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    return purged;
  }
}

interface PurgeWalk {
  readonly companyId: number;
  /** The id after which the walk continues. */
  readonly afterId: number;
  /** As returned by the previous step; 0 for the first step. */
  readonly idsSinceOld: number;
  readonly createdBefore: number;
  readonly limit: number;
}

export interface PurgeStep {
  readonly purged: number;
  /** How far the walk has come since the last old message, with long gaps counted as short ones. */
  readonly idsSinceOld: number;
  /** Null at the end of the walk. */
  readonly nextAfterId: number | null;
}

/**
 * A node draws ids in blocks and may be slow to use them up, so its recent messages can come before older ones of other
 * nodes. The walk therefore continues for this many ids after the last old message.
 */
const idsOutOfOrder = 100_000;

/**
 * Gaps without messages consist of ids of other companies, of a large batch that was never created, or of messages purged
 * before. At most this many ids are counted for a gap, which says nothing about the age of what follows.
 */
const countedOfGap = 1_000;

/** Removes a company's ended messages from before `createdBefore`, walking by id, which is roughly by age. */
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

const keyColumns = { company_id: 'bigint', created_at: 'bigint', id: 'bigint' } as const;

const removals: readonly Sql[] = [
  ...['message_parts', 'message_refusals', 'message_events', 'sending_answers'].map(
    (table) => sql`DELETE FROM ${raw(table)} ${usingEach}
      WHERE ${raw(table)}.company_id = each.company_id AND ${raw(table)}.message_id = each.id`,
  ),
  sql`DELETE FROM message_log ${usingEach} WHERE message_log.company_id = each.company_id
      AND message_log.created_at = each.created_at AND message_log.id = each.id`,
  sql`DELETE FROM messages ${usingEach} WHERE messages.company_id = each.company_id AND messages.id = each.id`,
];

/** Removes the messages with everything that is known about them. */
export async function removeMessages(transaction: Transaction, ended: readonly MessageKey[]): Promise<void> {
  await transaction.together(removals.map((change) => ({ columns: keyColumns, rows: ended, change })));
}

/** A receipt may arrive after the person it is about was erased. */
const unmatchedAtMostMs = 30 * dayMs;

export const agedMessages: readonly AgedRows[] = [
  { table: 'incoming_messages', key: 'id', time: 'received_at' },
  { table: 'unmatched_receipts', key: 'rowid', time: 'received_at', atMostMs: unmatchedAtMostMs },
  { table: 'idempotency_keys', key: 'company_id, user_id, idempotency_key', time: 'expires_at', keptMs: 0 },
  { table: 'number_leases', key: 'recipient, number, message_id', time: 'ends_at' },
  { table: 'conversations', key: 'id', time: 'last_at' },
];

/** The time of day when it was last trusted (see `settled-clock.ts`). */
export const readBelievedTime = readVerb('messages.readBelievedTime', async (reading, _: null) => {
  const row = await reading.first<{ believed_at: number }>(sql`SELECT believed_at FROM believed_time`);
  return row?.believed_at ?? null;
});

/** This need not be the latest time ever trusted, so that a wrong time that was once trusted gets corrected. */
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
