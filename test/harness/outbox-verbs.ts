/** Queues e-mails in the outbox as other rooms do, and shows its contents. */
import { type MailContent, type OutgoingMail, queueMails } from '../../src/email/outgoing/outgoing-mail.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

interface QueueInput {
  readonly mails: readonly OutgoingMail[];
  readonly now: number;
}

export const putMails = singleWriteVerb('test.putMails', async (transaction, { mails, now }: QueueInput) => {
  await queueMails(transaction, mails, now);
  return null;
});

interface OutboxRow {
  readonly message_id: string;
  readonly due_at: number | null;
  readonly give_up_at: number;
  readonly tries: number;
  readonly reason: string | null;
}

export const listOutgoing = readVerb('test.listOutgoing', async (reading, _: null) =>
  reading.all<OutboxRow>(
    sql`SELECT message_id, due_at, give_up_at, tries, reason FROM outgoing_mails ORDER BY message_id`,
  ),
);

/** The contents of the e-mails, in the order queued. */
export const listedMails = readVerb('test.listedMails', async (reading, _: null) => {
  const rows = await reading.all<{ message_id: string; kind: number; content: string }>(
    sql`SELECT message_id, kind, content FROM outgoing_mails ORDER BY queued_at, LENGTH(message_id), message_id`,
  );
  return rows.map(({ message_id, kind, content }) => ({
    messageId: message_id,
    kind,
    content: JSON.parse(content) as MailContent,
  }));
});

/** Postpones every queued e-mail, whatever it is waiting for. */
export const putOffAll = singleWriteVerb('test.putOffAll', async (transaction, to: number) =>
  transaction.run(sql`UPDATE outgoing_mails SET due_at = ${to} WHERE due_at IS NOT NULL`),
);

/** As if the relay had taken them all. */
export const clearOutgoing = singleWriteVerb('test.clearOutgoing', async (transaction, _: null) =>
  transaction.run(sql`DELETE FROM outgoing_mails`),
);

export const makeAllDue = singleWriteVerb('test.makeAllDue', async (transaction, _: null) =>
  transaction.run(sql`UPDATE outgoing_mails SET due_at = 1 WHERE due_at IS NOT NULL`),
);
