/** What the node that sends asks of the outbox: what is due, and what became of each try. */
import { isHeld } from '../../changes/held-reader.ts';
import { amongUnlocked, fromEach, oneOf, raw, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb, writeVerb } from '../../storage/verb.ts';
import { mailReader } from './mail-reader.ts';
import { type MailContent, mailKinds, type OutgoingMail } from './outgoing-mail.ts';

export interface DueMail extends OutgoingMail {
  readonly tries: number;
}

interface DueRow {
  readonly message_id: string;
  readonly company_id: number;
  readonly kind: number;
  readonly content: string;
  readonly tries: number;
}

/** Those that have waited longest come first. */
export const readDueMails = readVerb(
  'email.readDueMails',
  async (reading, { now, limit }: { readonly now: number; readonly limit: number }) => {
    const rows = await reading.all<DueRow>(
      sql`SELECT message_id, company_id, kind, content, tries FROM outgoing_mails
          WHERE due_at <= ${now} ORDER BY due_at, message_id LIMIT ${limit}`,
    );
    return rows.map(
      ({ message_id, company_id, kind, content, tries }): DueMail => ({
        messageId: message_id,
        companyId: company_id,
        kind: mailKinds[kind] ?? 'receipts',
        content: JSON.parse(content) as MailContent,
        tries,
      }),
    );
  },
);

export interface TriedMail {
  readonly nodeId: number;
  readonly messageId: string;
  /** Taken; or not now, and due again then; or never. */
  readonly outcome: 'taken' | 'deferred' | 'failed';
  /** Of one that is deferred. */
  readonly dueAt: number;
  readonly reason: string;
}

const triedColumns = { message_id: 'text', due_at: 'bigint', reason: 'text' } as const;

/** Answers each whether it was kept: not where another node sends by now. */
export const recordTriedMails = writeVerb(
  'email.recordTriedMails',
  async (transaction, inputs: readonly TriedMail[]) => {
    const [{ nodeId } = { nodeId: 0 }] = inputs;
    const held = await isHeld(transaction, { name: mailReader, nodeId });
    if (typeof held === 'string') return inputs.map(() => false);
    const own = inputs.filter((input) => input.nodeId === nodeId);
    const taken = own.filter(({ outcome }) => outcome === 'taken').map(({ messageId }) => messageId);
    if (taken.length > 0)
      await transaction.run(sql`DELETE FROM outgoing_mails WHERE message_id ${oneOf('text', taken)}`);
    await transaction.each(
      triedColumns,
      own
        .filter(({ outcome }) => outcome !== 'taken')
        .map(({ messageId, outcome, dueAt, reason }) => [
          messageId,
          outcome === 'failed' ? null : dueAt,
          reason,
        ]),
      sql`UPDATE outgoing_mails SET due_at = each.due_at, tries = tries + 1, reason = each.reason ${fromEach}
          WHERE outgoing_mails.message_id = each.message_id`,
    );
    return inputs.map((input) => own.includes(input));
  },
);

/** In our own words, as an answer of the relay is in its. */
const gaveUp = 'given up after 48 hours';

export interface Overdue {
  readonly now: number;
  /** What is due later than this was put off before the clock was set back. */
  readonly latest: number;
  readonly limit: number;
}

/** Mails whose time is over have failed; answers with how many. */
export const giveUpMails = singleWriteVerb(
  'email.giveUpMails',
  async (transaction, { now, latest, limit }: Overdue) => {
    await transaction.run(
      sql`UPDATE outgoing_mails SET due_at = ${now} WHERE ${amongUnlocked(
        'message_id',
        sql`outgoing_mails WHERE due_at > ${latest} ORDER BY due_at LIMIT ${limit}`,
      )}`,
    );
    return transaction.run(
      sql`UPDATE outgoing_mails SET due_at = NULL,
            reason = ${gaveUp} || CASE WHEN reason IS NULL THEN '' ELSE '; ' || reason END
          WHERE ${amongUnlocked(
            'message_id',
            sql`outgoing_mails WHERE due_at IS NOT NULL AND give_up_at <= ${now} ORDER BY give_up_at LIMIT ${limit}`,
          )}`,
    );
  },
  ({ limit }) => 2 * limit,
);

const purgeLimit = 1_000;

/** Removes failed mails that are older than the retention; answers with how many. */
export const purgeFailedMails = singleWriteVerb(
  'email.purgeFailedMails',
  async (transaction, { before }: { readonly before: number }) =>
    transaction.run(
      sql`DELETE FROM outgoing_mails WHERE ${amongUnlocked(
        'message_id',
        sql`outgoing_mails WHERE due_at IS NULL AND queued_at < ${before} ORDER BY queued_at LIMIT ${raw(String(purgeLimit))}`,
      )}`,
    ),
  () => purgeLimit,
);

export interface MeasuredOutbox {
  readonly waiting: number;
  /** Of the waiting one whose time is over first; null: none waits. */
  readonly firstGiveUpAt: number | null;
  readonly failed: number;
}

export const measureOutbox = readVerb('email.measureOutbox', async (reading, _: null) =>
  reading.first<MeasuredOutbox>(
    sql`SELECT (SELECT COUNT(*) FROM outgoing_mails WHERE due_at IS NOT NULL) AS waiting,
          (SELECT MIN(give_up_at) FROM outgoing_mails WHERE due_at IS NOT NULL) AS "firstGiveUpAt",
          (SELECT COUNT(*) FROM outgoing_mails WHERE due_at IS NULL) AS failed`,
  ),
);
