/** What the node that sends asks of the outbox: what is due, and what became of each try. */
import { isHeld } from '../../changes/held-reader.ts';
import { amongUnlocked, fromEach, literal, oneOf, raw, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb, writeVerb } from '../../storage/verb.ts';
import { mailReader } from './mail-reader.ts';
import { type MailContent, type MailKind, mailKinds, type OutgoingMail } from './outgoing-mail.ts';
import { keepQuestionOutcomes } from './question-outcomes.ts';
import { giveUpAfterMs } from './schedule.ts';

export interface DueMail extends OutgoingMail {
  /** It is not tried after this; what never was is, but for a question. */
  readonly giveUpAt: number;
  readonly tries: number;
}

interface DueRow {
  readonly message_id: string;
  readonly company_id: number;
  readonly kind: number;
  readonly content: string;
  readonly give_up_at: number;
  readonly tries: number;
}

interface DueQuery {
  readonly now: number;
  readonly limit: number;
  /** The company whose turn was last; 0: none was. */
  readonly after: number;
}

interface DueMails {
  readonly mails: readonly DueMail[];
  /** There may be others that are due. */
  readonly isMore: boolean;
}

/** Codes of kinds. */
const byUrgency = (['question', 'signIn', 'answer', 'receipts'] as const satisfies readonly MailKind[]).map(
  (kind) => mailKinds.indexOf(kind),
);

/** Of so many companies mails are read at a time. */
const companiesAtOnce = 25;

/**
 * Companies take turns, however many mails one of them has; of a company those come first that ask somebody, then what
 * tells of sign-ins, which are few, then answers, then receipts, and of a kind those that have waited longest.
 */
export const readDueMails = readVerb(
  'email.readDueMails',
  async (reading, { now, limit, after }: DueQuery): Promise<DueMails> => {
    const companies = await companiesWithDue(reading, { now, from: after, to: Number.MAX_SAFE_INTEGER });
    if (companies.length < companiesAtOnce)
      companies.push(...(await companiesWithDue(reading, { now, from: 0, to: after })));
    const some = companies.slice(0, companiesAtOnce);
    const share = Math.ceil(limit / Math.max(1, some.length));
    const lines: (readonly DueMail[])[] = [];
    for (const companyId of some) lines.push(await dueOf(reading, companyId, now, share));
    const isMore = companies.length >= companiesAtOnce || lines.some((line) => line.length === share);
    return { mails: inTurn(lines).slice(0, limit), isMore };
  },
);

/** From one company on, to another; by a step along the index for each that has mails, failed ones too. */
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
        LIMIT ${companiesAtOnce}`,
  );
  return rows.map(({ company_id }) => company_id);
}

async function dueOf(reading: Reading, companyId: number, now: number, limit: number): Promise<DueMail[]> {
  const due: DueMail[] = [];
  for (const code of byUrgency) {
    if (due.length === limit) break;
    const rows = await reading.all<DueRow>(
      sql`SELECT message_id, company_id, kind, content, give_up_at, tries FROM outgoing_mails
          WHERE company_id = ${companyId} AND kind = ${code} AND due_at <= ${now}
          ORDER BY due_at, message_id LIMIT ${limit - due.length}`,
    );
    due.push(...rows.map(toDueMail));
  }
  return due;
}

function toDueMail({ message_id, company_id, kind, content, give_up_at, tries }: DueRow): DueMail {
  return {
    messageId: message_id,
    companyId: company_id,
    kind: mailKinds[kind] ?? 'receipts',
    content: JSON.parse(content) as MailContent,
    giveUpAt: give_up_at,
    tries,
  };
}

/** The first of each, then the second of each, and so on. */
function inTurn<Item>(lines: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lines.map((line) => line.length));
  return Array.from({ length: longest }, (_, place) =>
    lines.flatMap((line) => line.slice(place, place + 1)),
  ).flat();
}

export interface TriedMail {
  readonly nodeId: number;
  readonly messageId: string;
  /** Taken; or not now, and due again then; or never. */
  readonly outcome: 'taken' | 'deferred' | 'failed';
  /** Of one that is deferred. */
  readonly dueAt: number;
  readonly reason: string;
  readonly kind: MailKind;
  readonly at: number;
  /** Whether it says something of the mail, rather than of a relay that is away. */
  readonly isCounted: boolean;
}

const triedColumns = { message_id: 'text', due_at: 'bigint', reason: 'text', counted: 'integer' } as const;

/** What the relay has is gone, whoever sends by now; all else is kept of the node that does. */
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
  /** What is due later than `after`, and at `until` at the latest, becomes due now. */
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

interface MeasuredOutbox {
  readonly waiting: number;
  /** Of those that wait as long as mails are tried, the one whose time is over first; null: none does. */
  readonly firstGiveUpAt: number | null;
  readonly failed: number;
}

export const measureOutbox = readVerb('email.measureOutbox', async (reading, _: null) =>
  reading.first<MeasuredOutbox>(
    sql`SELECT (SELECT COUNT(*) FROM outgoing_mails WHERE due_at IS NOT NULL) AS waiting,
          (SELECT MIN(give_up_at) FROM outgoing_mails
            WHERE due_at IS NOT NULL AND give_up_at >= queued_at + ${giveUpAfterMs}) AS "firstGiveUpAt",
          (SELECT COUNT(*) FROM outgoing_mails WHERE due_at IS NULL) AS failed`,
  ),
);
