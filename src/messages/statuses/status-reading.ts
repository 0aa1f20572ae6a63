/** What all readers of statuses share, those of batches included: the columns, and marking as read without losses. */
import { byDialect, fromEach, raw, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';

export interface StatusRow {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly status: number;
  readonly conversation: string;
  readonly changed_at: number;
  readonly version: number;
  readonly unread: number;
}

export const statusColumns = raw(
  'company_id, id, recipient, sender, status, conversation, changed_at, version, unread',
);

/** Two readers at once each get other items; in SQLite's single writer they come one after the other anyway. */
export const skipLocked = byDialect({ sqlite: '', postgres: 'FOR UPDATE SKIP LOCKED' });

/** Only the version that was read is marked: a change that came between stays unread. */
export async function markRead(transaction: Transaction, rows: readonly StatusRow[]): Promise<void> {
  const unread: Row[] = rows
    .filter((row) => row.unread === 1)
    .map((row) => [row.company_id, row.id, row.version]);
  await transaction.each(
    { company_id: 'bigint', id: 'bigint', version: 'integer' },
    unread,
    sql`UPDATE messages SET unread = 0 ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id AND messages.version = each.version`,
  );
}
