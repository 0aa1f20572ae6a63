/** All SQL of the outbox: due e-mails, the outcome of each attempt, the backlog, and what an operator lists and replays. */

import { companyIds, companyNames } from '../../accounts/company-records.ts';
import { isHeld } from '../../changes/held-reader.ts';
import { readReason } from '../../foundation/sentences.ts';
import type { AgedRows } from '../../storage/retention.ts';
import { amongUnlocked, fromEach, literal, oneOf, raw, type Sql, sql } from '../../storage/sql.ts';
import {
  bigint,
  enumerated,
  json,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, writeVerb } from '../../storage/verb.ts';
import { giveUpAfterMs, type MailContent, type MailKind, mailKinds } from './outgoing-mail.ts';
import { keepQuestionOutcomes } from './question-outcomes.ts';
import { mailReader } from './take-changes-store.ts';

const storedMail = new StoredRecord({
  messageId: text,
  companyId: bigint,
  kind: enumerated(mailKinds),
  content: json<MailContent>(),
  queuedAt: bigint,
  dueAt: nullable(bigint),
  /** No attempt is made after this, except the first attempt of an e-mail that is not a question. */
  giveUpAt: bigint,
  tries: bigint,
  reason: nullable(text),
});

export type DueMail = Kept<typeof storedMail>;

interface DueQuery {
  readonly now: number;
  readonly limit: number;
  /** The company whose turn was last; 0 if none. */
  readonly after: number;
}

interface DueMails {
  readonly mails: readonly DueMail[];
  /** Whether there may be more due e-mails. */
  readonly isMore: boolean;
}

/** The codes of the kinds, most urgent first. */
const byUrgency = (['question', 'signIn', 'answer', 'receipts'] as const satisfies readonly MailKind[]).map(
  (kind) => mailKinds.indexOf(kind),
);

/** E-mails of this many companies are read at a time. */
const maxCompaniesPerStep = 25;

/**
 * Companies take turns, however many e-mails one of them has. Within a company questions come first, then sign-in notices,
 * which are few, then answers, then receipts, and the longest waiting first within a kind.
 */
export const readDueMails = readVerb(
  'email.readDueMails',
  async (reading, { now, limit, after }: DueQuery): Promise<DueMails> => {
    const companies = await companiesWithDue(reading, { now, from: after, to: Number.MAX_SAFE_INTEGER });
    if (companies.length < maxCompaniesPerStep)
      companies.push(...(await companiesWithDue(reading, { now, from: 0, to: after })));
    const some = companies.slice(0, maxCompaniesPerStep);
    const share = Math.ceil(limit / Math.max(1, some.length));
    const lines: (readonly DueMail[])[] = [];
    for (const companyId of some) lines.push(await dueOf(reading, companyId, now, share));
    const isMore = companies.length >= maxCompaniesPerStep || lines.some((line) => line.length === share);
    return { mails: inTurn(lines).slice(0, limit), isMore };
  },
);

/**
 * Returns the companies with due e-mails between two ids; each company that has e-mails, including failed ones, costs one index
 * step.
 */
async function companiesWithDue(
  reading: Reading,
  { now, from, to }: { readonly now: number; readonly from: number; readonly to: number },
): Promise<number[]> {
  const due = (kind: number) =>
    sql`EXISTS (SELECT 1 FROM outgoing_mails WHERE outgoing_mails.company_id = waiting.company_id
          AND kind = ${literal(kind)} AND due_at <= ${now})`;
  const isDue = byUrgency.map(due).reduce((some, one) => sql`${some} OR ${one}`);
  const rows = await reading.all<{ company_id: number }>(
    sql`WITH RECURSIVE waiting (company_id) AS (
          SELECT MIN(company_id) FROM outgoing_mails WHERE company_id > ${from}
          UNION ALL
          SELECT (SELECT MIN(company_id) FROM outgoing_mails WHERE outgoing_mails.company_id > waiting.company_id)
          FROM waiting WHERE waiting.company_id < ${to})
        SELECT company_id FROM waiting WHERE company_id <= ${to} AND (${isDue})
        LIMIT ${maxCompaniesPerStep}`,
  );
  return rows.map(({ company_id }) => company_id);
}

