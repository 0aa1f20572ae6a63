/** Verbs that put messages into a store in any state a test needs, and read everything about them. */

import type { BulkRange } from '../../src/messages/bulk-messages.ts';
import { type ClaimInput, claimMessages } from '../../src/messages/dispatch/claim.ts';
import { charge, lane, stage, status } from '../../src/messages/message.ts';
import { logBulk } from '../../src/messages/message-log.ts';
import { insertsOfTracked } from '../../src/messages/sending/accept.ts';
import { type AcceptedRow, acceptedColumns } from '../../src/messages/sending/accepted-row.ts';
import { raw, sql } from '../../src/storage/sql.ts';
import type { Row } from '../../src/storage/storable.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../src/storage/verb.ts';

export interface TestMessage {
  readonly id: number;
  readonly companyId?: number;
  readonly userId?: number;
  readonly recipient?: string;
  readonly sender?: string;
  readonly conversation?: string;
  readonly text?: string;
  readonly parts?: number;
  readonly costCenter?: string;
  readonly createdAt?: number;
  readonly expiresAt?: number;
  readonly status?: number;
  readonly expiredByTimer?: number;
  readonly carrierId?: number;
  readonly lane?: number;
  readonly stage?: number | null;
  readonly dueAt?: number | null;
  readonly nodeId?: number | null;
  readonly attempts?: number;
  readonly charge?: number;
  readonly inDoubt?: number;
  readonly listened?: boolean;
}

/** Completes a test's message: by default it has been queued for carrier 1 since time 1,000. */
function toRow(message: TestMessage) {
  return [
    message.companyId ?? 1,
    message.id,
    message.userId ?? 10,
    message.recipient ?? '46701740600',
    message.sender ?? 'Sender',
    message.text ?? 'Text',
    0,
    message.parts ?? 1,
    message.conversation ?? '',
    message.costCenter ?? '',
    message.createdAt ?? 1_000,
    message.expiresAt ?? 1_000_000,
    message.status ?? status.QUEUED,
    message.createdAt ?? 1_000,
    1,
    1,
    message.expiredByTimer ?? 0,
    message.carrierId ?? 1,
    message.lane ?? lane.interactive,
    message.stage === undefined ? stage.waiting : message.stage,
    message.dueAt === undefined ? defaultDueAt(message.id) : message.dueAt,
    message.attempts ?? 0,
    message.charge ?? charge.reserved,
    message.inDoubt ?? 0,
    message.nodeId ?? null,
  ];
}

/**
 * Messages are due in the order of their ids within each thousand, because the order in which a claim takes messages due at
 * the same moment is undefined.
 */
function defaultDueAt(id: number): number {
  return 1_000 + (id % 1_000);
}

export const putMessages = singleWriteVerb(
  'test.putMessages',
  async (transaction, messages: readonly TestMessage[]) => {
    const rowsOf = (some: readonly TestMessage[]) => some.map((one) => toRow(one) as Row as AcceptedRow);
    const rows = rowsOf(messages.filter(({ listened }) => !listened));
    await transaction.together([
      { columns: acceptedColumns, rows, change: { into: 'messages' } },
      ...insertsOfTracked(rowsOf(messages.filter(({ listened }) => listened))),
    ]);
  },
  (messages) => messages.length,
);

/** As if a receipt had reported this status of all messages. */
export const putStatus = singleWriteVerb('test.putStatus', async (transaction, code: number) =>
  transaction.run(sql`UPDATE messages SET status = ${code}, version = version + 1`),
);

/** Gives a message the reason for which its carrier did not take it. */
export const giveReason = singleWriteVerb(
  'test.giveReason',
  async (transaction, { id, reason }: { readonly id: number; readonly reason: string }) => {
    await transaction.run(sql`UPDATE messages SET reason = ${reason} WHERE company_id = 1 AND id = ${id}`);
    return null;
  },
);

/** Writes the messages to the message log, just as the code that stores messages does. */
export const logMessages = singleWriteVerb('test.logMessages', async (transaction, range: BulkRange) => {
  await logBulk(transaction, range);
  return null;
});

