/**
 * The journal of changes: its entries, the place of each reader and its unread changes, and the removal of entries that no
 * reader needs.
 */

import { type BatchCode, describeBatchCode } from '../batches/batch.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { statusNames } from '../messages/message.ts';
import type { Context } from '../storage/context.ts';
import { amongUnlocked, type Sql, sql } from '../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';

export const changeKind = {
  message: 0,
  incoming: 1,
  batch: 2,
  conversation: 3,
  run: 4,
  optedOut: 5,
  optedIn: 6,
  optedOutBySms: 7,
} as const;

/**
 * A message was accepted or has another status, an SMS arrived, a batch has another code, a conversation or a run of a job was
 * changed, or a person opted out, or in again.
 */
export interface Change {
  /** The change's place in the journal. Changes of one message are in the order in which they were made. */
  readonly place: number;
  readonly companyId: number;
  /** One of `changeKind`. */
  readonly kind: number;
  /** The id of the message, the incoming SMS, the batch, the conversation, the run or the opt-out; the SMS that opted out or in. */
  readonly subjectId: number;
  /** Null when the message belongs to no batch. */
  readonly batchId: number | null;
  /** The status of the message or the code of the batch; null for all else. */
  readonly status: number | null;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** The lists that a company can watch. */
export const topics = ['messages', 'incoming', 'batches', 'conversations', 'runs', 'optouts'] as const;
export type Topic = (typeof topics)[number];

/** The list in which a change is visible. */
export function topicOf({ kind, batchId }: Change): Topic {
  if (kind === changeKind.incoming) return 'incoming';
  if (kind === changeKind.conversation) return 'conversations';
  if (kind === changeKind.run) return 'runs';
  if (kind >= changeKind.optedOut) return 'optouts';
  return batchId === null ? 'messages' : 'batches';
}

/** The new state of what was changed, in a word or two. */
export function nameOf({ kind, status }: Change): string {
  if (kind === changeKind.incoming) return 'RECEIVED';
  if (kind >= changeKind.conversation) return 'CHANGED';
  if (kind === changeKind.batch) return `batch: ${describeBatchCode(status as BatchCode)}`;
  return statusNames[status ?? -1] ?? 'UNKNOWN';
}

interface NewReader {
  readonly name: string;
  /** A new reader starts after this place; a known one continues where it was. */
  readonly place: number;
  /** A reader that has unread changes and makes no progress for this long counts as gone. */
  readonly patienceMs: number;
}

/** Returns the place from which the reader continues. */
export const enterReader = singleWriteVerb(
  'changes.enterReader',
  async (transaction, { name, place, patienceMs }: NewReader) => {
    const entered = await transaction.first<{ place: number }>(
      sql`INSERT INTO change_readers (name, place, patience_ms) VALUES (${name}, ${place}, ${patienceMs})
          ON CONFLICT (name) DO UPDATE SET patience_ms = excluded.patience_ms, stuck_since = NULL
          RETURNING place`,
    );
    return entered?.place ?? place;
  },
);

export const leaveReader = singleWriteVerb('changes.leaveReader', async (transaction, name: string) => {
  await dropReader(transaction, name);
  return null;
});

/** Nothing is kept for this reader's name any more. */
export async function dropReader(transaction: Transaction, name: string): Promise<void> {
  await transaction.run(sql`DELETE FROM change_readers WHERE name = ${name}`);
}

/** The place of the newest visible change, or 0 when there is none. */
export const readNewest = readVerb('changes.readNewest', (reading, _: null) => newestIn(reading));

async function newestIn(reading: Reading): Promise<number> {
  const { place } = await only<{ place: number }>(
    reading,
    sql`SELECT COALESCE(MAX(place), 0) AS place FROM changes`,
  );
  return place;
}

/** The row of a statement that always returns exactly one row. */
async function only<Row>(reading: Reading, statement: Sql): Promise<Row> {
  return (await reading.first<Row>(statement)) as Row;
}

/** The last place that was allocated. */
export async function endOfJournal(reading: Reading): Promise<number> {
  if (reading.dialect === 'sqlite') return newestIn(reading);
  const { place } = await only<{ place: number }>(
    reading,
    sql`SELECT COALESCE(pg_sequence_last_value('changes_place_seq'), 0) AS place`,
  );
  return place;
}

interface Mark {
  /** Everything in the journal, and everything on its way there, is at this place or before it. */
  readonly place: number;
  /**
   * Everything up to that place is visible once this transaction and all earlier ones have ended, as far as they belong
   * to this database.
   */
  readonly transaction: number;
}

/**
 * Marks the end of the journal. PostgreSQL allocates places before transactions commit, so that a change can still appear
 * before one that is already visible. Transactions that are open now have numbers below that of this statement's own
 * transaction; later ones get places beyond the last place, which was read before. SQLite has a single writer.
 */
export const markJournal = readVerb('changes.markJournal', async (reading, _: null): Promise<Mark> => {
  const place = await endOfJournal(reading);
  if (reading.dialect === 'sqlite') return { place, transaction: 0 };
  // This is a separate statement, so that it runs later.
  const { transaction } = await only<{ transaction: number }>(
    reading,
    sql`SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) AS transaction`,
  );
  return { place, transaction };
});

/** At most this many of the blocking processes are named. */
const maxNamed = 5;

/**
 * Server processes whose transactions were open when the journal was marked and still are. PostgreSQL numbers transactions
 * across all its databases; those of other databases write nothing here, and may stay open for hours. Transaction numbers in
 * `pg_stat_get_activity` have 32 bits, and are compared by age.
 */
export const listStillOpen = readVerb(
  'changes.listStillOpen',
  async (reading, transaction: number): Promise<readonly number[]> => {
    if (reading.dialect === 'sqlite') return [];
    const { oldest } = await only<{ oldest: number }>(
      reading,
      sql`SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) AS oldest`,
    );
    if (oldest > transaction) return [];
    const open = await reading.all<{ pid: number }>(
      sql`SELECT pid FROM pg_stat_get_activity(NULL)
          WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND age(backend_xid) > age(CAST(${String(transaction % 2 ** 32)} AS xid))
          ORDER BY pid LIMIT ${maxNamed}`,
    );
    return open.map(({ pid }) => pid);
  },
);

interface Unread {
  readonly name: string;
  /** Up to this place. */
  readonly to: number;
  readonly limit: number;
}

/** A reader's unread changes, in journal order; null when the reader was dropped. */
export const readChanges = readVerb(
  'changes.read',
  async (reading, { name, to, limit }: Unread): Promise<readonly Change[] | null> => {
    const reader = await reading.first<{ place: number }>(
      sql`SELECT place FROM change_readers WHERE name = ${name}`,
    );
    if (reader === undefined) return null;
    return reading.all<Change>(
      sql`SELECT place, company_id AS "companyId", kind, subject_id AS "subjectId", batch_id AS "batchId", status,
            changed_at AS "changedAt"
          FROM changes WHERE place > ${reader.place} AND place <= ${to} ORDER BY place LIMIT ${limit}`,
    );
  },
);

/** The reader has handled all changes up to a place. */
export const moveReader = singleWriteVerb(
  'changes.moveReader',
  async (transaction, { name, to }: { readonly name: string; readonly to: number }) => {
    await transaction.run(
      sql`UPDATE change_readers SET place = ${to}, stuck_since = NULL WHERE name = ${name} AND place < ${to}`,
    );
    return null;
  },
);

/** A reader with more unread changes than this is dropped, because the journal must not grow without limit. */
export const maxUnread = 1_000_000;

interface Trimmed {
  readonly changes: number;
  /** Readers that are gone or too far behind. */
  readonly dropped: readonly { readonly name: string; readonly place: number }[];
}

/** Removes changes that all readers have handled, and readers for which nothing more can be kept. */
export const trimChanges = singleWriteVerb(
  'changes.trim',
  async (transaction, { now, limit }: { readonly now: number; readonly limit: number }): Promise<Trimmed> => {
    const newest = sql`(SELECT COALESCE(MAX(place), 0) FROM changes)`;
    const dropped = await transaction.all<{ name: string; place: number }>(
      sql`DELETE FROM change_readers WHERE stuck_since <= ${now} - patience_ms OR place < ${newest} - ${maxUnread}
          RETURNING name, place`,
    );
    await transaction.run(
      sql`UPDATE change_readers SET stuck_since = ${now} WHERE stuck_since IS NULL AND place < ${newest}`,
    );
    await transaction.run(sql`DELETE FROM change_listeners WHERE until <= ${now}`);
    // Done in one statement, which sees either both a new reader and its changes, or neither.
    const changes = await transaction.run(
      sql`DELETE FROM changes WHERE ${amongUnlocked(
        'place',
        // The newest entry stays, because SQLite derives the next place from it.
        sql`changes WHERE place < ${newest}
            AND place <= COALESCE((SELECT MIN(place) FROM change_readers), ${newest})
            ORDER BY place LIMIT ${limit}`,
      )}`,
    );
    return { changes, dropped };
  },
  ({ limit }) => limit,
);

export interface TrimmingOptions extends Context {
  readonly log: { warn(details: object, message: string): void };
}

const trimEveryMs = 10_000;
const maxTrimmedPerStep = 1_000;

/** Keeps the journal as short as its readers allow, and logs readers that are dropped. */
export function trimming(options: TrimmingOptions): WokenLoop {
  const failed = (error: unknown) =>
    options.log.warn({ error }, 'the journal of changes could not be trimmed; trying again');
  return new WokenLoop({ pauseMs: trimEveryMs, firstMs: 0, failed }, (signal) => trim(options, signal));
}

/** Trims everything that can go now. */
export async function trim({ store, clock, log }: TrimmingOptions, signal?: AbortSignal): Promise<void> {
  let trimmed = maxTrimmedPerStep;
  while (trimmed === maxTrimmedPerStep && !signal?.aborted) {
    const { changes, dropped } = await store.write(trimChanges, {
      now: clock.now(),
      limit: maxTrimmedPerStep,
    });
    for (const reader of dropped)
      log.warn(reader, 'a reader of changes was gone, or too far behind: it was dropped');
    trimmed = changes;
  }
}
