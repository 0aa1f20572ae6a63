/** Verbs that put conversations into a store for tests and show their assignees. */

import { readDetails } from '../../src/audit/audit-details.ts';
import { operator } from '../../src/audit/audit-log.ts';
import { noteSent, type SentSms } from '../../src/messages/conversation-rows.ts';
import { type Leaving, releaseOf } from '../../src/messages/conversations/release-records.ts';
import { sql } from '../../src/storage/sql.ts';
import type { Columns } from '../../src/storage/storable.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

const columns: Columns = {
  id: 'bigint',
  company_id: 'bigint',
  user_id: 'bigint',
  number: 'text',
  phone: 'text',
  last_at: 'bigint',
  last_incoming_id: 'bigint',
  unread: 'integer',
  archived: 'integer',
  version: 'integer',
  assignee_id: 'bigint',
};

export interface Put {
  readonly first: number;
  readonly count: number;
  readonly userId: number;
  readonly assigneeId: number;
}

export const putConversations = singleWriteVerb('test.putConversations', async (transaction, put: Put) => {
  const rows = Array.from({ length: put.count }, (_, index) => put.first + index).map((id) => [
    ...[id, 1, put.userId, '46731230001', String(46_701_000_000 + id), id, id, 0, 0, 1, put.assigneeId],
  ]);
  await transaction.insert('conversations', columns, rows);
});

/** The number of each user's conversations by assignee. */
export const countAssigned = readVerb('test.countAssigned', async (reading, _: null) => {
  const rows = await reading.all<{ to: number; of: number; count: number }>(
    sql`SELECT assignee_id AS "to", user_id AS "of", CAST(COUNT(*) AS INTEGER) AS count FROM conversations
        WHERE assignee_id IS NOT NULL GROUP BY assignee_id, user_id ORDER BY assignee_id, user_id`,
  );
  return rows.map(({ to, of, count }) => `${to} of ${of}: ${count}`);
});

export const readReleases = readVerb('test.readReleases', async (reading, _: null) => {
  const rows = await reading.all<{
    object: string;
    channel: string;
    username: string | null;
    details: string;
  }>(
    sql`SELECT object, channel, username, details FROM audit_log WHERE act = 'conversation.assign' ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, details: readDetails(row.details).details }));
});

/** Releases conversations as the deletion of a user does. */
export const leaveConversations = singleWriteVerb('test.leaveConversations', (transaction, user: Leaving) =>
  releaseOf(transaction, [user], { by: operator, at: 1 }),
);

/** Records sent SMS as the acceptance of messages does. */
export const noteSentOf = singleWriteVerb('test.noteSent', async (transaction, sent: readonly SentSms[]) => {
  await noteSent(transaction, sent);
  return null;
});