export interface TestPart {
  readonly messageId: number;
  readonly part?: number;
  readonly parts?: number;
  readonly carrierMessageId: string;
  readonly carrierId?: number;
  readonly status?: number;
  readonly companyId?: number;
}

/** Parts accepted by a carrier at time 2,000. */
export const putParts = singleWriteVerb('test.putParts', async (transaction, parts: readonly TestPart[]) =>
  transaction.insert(
    'message_parts',
    {
      company_id: 'bigint',
      message_id: 'bigint',
      part: 'smallint',
      parts: 'smallint',
      carrier_id: 'bigint',
      carrier_message_id: 'text',
      status: 'smallint',
      changed_at: 'bigint',
    },
    parts.map((part) => [
      part.companyId ?? 1,
      part.messageId,
      part.part ?? 1,
      part.parts ?? 1,
      part.carrierId ?? 1,
      part.carrierMessageId,
      part.status ?? status.SENT,
      2_000,
    ]),
  ),
);

export interface TestCarrier {
  readonly id: number;
  readonly name?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly removed?: boolean;
}

/** Creates or updates the carrier, which is a simulator. */
export const putSimulator = singleWriteVerb('test.putSimulator', async (transaction, carrier: TestCarrier) =>
  transaction.run(sql`
    INSERT INTO carriers (id, name, type, settings, removed)
    VALUES (${carrier.id}, ${carrier.name ?? `carrier ${carrier.id}`}, 'simulator',
      ${JSON.stringify(carrier.settings ?? {})}, ${carrier.removed ? 1 : 0})
    ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, removed = excluded.removed`),
);

export interface MessageRow {
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly company_id: number;
  readonly id: number;
  readonly user_id: number;
  readonly parts: number;
  readonly cost_center: string;
  readonly status: number;
  readonly changed_at: number;
  readonly version: number;
  readonly unread: number;
  readonly expired_by_timer: number;
  readonly carrier_id: number;
  readonly stage: number | null;
  readonly due_at: number | null;
  readonly node_id: number | null;
  readonly attempts: number;
  readonly charge: number;
  readonly in_doubt: number;
  readonly reason: string | null;
}

export const listMessages = readVerb('test.listMessages', async (reading, _: null) =>
  reading.all<MessageRow>(sql`SELECT * FROM messages ORDER BY id`),
);

export interface PartRow {
  readonly message_id: number;
  readonly part: number;
  readonly carrier_message_id: string;
  readonly status: number;
  readonly error_code: string | null;
}

export const listParts = readVerb('test.listParts', async (reading, _: null) =>
  reading.all<PartRow>(
    sql`SELECT message_id, part, carrier_message_id, status, error_code FROM message_parts ORDER BY message_id, part`,
  ),
);

export const listParked = readVerb('test.listParked', async (reading, _: null) =>
  reading.all<{ id: string; status: number; at: number }>(
    sql`SELECT carrier_message_id AS id, status, received_at AS at FROM parked_receipts
        ORDER BY carrier_message_id, received_at, status`,
  ),
);

export interface UnmatchedRow {
  readonly carrier_id: number;
  readonly carrier_message_id: string | null;
  readonly other_ids: string | null;
  readonly recipient: string | null;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly text: string | null;
  readonly received_at: number;
}

export const listUnmatched = readVerb('test.listUnmatched', async (reading, _: null) =>
  reading.all<UnmatchedRow>(
    sql`SELECT * FROM unmatched_receipts ORDER BY received_at, carrier_message_id IS NULL, carrier_message_id`,
  ),
);

export interface Used {
  readonly holder: string;
  readonly id: number;
  readonly used: number;
}

/** The quota used by users and companies. */
export const listUsed = readVerb('test.listUsed', async (reading, _: null) =>
  reading.all<Used>(
    sql`SELECT 'company' AS holder, id, quota_used AS used FROM companies
        UNION ALL SELECT 'user', id, quota_used FROM users ORDER BY holder, id`,
  ),
);

