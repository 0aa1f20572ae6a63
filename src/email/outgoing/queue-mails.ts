/** Puts mails into the outbox, in the transaction of what they tell. */
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { inOneLine, mailKinds, type OutgoingMail } from './outgoing-mail.ts';
import { giveUpAfterMs } from './schedule.ts';

/** To be announced once mails are committed: whoever sends looks each second, and at once when he is told. */
export const outgoingMailTopic = 'outgoingMails';

const columns = {
  message_id: 'text',
  company_id: 'bigint',
  kind: 'smallint',
  content: 'text',
  queued_at: 'bigint',
  due_at: 'bigint',
  give_up_at: 'bigint',
  tries: 'integer',
} as const;

/** One that is there already, by its Message-ID, is not queued again. */
export async function queueMails(
  transaction: Transaction,
  mails: readonly OutgoingMail[],
  now: number,
): Promise<void> {
  const rows = mails.map(({ messageId, companyId, kind, content, giveUpAt = Number.POSITIVE_INFINITY }) => [
    ...[messageId, companyId, mailKinds.indexOf(kind), JSON.stringify(inOneLine(content))],
    ...[now, now, Math.min(giveUpAt, now + giveUpAfterMs), 0],
  ]);
  await transaction.insert('outgoing_mails', columns, rows, 'ON CONFLICT (message_id) DO NOTHING');
}

const least = byDialect({ sqlite: 'MIN', postgres: 'LEAST' });

/** Those of them that still wait are of use until then. */
export async function giveUpLater(
  transaction: Transaction,
  messageIds: readonly string[],
  giveUpAt: number,
): Promise<void> {
  await transaction.run(
    sql`UPDATE outgoing_mails SET give_up_at = ${least}(${giveUpAt}, queued_at + ${giveUpAfterMs})
        WHERE message_id ${oneOf('text', messageIds)} AND due_at IS NOT NULL`,
  );
}
