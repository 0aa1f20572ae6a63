/**
 * The e-mails of runs, limited per company and day: the record shows the outcome of each, and a question that was
 * permanently refused counts as not having reached its person.
 */

import { findCompanies, findCompany, mailsADay } from '../accounts/company-records.ts';
import { giveUpLater, queueMails } from '../email/outgoing/outgoing-mail.ts';
import { takeQuestionOutcomes } from '../email/outgoing/question-outcomes.ts';
import { storedReason } from '../foundation/sentences.ts';
import { forUpdate, fromEach, literal, oneOf, rowSet, sql } from '../storage/sql.ts';
import {
  bigint,
  enumerated,
  flag,
  integer,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { JobMail } from './job-mail.ts';
import type { Person, Run } from './run/run.ts';
import { putEvents, storedPerson } from './stored-runs.ts';

/** A state's index is its code in the store. */
export const mailStates = ['waiting', 'taken', 'failed'] as const;
export type MailState = (typeof mailStates)[number];

const sentMail = new StoredRecord({
  messageId: text,
  place: integer,
  isQuestion: flag,
  text,
  /** `taken`: the relay has accepted it. */
  state: enumerated(mailStates),
  /** The relay's response; null while it waits. */
  reason: nullable(text),
  changedAt: bigint,
});

export type SentMail = Kept<typeof sentMail>;

const waiting = mailStates.indexOf('waiting');

interface MailsOfStep {
  readonly run: Run;
  /** Includes everyone asked or reminded by these e-mails, in their state after the step. */
  readonly people: readonly Person[];
  readonly mails: readonly JobMail[];
  readonly now: number;
}

/**
 * E-mails beyond the company's daily limit fail at once, questions before e-mails that answer a person. A refused question has
 * reached nobody; a refused reminder changes nothing, since its person has the question.
 */
export async function keepMails(transaction: Transaction, steps: readonly MailsOfStep[]): Promise<void> {
  const sending = steps.filter(({ mails }) => mails.length > 0);
  if (sending.length === 0) return;
  const allowances = await countMails(transaction, sending);
  for (const { run, people, mails, now } of sending) {
    const allowance = allowances.get(run.companyId) as Allowance;
    const inOrder = [...mails].sort((one, other) => Number(one.isQuestion) - Number(other.isQuestion));
    const allowed = inOrder.slice(0, allowance.left);
    const refused = inOrder.slice(allowance.left);
    allowance.left -= allowed.length;
    allowance.refused += refused.length;
    const reason = storedReason({ sentence: 'mails_of_day', limit: allowance.limit });
    const rowsOf = (some: readonly JobMail[], state: MailState, why: string | null) =>
      some.map(({ messageId, place, isQuestion, said: text }) => [
        run.id,
        ...sentMail.row({ messageId, place, isQuestion, text, state, reason: why, changedAt: now }),
      ]);
    await queueMails(transaction, allowed, now);
    const rows = [...rowsOf(allowed, 'waiting', null), ...rowsOf(refused, 'failed', reason)];
    const columns = { run_id: 'bigint', ...sentMail.columns } as const;
    await transaction.insert('job_mails', columns, rows, 'ON CONFLICT (message_id) DO NOTHING');
    const reminded = new Set(people.flatMap((one) => (one.reminded ? [one.place] : [])));
    const unasked = refused.filter(({ isQuestion, place }) => isQuestion && !reminded.has(place));
    await putFailedMails(
      transaction,
      unasked.map(({ messageId, place }) => ({ runId: run.id, messageId, place, reason, at: now })),
    );
  }
  await uncountMails(transaction, allowances);
}

/** E-mails of a run that has ended, each once, to those of its people who have not been erased meanwhile. */
export const keepMailsAfterEnd = singleWriteVerb(
  'jobs.keepMailsAfterEnd',
  async (transaction, { run, mails, now }: Omit<MailsOfStep, 'people'>): Promise<void> => {
    // Until this is kept, the run is not purged, and no other act of it is kept.
    await transaction.all(sql`SELECT id FROM job_runs WHERE id = ${run.id} ${forUpdate}`);
    const places = mails.map(({ place }) => place);
    const people = await storedPerson.all(transaction)`
      FROM job_people WHERE run_id = ${run.id} AND place ${oneOf('bigint', places)}`;
    const addresses = new Map(people.map(({ person: { place, email } }) => [place, email]));
    const messageIds = mails.map(({ messageId }) => messageId);
    const earlier = await sentMail.all(transaction)`
      FROM job_mails WHERE message_id ${oneOf('text', messageIds)}`;
    const known = new Set(earlier.map(({ messageId }) => messageId));
    const kept = mails.filter(
      ({ messageId, place, content }) => !known.has(messageId) && addresses.get(place) === content.to.address,
    );
    await keepMails(transaction, [{ run, people: [], mails: kept, now }]);
  },
  ({ mails }) => mails.length,
);

interface Allowance {
  readonly limit: number;
  left: number;
  refused: number;
}

const dayMs = 24 * 60 * 60_000;

/**
 * Counts the e-mails towards the day (UTC) of their companies, and returns what each company had left before. If a
 * clock was set back or another node's is ahead, they count towards the day already begun.
 */
async function countMails(
  transaction: Transaction,
  steps: readonly MailsOfStep[],
): Promise<Map<number, Allowance>> {
  const counts = new Map<number, number>();
  for (const { run, mails } of steps)
    counts.set(run.companyId, (counts.get(run.companyId) ?? 0) + mails.length);
  const day = Math.floor(Math.max(...steps.map(({ now }) => now)) / dayMs);
  const rows = [...counts].sort(([one], [other]) => one - other).map(([id, mails]) => [id, day, mails]);
  const counted = await transaction.all<{ company_id: number; mails: number }>(
    sql`INSERT INTO job_mail_counts (company_id, day, mails) SELECT company_id, day, mails
        FROM ${rowSet('sent', { company_id: 'bigint', day: 'bigint', mails: 'bigint' }, rows)} WHERE 1 = 1
        ON CONFLICT (company_id) DO UPDATE SET
          mails = excluded.mails + CASE WHEN job_mail_counts.day BETWEEN excluded.day AND excluded.day + 1
            THEN job_mail_counts.mails ELSE 0 END,
          day = CASE WHEN job_mail_counts.day = excluded.day + 1 THEN job_mail_counts.day ELSE excluded.day END
        RETURNING company_id, mails`,
  );
  const companies = await findCompanies(transaction, [...counts.keys()]);
  return new Map(
    counted.map(({ company_id, mails }) => {
      const company = companies.get(company_id);
      const limit = company === undefined ? 0 : mailsADay(company);
      const left = Math.max(0, limit - (mails - (counts.get(company_id) ?? 0)));
      return [company_id, { limit, left, refused: 0 }];
    }),
  );
}

/** Refused e-mails use up none of the daily limit, so e-mails go out as soon as it is raised. */
async function uncountMails(
  transaction: Transaction,
  allowances: ReadonlyMap<number, Allowance>,
): Promise<void> {
  const rows = [...allowances].flatMap(([id, { refused }]) => (refused > 0 ? [[id, refused]] : []));
  if (rows.length === 0) return;
  await transaction.each(
    { company_id: 'bigint', refused: 'bigint' },
    rows,
    sql`UPDATE job_mail_counts SET mails = mails - each.refused ${fromEach}
        WHERE job_mail_counts.company_id = each.company_id`,
  );
}

/**
 * How many e-mails a company may still send on the day (UTC), for display only: nothing is locked or counted. Null means
 * no limit.
 */
export const readMailsLeft = readVerb(
  'jobs.mailsLeft',
  async (
    reading,
    { companyId, now }: { readonly companyId: number; readonly now: number },
  ): Promise<number | null> => {
    const company = await findCompany(reading, companyId);
    const limit = company === undefined ? 0 : mailsADay(company);
    if (limit === Number.POSITIVE_INFINITY) return null;
    const day = Math.floor(now / dayMs);
    const row = await reading.first<{ mails: number }>(
      sql`SELECT mails FROM job_mail_counts WHERE company_id = ${companyId} AND day BETWEEN ${day} AND ${day + 1}`,
    );
    return Math.max(0, limit - (row?.mails ?? 0));
  },
);

interface FailedMail {
  readonly runId: number;
  readonly messageId: string;
  readonly place: number;
  readonly reason: string;
  readonly at: number;
}

function putFailedMails(transaction: Transaction, mails: readonly FailedMail[]): Promise<void> {
  return putEvents(
    transaction,
    mails.map(({ runId, messageId, place, reason, at }) => ({
      runId,
      name: `failed ${messageId}`,
      at,
      event: { kind: 'failed', place, status: storedReason({ sentence: 'mail_failed', why: reason }) },
    })),
  );
}

/** Extends the time until which questions that still wait are sent. */
export async function extendQuestions(
  transaction: Transaction,
  runId: number,
  endsAt: number,
): Promise<void> {
  const rows = await transaction.all<{ message_id: string }>(
    sql`SELECT message_id FROM job_mails
        WHERE run_id = ${runId} AND is_question = 1 AND state = ${literal(waiting)}`,
  );
  const messageIds = rows.map(({ message_id }) => message_id);
  if (messageIds.length > 0) await giveUpLater(transaction, messageIds, endsAt);
}

/** Processes a limited number of outcomes; returns how many there were. */
export const takeMailOutcomes = singleWriteVerb(
  'jobs.takeMailOutcomes',
  async (transaction, { limit }: { readonly limit: number }): Promise<number> => {
    const outcomes = await takeQuestionOutcomes(transaction, limit);
    if (outcomes.length === 0) return 0;
    const byId = new Map(outcomes.map((one) => [one.messageId, one]));
    await transaction.each(
      { message_id: 'text', state: 'smallint', reason: 'text', changed_at: 'bigint' },
      outcomes.map(({ messageId, isTaken, reason, at }) => [
        ...[messageId, mailStates.indexOf(isTaken ? 'taken' : 'failed'), reason, at],
      ]),
      sql`UPDATE job_mails SET state = each.state, reason = each.reason, changed_at = each.changed_at ${fromEach}
          WHERE job_mails.message_id = each.message_id`,
    );
    const refused = outcomes.flatMap(({ isTaken, messageId }) => (isTaken ? [] : [messageId]));
    const rows = await transaction.all<{ message_id: string; run_id: number; place: number }>(
      sql`SELECT message_id, run_id, place FROM job_mails
          WHERE message_id ${oneOf('text', refused)} AND is_question = 1`,
    );
    await putFailedMails(
      transaction,
      rows.map(({ message_id, run_id, place }) => {
        const { reason, at } = byId.get(message_id) as (typeof outcomes)[number];
        return { runId: run_id, messageId: message_id, place, reason, at };
      }),
    );
    return outcomes.length;
  },
  ({ limit }) => limit,
);

export async function readMails(reading: Reading, runId: number): Promise<readonly SentMail[]> {
  return sentMail.all(reading)`FROM job_mails WHERE run_id = ${runId} ORDER BY message_id`;
}
