/** Compares the journal of changes with the rows it reports on, and shows its readers. */
import { raw, sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface JournalRow {
  readonly place: number;
  readonly company_id: number;
  readonly kind: number;
  readonly subject_id: number;
  readonly batch_id: number | null;
  readonly status: number | null;
  readonly changed_at: number;
}

export const listChanges = readVerb('test.listChanges', async (reading, _: null) =>
  reading.all<JournalRow>(sql`SELECT * FROM changes ORDER BY place`),
);

/** Messages whose current state the journal does not report, and incoming SMS that it does not report. */
export const unreported = readVerb('test.unreported', async (reading, _: null) => {
  const ofMessage = raw('changes.kind = 0 AND changes.subject_id = messages.id');
  return reading.all<{ id: number; what: string }>(
    sql`SELECT id, 'status' AS what FROM messages WHERE listened = 1 AND batch_id IS NULL
          AND (version <> (SELECT COUNT(*) FROM changes WHERE ${ofMessage})
            OR status <> (SELECT changes.status FROM changes WHERE ${ofMessage} ORDER BY place DESC LIMIT 1)
            OR changed_at <> (SELECT changes.changed_at FROM changes WHERE ${ofMessage} ORDER BY place DESC LIMIT 1))
        UNION ALL SELECT id, 'not listened to' FROM messages
          WHERE listened = 0 AND EXISTS (SELECT 1 FROM changes WHERE ${ofMessage})
        UNION ALL SELECT id, 'incoming' FROM incoming_messages
          WHERE company_id IN (SELECT company_id FROM change_listeners)
            AND NOT EXISTS (SELECT 1 FROM changes WHERE kind = 1 AND subject_id = incoming_messages.id)`,
  );
});

export const listReaders = readVerb('test.listReaders', async (reading, _: null) =>
  reading.all<{ name: string; place: number }>(sql`SELECT name, place FROM change_readers ORDER BY name`),
);

export const clearJournal = singleWriteVerb('test.clearJournal', async (transaction, _: null) => {
  for (const table of ['changes', 'change_readers', 'change_listeners'])
    await transaction.run(sql`DELETE FROM ${raw(table)}`);
});

/** Subscribes a listener that never expires. */
export const trackCompany = singleWriteVerb('test.trackCompany', async (transaction, companyId: number) =>
  transaction.run(
    sql`INSERT INTO change_listeners (company_id, listener, until) VALUES (${companyId}, 'test', ${Number.MAX_SAFE_INTEGER})`,
  ),
);