async function dueOf(reading: Reading, companyId: number, now: number, limit: number): Promise<DueMail[]> {
  const due: DueMail[] = [];
  for (const code of byUrgency) {
    if (due.length === limit) break;
    const mails = await storedMail.all(reading)`
      FROM outgoing_mails WHERE company_id = ${companyId} AND kind = ${code} AND due_at <= ${now}
      ORDER BY due_at, message_id LIMIT ${limit - due.length}`;
    due.push(...mails);
  }
  return due;
}

/** Interleaves the lists: the first of each, then the second of each, and so on. */
function inTurn<Item>(lines: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lines.map((line) => line.length));
  return Array.from({ length: longest }, (_, place) =>
    lines.flatMap((line) => line.slice(place, place + 1)),
  ).flat();
}

export interface TriedMail {
  readonly nodeId: number;
  readonly messageId: string;
  /** `taken`: accepted by the relay; `deferred`: due again later; `failed`: never sent again. */
  readonly outcome: 'taken' | 'deferred' | 'failed';
  /** When a deferred e-mail is due again. */
  readonly dueAt: number;
  readonly reason: string;
  readonly kind: MailKind;
  readonly at: number;
  /** Whether the attempt says something about the e-mail, rather than about an unavailable relay. */
  readonly isCounted: boolean;
}

const triedColumns = { message_id: 'text', due_at: 'bigint', reason: 'text', counted: 'integer' } as const;

/**
 * An e-mail that the relay has taken is removed, whichever node is sending now; every other outcome is recorded only for the
 * node that currently sends.
 */
export const recordTriedMails = writeVerb(
  'email.recordTriedMails',
  async (transaction, inputs: readonly TriedMail[]) => {
    const taken = inputs.filter(({ outcome }) => outcome === 'taken').map(({ messageId }) => messageId);
    const untaken = inputs.filter(({ outcome }) => outcome !== 'taken');
    const nodeId = untaken[0]?.nodeId;
    const isOwn =
      nodeId !== undefined && typeof (await isHeld(transaction, { name: mailReader, nodeId })) !== 'string';
    const others = untaken.filter((one) => isOwn && one.nodeId === nodeId);
    if (taken.length > 0)
      await transaction.run(sql`DELETE FROM outgoing_mails WHERE message_id ${oneOf('text', taken)}`);
    await transaction.each(
      triedColumns,
      others.map(({ messageId, outcome, dueAt, reason, isCounted }) => [
        ...[messageId, outcome === 'failed' ? null : dueAt, reason, Number(isCounted)],
      ]),
      sql`UPDATE outgoing_mails SET due_at = each.due_at, tries = tries + each.counted, reason = each.reason ${fromEach}
          WHERE outgoing_mails.message_id = each.message_id`,
    );
    const over = inputs.filter((one) => one.outcome === 'taken' || others.includes(one));
    await keepQuestionOutcomes(
      transaction,
      over
        .filter(({ kind, outcome }) => kind === 'question' && outcome !== 'deferred')
        .map(({ messageId, outcome, reason, at }) => ({
          messageId,
          isTaken: outcome === 'taken',
          reason,
          at,
        })),
    );
    return inputs.map(() => null);
  },
);