export const listNodes = readVerb('test.listNodes', async (reading, _: null) =>
  reading.all<{ id: number; beat: number; ended: number }>(
    sql`SELECT id, beat, ended FROM nodes ORDER BY id`,
  ),
);

/** A receipt parked until its submission is recorded. */
export const putParked = singleWriteVerb(
  'test.putParked',
  async (transaction, { id, status: code, at }: { id: string; status: number; at: number }) =>
    transaction.run(
      sql`INSERT INTO parked_receipts (carrier_id, carrier_message_id, id, received_at, status, next_try_at)
          VALUES (1, ${id}, ${at}, ${at}, ${code}, 0)`,
    ),
);

/** Updates the statistics that PostgreSQL plans with. SQLite plans without statistics, and its stores are reused. */
export const analyse = singleWriteVerb('test.analyse', async (transaction, _: null) => {
  if (transaction.dialect === 'postgres') await transaction.run(sql`ANALYZE`);
});

/** Message rows that PostgreSQL has visited in this transaction and possibly before; SQLite does not count them. */
async function visitedIn(transaction: Transaction): Promise<number> {
  if (transaction.dialect === 'sqlite') return 0;
  const counted = await transaction.first<{ visited: string }>(
    sql`SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0) AS visited
        FROM pg_stat_xact_user_tables WHERE relname = 'messages'`,
  );
  return Number(counted?.visited);
}

/** Claims, and counts the message rows visited. */
export const claimWatched = singleWriteVerb('test.claimWatched', async (transaction, input: ClaimInput) => {
  const before = await visitedIn(transaction);
  const [claimed] = await claimMessages.run(transaction, [input]);
  return { messages: claimed?.messages ?? [], visited: (await visitedIn(transaction)) - before };
});

/** Deletes everything that delivery tests put into a store, except companies, users and carriers. */
export const clearDelivery = singleWriteVerb('test.clearDelivery', async (transaction, _: null) => {
  const tables = [
    ...[
      'messages',
      'message_log',
      'message_parts',
      'message_refusals',
      'message_events',
      'parked_receipts',
      'unmatched_receipts',
    ],
    ...['nodes', 'carrier_states', 'carrier_tests', 'usage_counts', 'simulated_counts', 'number_leases'],
    ...['incoming_assemblies', 'sendings', 'sending_answers'],
  ];
  for (const table of [...tables, 'incoming_messages', 'idempotency_keys', 'believed_time']) {
    await transaction.run(sql`DELETE FROM ${raw(table)}`);
  }
  await transaction.run(sql`UPDATE companies SET quota_used = 0, quota_parts = NULL`);
  await transaction.run(sql`UPDATE users SET quota_used = 0, quota_parts = NULL`);
});

/** SMS parts accepted by simulators. */
export const listSimulated = readVerb('test.listSimulated', async (reading, _: null) =>
  reading.all<{ readonly month: string; readonly parts: number }>(
    sql`SELECT month, parts FROM simulated_counts ORDER BY company_id, user_id, cost_center, month`,
  ),
);

/** Grants quotas to holders by the names that `listUsed` uses, such as `user 10`. */
export const grantQuota = singleWriteVerb(
  'test.grantQuota',
  async (transaction, quotas: Readonly<Record<string, number>>) => {
    for (const [name, parts] of Object.entries(quotas)) {
      const [holder, id] = name.split(' ');
      const table = raw(holder === 'company' ? 'companies' : 'users');
      await transaction.run(sql`UPDATE ${table} SET quota_parts = ${parts} WHERE id = ${Number(id)}`);
    }
  },
);

export interface UsageRow {
  readonly user_id: number;
  readonly cost_center: string;
  readonly month: string;
  readonly messages: number;
  readonly parts: number;
}

export const listUsage = readVerb('test.listUsage', async (reading, _: null) =>
  reading.all<UsageRow>(
    sql`SELECT user_id, cost_center, month, messages, parts FROM usage_counts ORDER BY user_id, cost_center`,
  ),
);
