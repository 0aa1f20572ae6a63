/** What an operator sees of the outbox, and sends again. */
import { companyIds, findCompanies } from '../../accounts/company-records.ts';
import { amongUnlocked, oneOf, raw, type Sql, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { type MailContent, type MailKind, mailKinds } from './outgoing-mail.ts';
import { giveUpAfterMs } from './schedule.ts';

export interface ListedOutgoingMail {
  readonly messageId: string;
  /** Null: it is gone. */
  readonly company: string | null;
  readonly kind: MailKind;
  readonly to: string;
  readonly queuedAt: number;
  /** Null: it has failed. */
  readonly dueAt: number | null;
  readonly tries: number;
  /** What the relay said last. */
  readonly reason: string | null;
}

interface OutboxQuery {
  /** Null: of all. */
  readonly company: string | null;
  readonly state: 'all' | 'failed' | 'waiting';
  readonly limit: number;
}

interface Row {
  readonly message_id: string;
  readonly company_id: number;
  readonly kind: number;
  readonly content: string;
  readonly queued_at: number;
  readonly due_at: number | null;
  readonly tries: number;
  readonly reason: string | null;
}

/** Failed ones first, then those that wait; of what they say, no more than to whom. */
export const listOutbox = readVerb(
  'email.listOutbox',
  async (reading, { company, state, limit }: OutboxQuery): Promise<readonly ListedOutgoingMail[]> => {
    const of = company === null ? undefined : ((await companyIds(reading, [company])).get(company) ?? 0);
    const rows = state === 'waiting' ? [] : await select(reading, of, failed, limit);
    if (state !== 'failed') rows.push(...(await select(reading, of, waiting, limit - rows.length)));
    const companies = await findCompanies(
      reading,
      rows.map(({ company_id }) => company_id),
    );
    return rows.map(({ message_id, company_id, kind, content, queued_at, due_at, tries, reason }) => ({
      messageId: message_id,
      company: companies.get(company_id)?.name ?? null,
      kind: mailKinds[kind] ?? 'receipts',
      to: (JSON.parse(content) as MailContent).to.address,
      queuedAt: queued_at,
      dueAt: due_at,
      tries,
      reason,
    }));
  },
);

const failed = sql`due_at IS NULL ORDER BY queued_at DESC`;
const waiting = sql`due_at IS NOT NULL ORDER BY due_at`;

/** Of one company all are looked at, which are few; PostgreSQL would walk through those of all others. */
async function select(reading: Reading, of: number | undefined, which: Sql, limit: number): Promise<Row[]> {
  const own = sql`WITH own AS MATERIALIZED (SELECT * FROM outgoing_mails WHERE company_id = ${of ?? 0})`;
  return reading.all<Row>(
    sql`${of === undefined ? sql`` : own} SELECT message_id, company_id, kind, content, queued_at, due_at, tries, reason
        FROM ${raw(of === undefined ? 'outgoing_mails' : 'own')} WHERE ${which} LIMIT ${limit}`,
  );
}

export const replayLimit = 200;

interface MailReplay {
  /** Null: all that have failed. */
  readonly messageIds: readonly string[] | null;
  readonly now: number;
}

/** The oldest of the failed mails wait again, for two days more, under the same Message-ID; answers with how many. */
export const replayMails = singleWriteVerb(
  'email.replayMails',
  async (transaction, { messageIds, now }: MailReplay) => {
    const named = messageIds === null ? sql`` : sql`AND message_id ${oneOf('text', messageIds)}`;
    return transaction.run(
      sql`UPDATE outgoing_mails SET queued_at = ${now}, due_at = ${now}, give_up_at = ${now + giveUpAfterMs}, tries = 0
          WHERE ${amongUnlocked(
            'message_id',
            sql`outgoing_mails WHERE due_at IS NULL ${named} ORDER BY queued_at LIMIT ${raw(String(replayLimit))}`,
          )}`,
    );
  },
  () => replayLimit,
);
