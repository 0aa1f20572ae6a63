/** The messages of a batch that failed for good, with why: a page of them, or all in pages; and the note of who looked. */
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteAct, noteLook } from '../../audit/audit-log.ts';
import { explain } from '../../messages/management/explain.ts';
import type { Explanation, Language } from '../../messages/management/explanation.ts';
import type { Context } from '../../storage/context.ts';
import type { Store } from '../../storage/store.ts';
import { type FailedMessage, readFailed } from './failed-store.ts';
import type { VisibleBatch } from './visible-batch.ts';

/** That somebody has looked at the texts of another user, or has taken texts along. */
export async function noteFailedLook(
  { store, clock }: Context,
  caller: Caller,
  { id, userId, username: owner }: VisibleBatch,
  { isExport }: { readonly isExport: boolean },
): Promise<void> {
  const by = { companyId: caller.companyId, at: clock.now(), by: byUser(caller) };
  const entry = { ...by, object: String(id), details: `of ${owner}` };
  if (isExport) await store.write(noteAct, { ...entry, act: 'message.export' });
  else if (userId !== caller.userId) await store.write(noteLook, { ...entry, act: 'batch.look' });
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
