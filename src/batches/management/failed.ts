/**
 * The messages of a batch that failed permanently, with reasons: one page of them, or all in pages; also records who
 * has looked at them.
 */
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteAct, noteLook } from '../../audit/audit-log.ts';
import type { Language } from '../../foundation/language.ts';
import { explain } from '../../messages/management/explain.ts';
import type { Explanation } from '../../messages/management/explanation.ts';
import type { Context } from '../../storage/context.ts';
import type { Store } from '../../storage/store.ts';
import { type FailedMessage, readFailed } from './failed-store.ts';
import type { VisibleBatch } from './visible-batch.ts';

/** Records that a user has looked at the texts of another user, or has exported texts. */
export async function noteFailedLook(
  { store, clock }: Context,
  caller: Caller,
  { id, userId, username: owner }: VisibleBatch,
  { isExport }: { readonly isExport: boolean },
): Promise<void> {
  const by = { companyId: caller.companyId, at: clock.now(), by: byUser(caller) };
  const entry = { ...by, object: String(id), details: { sentence: 'of_user', user: owner } } as const;
  if (isExport) await store.write(noteAct, { ...entry, act: 'message.export' });
  else if (userId !== caller.userId) await store.write(noteLook, { ...entry, act: 'batch.look' });
}

export interface FailedRow extends FailedMessage, Explanation {}

interface FailedPage {
  readonly rows: readonly FailedRow[];
  /** The id after which the next page begins; undefined when there are no more. */
  readonly next: number | undefined;
}

/** Messages examined per read. */
const maxExaminedPerRead = 2_000;
/**
 * A page ends after this many reads, however short it is, so that no one waits for a full page where few messages have
 * failed.
 */
const maxReadsPerPage = 10;

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
  for (let reads = 0; from <= last && reads < maxReadsPerPage; reads += 1) {
    const lastId = Math.min(last, from + maxExaminedPerRead - 1);
    const left = limit - rows.length;
    const found = await store.read(readFailed, { companyId, firstId: from, lastId, limit: left, callerId });
    rows.push(...found.map((row) => explained(row, language)));
    if (found.length === left) return { rows, next: rows.at(-1)?.id };
    from = lastId + 1;
  }
  return { rows, next: from <= last ? from - 1 : undefined };
}

/** Yields all pages in order; the first page is read at once, the others on demand. */
export async function* failedInPages(
  store: Store,
  caller: Caller,
  batch: VisibleBatch,
  language: Language = 'en',
): AsyncGenerator<readonly FailedRow[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: FailedPage = await readFailedPage(store, caller, batch, { after, limit: 500, language });
    yield page.rows;
    after = page.next;
  }
}

function explained(row: FailedMessage, language: Language | undefined): FailedRow {
  const message = { ...row, stage: null, dueAt: null, taken: { length: row.taken } };
  const { why, todo } = explain(message, language);
  return { ...row, why, ...(todo !== undefined && { todo }) };
}
