/** What there is to see of a message, for the operator and for whoever it is visible to, and of incoming SMS that belong to nobody. */

import type { Visibility } from '../../accounts/visibility.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import { ofAnyCompany } from '../every-company.ts';
import { isFault } from '../receipts/receipt.ts';
import { errorCodeOf } from '../receipts/store.ts';
import { isSimulated } from '../simulated.ts';
import { readEvents } from '../timeline-store.ts';
import { type Timeline, timelineOf } from './timeline.ts';

export interface InspectedPart {
  readonly part: number;
  /** 1, of a message with more: it went in one piece. */
  readonly parts: number;
  readonly carrier: string;
  readonly submittedAt: number | null;
  readonly answeredAt: number;
  readonly carrierMessageId: string;
  readonly status: number;
  readonly changedAt: number;
  readonly errorCode: string | null;
  /** The text of the receipt that was the last word on it. */
  readonly receipt: string | null;
}

export interface InspectedMessage {
  readonly id: number;
  readonly companyId: number;
  readonly company: string;
  readonly userId: number;
  readonly username: string;
  readonly batchId: number | null;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly flash: number;
  readonly conversation: string;
  readonly costCenter: string;
  /** 1: it went out from a number of the reply pool. */
  readonly isFromPool: number;
  readonly parts: number;
  readonly carrier: string;
  /** 1: its carrier is a simulator, so that no phone gets it. */
  readonly simulated: number;
  readonly status: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly changedAt: number;
  readonly attempts: number;
  readonly inDoubt: number;
  readonly stage: number | null;
  readonly dueAt: number | null;
  readonly nodeId: number | null;
  readonly claimedAt: number | null;
  readonly expiredByTimer: number;
  readonly reason: string | null;
  /** As in `InspectedPart`, of one that went in one part. */
  readonly receipt: string | null;
  readonly taken: readonly InspectedPart[];
  readonly timeline: Timeline;
}

type InspectedRow = Omit<InspectedMessage, 'taken' | 'timeline'>;

/** `of` null: a message by its id alone, whosever it is. */
export async function inspect(
  reading: Reading,
  id: number,
  of: Visibility | null,
): Promise<InspectedMessage | null> {
  const message = await reading.first<InspectedRow>(
    sql`SELECT messages.id, messages.company_id AS "companyId",
               COALESCE((SELECT name FROM companies WHERE companies.id = messages.company_id),
                 CAST(messages.company_id AS TEXT)) AS company, messages.user_id AS "userId",
               COALESCE((SELECT username FROM users WHERE users.id = messages.user_id),
                 CAST(messages.user_id AS TEXT)) AS username, messages.batch_id AS "batchId",
               messages.recipient, messages.sender, messages.text, messages.flash, messages.conversation,
               messages.cost_center AS "costCenter", messages.parts,
               CASE WHEN EXISTS (SELECT 1 FROM numbers WHERE number = messages.sender AND pool = 1)
                 THEN 1 ELSE 0 END AS "isFromPool",
               COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
                 CAST(messages.carrier_id AS TEXT)) AS carrier, ${isSimulated} AS simulated,
               messages.status, messages.created_at AS "createdAt", messages.expires_at AS "expiresAt",
               messages.changed_at AS "changedAt", messages.attempts, messages.in_doubt AS "inDoubt", messages.reason, messages.receipt,
               messages.stage, messages.due_at AS "dueAt", messages.node_id AS "nodeId",
               messages.claimed_at AS "claimedAt", messages.expired_by_timer AS "expiredByTimer"
        FROM messages WHERE ${await isVisible(reading, of)} AND messages.id = ${id}`,
  );
  if (message === undefined) return null;
  const taken = await reading.all<InspectedPart>(
    sql`SELECT part, parts, COALESCE(carriers.name, CAST(carrier_id AS TEXT)) AS carrier,
               submitted_at AS "submittedAt", COALESCE(answered_at, changed_at) AS "answeredAt",
               carrier_message_id AS "carrierMessageId", status, changed_at AS "changedAt", error_code AS "errorCode", receipt
        FROM message_parts LEFT JOIN carriers ON carriers.id = carrier_id
        WHERE company_id = ${message.companyId} AND message_id = ${id} ORDER BY part`,
  );
  const told = {
    ...message,
    taken: taken.map((part) => (part.parts === 1 ? onlyPart(part, message) : part)),
  };
  const code = errorCodeOf(message.reason);
  const reason = code !== null && !isFault(code) ? null : message.reason;
  return { ...told, reason, timeline: timelineOf(told, await readEvents(reading, message.companyId, id)) };
}

export const inspectMessage = readVerb('messages.inspect', (reading, id: number) =>
  inspect(reading, id, null),
);

/** Of any company by way of the companies, since the key of a message begins with its company. */
export async function isVisible(reading: Reading, of: Visibility | null): Promise<Sql> {
  if (of === null) return sql`messages.company_id ${await ofAnyCompany(reading)}`;
  const { companyId, userId } = of;
  const isTheirs = userId === null ? sql`` : sql`AND messages.user_id = ${userId}`;
  return sql`messages.company_id = ${companyId} ${isTheirs}`;
}

/** Receipts change the row of a message that has one part, or went in one piece, not that of its part. */
function onlyPart(part: InspectedPart, message: InspectedRow): InspectedPart {
  const { status, changedAt, reason, receipt } = message;
  return { ...part, status, changedAt, errorCode: errorCodeOf(reason), receipt };
}

export interface UnroutedIncoming {
  readonly id: number;
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly receivedAt: number;
}

/** The latest incoming SMS that belong to nobody, newest first. */
export const listUnrouted = readVerb('messages.listUnrouted', async (reading, limit: number) =>
  reading.all<UnroutedIncoming>(
    sql`SELECT id, sender, recipient, text, received_at AS "receivedAt" FROM incoming_messages
        WHERE user_id IS NULL ORDER BY received_at DESC, id DESC LIMIT ${limit}`,
  ),
);
