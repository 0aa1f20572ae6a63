/** What the operator sees of one message, and of incoming SMS that belong to nobody. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import { everyCompany } from './charging.ts';
import { errorCodeOf } from './receipt-store.ts';

export interface InspectedPart {
  readonly part: number;
  /** 1, of a message with more: it went in one piece. */
  readonly parts: number;
  readonly carrierMessageId: string;
  readonly status: number;
  readonly changedAt: number;
  readonly errorCode: string | null;
}

export interface InspectedRefusal {
  readonly carrier: string;
  readonly refusedAt: number;
  readonly reason: string;
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
  readonly reason: string | null;
  readonly taken: readonly InspectedPart[];
  /** Carriers that would not have it, and passed it on. */
  readonly refusals: readonly InspectedRefusal[];
}

/** A message by its id alone, whosever it is: by way of the companies, since its key begins with its company. */
export const inspectMessage = readVerb(
  'messages.inspect',
  async (reading, id: number): Promise<InspectedMessage | null> => {
    const message = await reading.first<Omit<InspectedMessage, 'taken' | 'refusals'> & { companyId: number }>(
      sql`SELECT messages.id, messages.company_id AS "companyId",
               COALESCE(companies.name, CAST(messages.company_id AS TEXT)) AS company,
               COALESCE(users.username, CAST(messages.user_id AS TEXT)) AS username,
               messages.recipient, messages.sender, messages.parts,
               COALESCE(carriers.name, CAST(messages.carrier_id AS TEXT)) AS carrier,
               messages.status, messages.created_at AS "createdAt", messages.expires_at AS "expiresAt",
               messages.changed_at AS "changedAt", messages.attempts, messages.in_doubt AS "inDoubt", messages.reason
        FROM ${everyCompany}
        JOIN messages ON messages.company_id = every_company.id AND messages.id = ${id}
        LEFT JOIN companies ON companies.id = messages.company_id
        LEFT JOIN users ON users.id = messages.user_id
        LEFT JOIN carriers ON carriers.id = messages.carrier_id`,
    );
    if (message === undefined) return null;
    const taken = await reading.all<InspectedPart>(
      sql`SELECT part, parts, carrier_message_id AS "carrierMessageId", status, changed_at AS "changedAt",
               error_code AS "errorCode"
        FROM message_parts WHERE company_id = ${message.companyId} AND message_id = ${id} ORDER BY part`,
    );
    const refusals = await reading.all<InspectedRefusal>(
      sql`SELECT COALESCE(carriers.name, CAST(carrier_id AS TEXT)) AS carrier, refused_at AS "refusedAt", reason
        FROM message_refusals LEFT JOIN carriers ON carriers.id = carrier_id
        WHERE company_id = ${message.companyId} AND message_id = ${id} ORDER BY refused_at, carrier_id`,
    );
    return {
      ...message,
      taken: taken.map((part) => (part.parts === 1 ? onlyPart(part, message) : part)),
      refusals,
    };
  },
);

/** Receipts change the row of a message that has one part, or went in one piece, not that of its part. */
function onlyPart(part: InspectedPart, message: Omit<InspectedMessage, 'taken' | 'refusals'>): InspectedPart {
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
