/** The audit log: who did what to what, and when. An entry is written in the transaction of the act, or neither is. */
import { byDialect, rowSet, sql } from '../storage/sql.ts';
import type { Columns } from '../storage/storable.ts';
import type { Transaction } from '../storage/verb.ts';

/** What sends is told by the messages themselves, each of which has its user. */
export const acts = [
  ...['message.read', 'message.cancel', 'message.resend', 'message.reschedule', 'message.export'],
  ...['template.make', 'template.change', 'template.remove'],
  ...['run.accept', 'run.decline', 'run.escalate', 'run.extend', 'run.tell', 'run.cancel'],
  ...['session.begin', 'session.end', 'password.set', 'user.link'],
  ...['user.make', 'user.change', 'user.activate', 'user.deactivate', 'user.remove'],
  ...['email.sender.make', 'email.sender.change', 'email.sender.remove', 'email.defaults.change'],
  ...['apikey.make', 'apikey.revoke', 'apikey.expire'],
  ...['batch.pause', 'batch.resume', 'batch.abort', 'batch.resendFailed', 'batch.look'],
  ...['contact.make', 'contact.change', 'contact.remove'],
  ...['contacts.import', 'contacts.undoImport', 'contacts.export'],
  ...['group.make', 'group.change', 'group.remove', 'filter.save', 'filter.remove'],
  ...['conversation.look', 'conversation.read', 'conversation.archive', 'conversation.unarchive'],
  ...['conversation.assign', 'conversation.reply', 'incoming.assign', 'simulator.answer'],
  ...['person.export', 'person.erase', 'person.erased'],
  ...['webhook.make', 'webhook.change', 'webhook.rotate', 'webhook.remove', 'webhook.look'],
  ...['webhook.test', 'webhook.replay', 'webhook.enable', 'webhook.disable'],
] as const;

export type Act = (typeof acts)[number];

/** By a program, by a page of the portal, by a command of an operator. */
export const channels = ['api', 'portal', 'command'] as const;

/** Who acts. */
export interface Actor {
  readonly channel: (typeof channels)[number];
  /** Null: an operator at the command line, whom the service knows no further. */
  readonly username: string | null;
}

export const operator: Actor = { channel: 'command', username: null };

/** A caller, or what of it a verb was given. */
export interface ActingUser {
  readonly username: string;
  /** Of the portal. A key that nobody may leave out: without it, the act would be a program's. */
  readonly session: object | undefined;
}

export function byUser({ username, session }: ActingUser): Actor {
  return { channel: session === undefined ? 'api' : 'portal', username };
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

const columns: Columns = {
  ...{ place: 'bigint', company_id: 'bigint', at: 'bigint', channel: 'text', username: 'text' },
  ...{ act: 'text', object: 'text', details: 'text' },
};

/** As many as one transaction does, by one statement. */
export async function recordActs(transaction: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ companyId, at, by, act, object, details = '' }, index) => [
    ...[index + 1, companyId, at, by.channel, by.username, act, bounded(object), bounded(details)],
  ]);
  const [id, nextId] = [
    byDialect({ sqlite: 'id,', postgres: '' }),
    byDialect({ sqlite: '(SELECT COALESCE(MAX(id), 0) FROM audit_log) + place,', postgres: '' }),
  ];
  await transaction.run(
    sql`INSERT INTO audit_log (${id} company_id, at, channel, username, act, object, details)
        SELECT ${nextId} company_id, at, channel, username, act, object, details
        FROM ${rowSet('acts', columns, rows)} ORDER BY place`,
  );
}
