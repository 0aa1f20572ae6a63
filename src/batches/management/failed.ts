/** The messages of a batch that failed for good, with why: a page of them, or all in pages; and the note of who looked. */
import type { Caller } from '../../accounts/caller.ts';
import { type AuditEntry, byUser, noteLook, recordAct } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import { explain } from '../../messages/management/explain.ts';
import type { Explanation, Language } from '../../messages/management/explanation.ts';
import { charge, isFinal, status } from '../../messages/message.ts';
import { isSimulated } from '../../messages/simulated.ts';
import { literal, raw, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import type { VisibleBatch } from './visible-batch.ts';

/** That somebody has looked at the texts of another user, or has taken texts along. */
export async function noteFailedLook(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  caller: Caller,
  { id, userId, username: owner }: VisibleBatch,
  { isExport }: { readonly isExport: boolean },
): Promise<void> {
  const by = { companyId: caller.companyId, at: clock.now(), by: byUser(caller) };
  const entry = { ...by, object: String(id), details: `of ${owner}` };
  if (isExport) await store.write(noteFailedExport, entry);
  else if (userId !== caller.userId) await store.write(noteLook, { ...entry, act: 'batch.look' });
}

/** That somebody has taken texts out of the service (PORT-7). */
export const noteFailedExport = refusable(
  singleWriteVerb('batches.noteFailedExport', async (transaction, entry: Omit<AuditEntry, 'act'>) => {
    await recordAct(transaction, { ...entry, act: 'message.export' });
    return null;
  }),
);

interface FailedMessage {
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly conversation: string;
  readonly parts: number;
  readonly status: number;
  readonly changedAt: number;
  readonly expiresAt: number;
  readonly expiredByTimer: number;
  readonly reason: string | null;
  readonly carrier: string;
  /** 1: by a simulator. */
  readonly simulated: number;
  readonly inDoubt: number;
  /** 1: a carrier may have had it. */
  readonly taken: number;
  /** 1: the phone may have it all the same. */
  readonly mayHaveArrived: number;
}

export interface FailedRow extends FailedMessage, Explanation {}

interface FailedPage {
  readonly rows: readonly FailedRow[];
  /** The id behind which the next page begins; undefined: it was all. */
  readonly next: number | undefined;
}

/** Messages that one look reads through. */
const lookedAtOnce = 2_000;
/** After so many looks a page ends, short as it may be: where few have failed, nobody waits for all of it. */
const looksOfPage = 10;

interface FailedAsked {
  readonly after: number;
  readonly limit: number;
  readonly language?: Language | undefined;
}

export async function readFailedPage(
  store: Store,
  caller: Caller,
  batch: VisibleBatch,
  { after, limit, language }: FailedAsked,
): Promise<FailedPage> {
  const { companyId, userId: callerId } = caller;
  const { firstMessageId, expanded } = batch;
  if (firstMessageId === null) return { rows: [], next: undefined };
  const last = firstMessageId + expanded - 1;
  const rows: FailedRow[] = [];
  let from = Math.max(firstMessageId, after + 1);
  for (let looks = 0; from <= last && looks < looksOfPage; looks += 1) {
    const lastId = Math.min(last, from + lookedAtOnce - 1);
    const left = limit - rows.length;
    const found = await store.read(readFailed, { companyId, firstId: from, lastId, limit: left, callerId });
    rows.push(...found.map((row) => explained(row, language)));
    if (found.length === left) return { rows, next: rows.at(-1)?.id };
    from = lastId + 1;
  }
  return { rows, next: from <= last ? from - 1 : undefined };
}

/** From the first to the last; the first page is read at once, others when they are asked for. */
export async function* failedInPages(
  store: Store,
  caller: Caller,
  batch: VisibleBatch,
): AsyncGenerator<readonly FailedRow[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: FailedPage = await readFailedPage(store, caller, batch, { after, limit: 500 });
    yield page.rows;
    after = page.next;
  }
}

function explained(row: FailedMessage, language: Language | undefined): FailedRow {
  const told = { ...row, stage: null, dueAt: null, taken: { length: row.taken } };
  const { why, todo } = explain(told, language);
  return { ...row, why, ...(todo !== undefined && { todo }) };
}

/** What was taken back is no failure. */
const failing = Object.values(status).filter(
  (code) => isFinal(code) && ![status.DELIVERED, status.DELETED, status.CANCELED].includes(code),
);

interface FailedOf {
  readonly companyId: number;
  readonly firstId: number;
  /** The ids up to here are looked at. */
  readonly lastId: number;
  readonly limit: number;
  /** Whose turn it takes. */
  readonly callerId: number;
}

export const readFailed = inTurns(
  readVerb('batches.readFailed', async (reading, { companyId, firstId, lastId, limit }: FailedOf) =>
    reading.all<FailedMessage>(
      sql`SELECT id, recipient, sender, text, conversation, parts, status, changed_at AS "changedAt",
            expires_at AS "expiresAt", expired_by_timer AS "expiredByTimer", reason, in_doubt AS "inDoubt",
            ${isSimulated} AS simulated,
            COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
              CAST(messages.carrier_id AS TEXT)) AS carrier,
            CASE WHEN charge = ${literal(charge.refunded)} THEN 0 ELSE 1 END AS taken,
            CASE WHEN in_doubt > 0 OR (expired_by_timer = 1 AND charge <> ${literal(charge.refunded)})
              THEN 1 ELSE 0 END AS "mayHaveArrived"
          FROM messages
          WHERE company_id = ${companyId} AND id >= ${firstId} AND id <= ${lastId}
            AND status IN (${raw(failing.join(', '))})
          ORDER BY id LIMIT ${limit}`,
    ),
  ),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);
