/** What the operator can see of a message, of numbers, and of incoming SMS that belong to nobody. */
import { sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';
import { ofAnyCompany } from '../every-company.ts';
import { isFault } from '../receipts/receipt.ts';
import { errorCodeOf } from '../receipts/store.ts';
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
}

export interface InspectedMessage {
  readonly id: number;
  readonly company: string;
  readonly username: string;
  readonly recipient: string;
  readonly sender: string;
  readonly parts: number;
  readonly carrier: string;
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
  readonly taken: readonly InspectedPart[];
  readonly timeline: Timeline;
}

type InspectedRow = Omit<InspectedMessage, 'taken' | 'timeline'>;

/** A message by its id alone, whosever it is: by way of the companies, since its key begins with its company. */
export const inspectMessage = readVerb(
  'messages.inspect',
  async (reading, id: number): Promise<InspectedMessage | null> => {
    const message = await reading.first<InspectedRow & { companyId: number }>(
      sql`SELECT messages.id, messages.company_id AS "companyId",
               COALESCE((SELECT name FROM companies WHERE companies.id = messages.company_id),
                 CAST(messages.company_id AS TEXT)) AS company,
               COALESCE((SELECT username FROM users WHERE users.id = messages.user_id),
                 CAST(messages.user_id AS TEXT)) AS username,
               messages.recipient, messages.sender, messages.parts,
               COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
                 CAST(messages.carrier_id AS TEXT)) AS carrier,
               messages.status, messages.created_at AS "createdAt", messages.expires_at AS "expiresAt",
               messages.changed_at AS "changedAt", messages.attempts, messages.in_doubt AS "inDoubt", messages.reason,
               messages.stage, messages.due_at AS "dueAt", messages.node_id AS "nodeId",
               messages.claimed_at AS "claimedAt", messages.expired_by_timer AS "expiredByTimer"
        FROM messages WHERE messages.company_id ${await ofAnyCompany(reading)} AND messages.id = ${id}`,
    );
    if (message === undefined) return null;
    const taken = await reading.all<InspectedPart>(
      sql`SELECT part, parts, COALESCE(carriers.name, CAST(carrier_id AS TEXT)) AS carrier,
               submitted_at AS "submittedAt", COALESCE(answered_at, changed_at) AS "answeredAt",
               carrier_message_id AS "carrierMessageId", status, changed_at AS "changedAt", error_code AS "errorCode"
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
  },
);

/** Receipts change the row of a message that has one part, or went in one piece, not that of its part. */
function onlyPart(part: InspectedPart, message: InspectedRow): InspectedPart {
  const { status, changedAt, reason } = message;
  return { ...part, status, changedAt, errorCode: errorCodeOf(reason) };
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
