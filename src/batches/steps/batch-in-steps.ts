/** The parts that all steps of a batch share: its row, and the rows of its chunks. */
import { byDialect, raw, sql } from '../../storage/sql.ts';
import { type BatchCode, chunkPlaces } from '../batch.ts';

export interface BatchKey {
  readonly companyId: number;
  readonly id: number;
}

/** Must match the condition of the partial index word for word. */
export const hasNextStep = raw('((code IN (1, 2, 3) AND paused = 0) OR clearing > 0)');

/** The operation on the messages that a batch has made so far; only one pass over them runs at a time. */
export const clearing = { nothing: 0, takingBack: 1, puttingAside: 2, lettingGo: 3 } as const;

/** The row of a batch, as its steps use it. */
export interface BatchInSteps {
  readonly company_id: number;
  readonly id: number;
  readonly user_id: number;
  readonly code: BatchCode;
  readonly failure_code: BatchCode | null;
  readonly cost_center: string;
  readonly messages: number;
  readonly parts: number;
  readonly chunks: number;
  readonly next_chunk: number;
  readonly expanded: number;
  readonly first_message_id: number | null;
  readonly started_at: number | null;
  readonly scheduled_at: number | null;
  readonly validity_minutes: number;
  readonly category: number | null;
  readonly clearing: (typeof clearing)[keyof typeof clearing];
  readonly clear_from: number;
  readonly clear_again_from: number | null;
}

export function keyOf({ company_id, id }: Pick<BatchInSteps, 'company_id' | 'id'>) {
  return sql`batches.company_id = ${company_id} AND batches.id = ${id}`;
}

/** The rows of a chunk with their positions. A chunk's JSON is expanded inside the database and never leaves it. */
export const finishedRows = byDialect({
  sqlite: 'json_each(batch_chunks.finished) AS finished_row',
  postgres:
    'json_array_elements(batch_chunks.finished::json) WITH ORDINALITY AS finished_row (value, number)',
});

/** A field of a row of `finishedRows`, as text. */
export function finished(name: keyof typeof chunkPlaces) {
  return raw(`finished_row.value->>${chunkPlaces[name]}`);
}
