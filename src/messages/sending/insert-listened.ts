/**
 * Messages that somebody listens to from the start: beside their rows, the journal of changes is told that they are there.
 * Updates of what was just inserted, and the trigger on these, took PostgreSQL 19 µs a message, and SQLite 5.
 */
import { byDialect, type Change, fromEach, sql } from '../../storage/sql.ts';
import { type AcceptedRow, acceptedColumns, valueIn } from './accepted-row.ts';

const listenedColumns = { ...acceptedColumns, listened: 'smallint' } as const;
const toldColumns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'smallint',
  changed_at: 'bigint',
} as const;

/** As the triggers write it (`storage/change-tables.ts`). */
const tellOfEach = sql`INSERT INTO changes
    (${byDialect({ sqlite: 'place, ', postgres: '' })}company_id, kind, subject_id, status, changed_at)
  SELECT ${byDialect({ sqlite: '(SELECT COALESCE(MAX(place), 0) + 1 FROM changes), ', postgres: '' })}
    each.company_id, 0, each.id, each.status, each.changed_at ${fromEach}`;

/** To be made together. */
export function insertsOfListened(rows: readonly AcceptedRow[]): readonly Change[] {
  const told = rows.map((row) => [
    valueIn(row, 'company_id'),
    valueIn(row, 'id'),
    valueIn(row, 'status'),
    valueIn(row, 'changed_at'),
  ]);
  return [
    { columns: listenedColumns, rows: rows.map((row) => [...row, 1]), change: { into: 'messages' } },
    { columns: toldColumns, rows: told, change: tellOfEach },
  ];
}
