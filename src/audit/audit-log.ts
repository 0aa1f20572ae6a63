/** The audit log: who did what to what, and when. An entry is written in the transaction of the act, or neither is. */
import { byDialect, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

/** What sends is told by the messages themselves, each of which has its user. */
export const acts = ['message.read', 'message.cancel', 'message.resend'] as const;

export type Act = (typeof acts)[number];

/** Who acts. */
export interface Actor {
  readonly channel: 'api' | 'command';
  /** Null: an operator at the command line, whom the service knows no further. */
  readonly username: string | null;
}

export const operator: Actor = { channel: 'command', username: null };

export function byUser({ username }: { readonly username: string }): Actor {
  return { channel: 'api', username };
}

export interface AuditEntry {
  readonly companyId: number;
  readonly at: number;
  readonly by: Actor;
  readonly act: Act;
  /** Its id or name. */
  readonly object: string;
  /** What else there is to tell; no texts of messages. */
  readonly details?: string | undefined;
}

/** Of an object and of details, in characters. */
const maxLength = 200;

/** A cut between the halves of a surrogate pair would leave what is no Unicode. */
function bounded(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

export async function recordAct(
  transaction: Transaction,
  { companyId, at, by, act, object, details = '' }: AuditEntry,
): Promise<void> {
  // PostgreSQL draws the ids of transactions side by side from a sequence; SQLite has one writer.
  const id = byDialect({ sqlite: '(SELECT COALESCE(MAX(id), 0) + 1 FROM audit_log)', postgres: 'DEFAULT' });
  await transaction.run(
    sql`INSERT INTO audit_log (id, company_id, at, channel, username, act, object, details)
        VALUES (${id}, ${companyId}, ${at}, ${by.channel}, ${by.username}, ${act}, ${bounded(object)}, ${bounded(details)})`,
  );
}