interface PutOff {
  readonly now: number;
  /** E-mails due later than `after`, and at `until` at the latest, become due now. */
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

export const pullPutOffMails = singleWriteVerb(
  'email.pullPutOffMails',
  async (transaction, { now, after, until, limit }: PutOff) =>
    transaction.run(
      sql`UPDATE outgoing_mails SET due_at = ${now} WHERE ${amongUnlocked(
        'message_id',
        sql`outgoing_mails WHERE due_at > ${after} AND due_at <= ${until} ORDER BY due_at LIMIT ${limit}`,
      )}`,
    ),
  ({ limit }) => limit,
);

interface Ahead {
  readonly now: number;
  /** The longest delay of an e-mail, by number of attempts; the last value applies to all further attempts. */
  readonly longestMs: readonly number[];
  readonly limit: number;
}

/** E-mails that wait longer than any delay allows become due: the clock was set back in the meantime. */
export const pullMailsAhead = singleWriteVerb(
  'email.pullMailsAhead',
  async (transaction, { now, longestMs, limit }: Ahead) => {
    const byTries = longestMs.map((ms, tries) => `WHEN ${tries} THEN ${ms}`).join(' ');
    const longest = raw(`CASE tries ${byTries} ELSE ${Math.max(...longestMs)} END`);
    return transaction.run(
      sql`UPDATE outgoing_mails SET due_at = ${now} WHERE ${amongUnlocked(
        'message_id',
        sql`outgoing_mails WHERE due_at > ${now + Math.min(...longestMs)} AND due_at - ${longest} > ${now}
            ORDER BY due_at LIMIT ${limit}`,
      )}`,
    );
  },
  ({ limit }) => limit,
);

export const agedFailedMails: AgedRows = {
  table: 'outgoing_mails',
  key: 'message_id',
  time: 'queued_at',
  where: 'due_at IS NULL',
};

/**
 * At most this many e-mails of a company count towards the limit of waiting e-mails, so that one company leaves room for the
 * others.
 */
const maxCounted = literal(10_000);

interface MeasuredOutbox {
  readonly waiting: number;
  /** How many of the waiting e-mails count towards the limit. */
  readonly counted: number;
  /** The earliest deadline among waiting e-mails that have the full retry period; null if there are none. */
  readonly firstGiveUpAt: number | null;
  readonly failed: number;
}

export const measureOutbox = readVerb('email.measureOutbox', async (reading, _: null) =>
  reading.first<MeasuredOutbox>(
    sql`SELECT CAST(COALESCE(SUM(mails), 0) AS BIGINT) AS waiting,
          CAST(COALESCE(SUM(CASE WHEN mails > ${maxCounted} THEN ${maxCounted} ELSE mails END), 0) AS BIGINT) AS counted,
          (SELECT MIN(give_up_at) FROM outgoing_mails
            WHERE due_at IS NOT NULL AND give_up_at >= queued_at + ${giveUpAfterMs}) AS "firstGiveUpAt",
          (SELECT COUNT(*) FROM outgoing_mails WHERE due_at IS NULL) AS failed
        FROM (SELECT COUNT(*) AS mails FROM outgoing_mails WHERE due_at IS NOT NULL GROUP BY company_id) AS of_companies`,
  ),
);

export interface ListedOutgoingMail {
  readonly messageId: string;
  /** Null if the company no longer exists. */
  readonly company: string | null;
  readonly kind: MailKind;
  readonly to: string;
  readonly queuedAt: number;
  /** Null if the e-mail has failed. */
  readonly dueAt: number | null;
  readonly tries: number;
  /** The relay's last response. */
  readonly reason: string | null;
}

interface OutboxQuery {
  /** Null for all companies. */
  readonly company: string | null;
  readonly state: 'all' | 'failed' | 'waiting';
  readonly limit: number;
}

/** Failed e-mails come first, then waiting ones; of their content only the recipients are shown. */
export const listOutbox = readVerb(
  'email.listOutbox',
  async (reading, { company, state, limit }: OutboxQuery): Promise<readonly ListedOutgoingMail[]> => {
    const of = company === null ? undefined : ((await companyIds(reading, [company])).get(company) ?? 0);
    const mails = state === 'waiting' ? [] : await select(reading, of, failed, limit);
    if (state !== 'failed') mails.push(...(await select(reading, of, waiting, limit - mails.length)));
    const companies = await companyNames(
      reading,
      mails.map(({ companyId }) => companyId),
    );
    return mails.map(({ messageId, companyId, kind, content, giveUpAt: _, reason, ...mail }) => ({
      messageId,
      company: companies.get(companyId) ?? null,
      kind,
      to: content.to.address,
      ...mail,
      reason: reason === null ? null : readReason(reason).text,
    }));
  },
);

const failed = sql`due_at IS NULL ORDER BY queued_at DESC`;
const waiting = sql`due_at IS NOT NULL ORDER BY due_at`;

/** Reads all e-mails of one company, which are few; PostgreSQL would otherwise walk through those of every other company. */
async function select(reading: Reading, of: number | undefined, which: Sql, limit: number) {
  const own = sql`WITH own AS MATERIALIZED (SELECT * FROM outgoing_mails WHERE company_id = ${of ?? 0})`;
  const rows = await reading.all<object>(
    sql`${of === undefined ? sql`` : own} SELECT ${raw(storedMail.names())}
        FROM ${raw(of === undefined ? 'outgoing_mails' : 'own')} WHERE ${which} LIMIT ${limit}`,
  );
  return rows.map((row) => storedMail.read(row));
}

export const replayLimit = 200;

interface MailReplay {
  /** Null for all failed e-mails. */
  readonly messageIds: readonly string[] | null;
  readonly now: number;
}

/** Requeues the oldest failed e-mails for two more days under the same Message-ID; returns how many. */
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
