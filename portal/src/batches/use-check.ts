/** Checks a batch by a dry run, and then sends exactly what was checked, under one key. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import { accept, awaiting, type BatchAttempt, begin, letGo } from './attempts.ts';
import { type BatchDraft, fieldsOf, mappingOf } from './batch-draft.ts';
import type { TableRow } from './table/read-rows.ts';
import type { Table, Written } from './table/table.ts';
import type { useTable } from './table/use-table.ts';

export type Preview = AnswerOf<'POST', '/api/v1/batches/preview'>;

export interface Checked extends Written {
  readonly preview: Preview;
  /** The first rows with problems. */
  readonly faultyRows: readonly TableRow[];
  /** The draft and the table that were checked; another draft needs another check. */
  readonly of: readonly [BatchDraft, Table];
}

export function useCheck({ write, pick }: Pick<ReturnType<typeof useTable>, 'write' | 'pick'>) {
  return useMutation({
    mutationFn: async ({
      draft,
      table,
      file,
    }: {
      readonly draft: BatchDraft;
      readonly table: Table;
      readonly file: Blob;
    }): Promise<Checked> => {
      const mapping = mappingOf(draft, table);
      const { edits = {} } = draft;
      const fields = JSON.stringify(fieldsOf(draft, table, mapping));
      const written = await write(file, table, mapping, fields, edits);
      const preview = await call<Preview>('POST', '/api/v1/batches/preview', {}, { body: written.body });
      const lines = preview.faultyPlaces.map((place) => written.lines[place] ?? 0);
      const faultyRows = lines.length === 0 ? [] : await pick(file, table, lines, edits);
      return { ...written, preview, faultyRows, of: [draft, table] };
    },
  });
}

export function useSend() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, digest, preview: { messages } }: Checked) =>
      sendUnder(begin(digest, messages), body),
    onSuccess: () => void client.invalidateQueries(),
  });
}

type Submitted = AnswerOf<'POST', '/api/v1/batches'>;

async function sendUnder(attempt: BatchAttempt, body: Blob): Promise<Submitted> {
  const { key: idempotencyKey, begunAt: firstSentAt } = attempt;
  try {
    const sent = call<Submitted>('POST', '/api/v1/batches', {}, { body, idempotencyKey, firstSentAt });
    const answer = await awaiting(attempt, sent);
    accept(attempt, answer.batchid);
    return answer;
  } catch (error) {
    if (error instanceof Fault && error.isRefusal) letGo(attempt);
    throw error;
  }
}
