/**
 * Reads sendings, latest first, with how many of their messages are in which state and what the people answered. Both are
 * counted when they are read, so they are right at every moment; a sending has as many messages as a call may send.
 */
import { usernames } from '../../accounts/user-records.ts';
import type { Visibility } from '../../accounts/visibility.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { literal, raw, rowSet, sql } from '../../storage/sql.ts';
import { bigint, json, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { isFinal, status, statusNames } from '../message.ts';
import { meaning, type Whom } from '../sending-rows.ts';

export const storedSending = new StoredRecord({
  id: bigint,
  userId: bigint,
  messages: bigint,
  parts: bigint,
  name: text,
  text,
  whom: json<Whom>(),
  sender: text,
  answersUntil: nullable(bigint),
  createdAt: bigint,
  scheduledAt: nullable(bigint),
});

export type StoredSending = Kept<typeof storedSending>;

/** The states of a message as people see them. */
export const sendingStates = ['scheduled', 'underWay', 'delivered', 'failed', 'canceled'] as const;
export type SendingState = (typeof sendingStates)[number];

/** What a person answered; the latest YES or NO counts. */
export const meanings = ['yes', 'no', 'other', 'silent'] as const;
export type Meaning = (typeof meanings)[number];

export function stateOf(code: number): SendingState {
  if (code === status.SCHEDULED) return 'scheduled';
  if (code === status.CANCELED || code === status.DELETED) return 'canceled';
  if (code === status.DELIVERED) return 'delivered';
  return isFinal(code) ? 'failed' : 'underWay';
}

export function statusesOf(state: SendingState): readonly number[] {
  return statusNames.map((_, code) => code).filter((code) => stateOf(code) === state);
}

/** With those that were removed, the states add up to the messages of the sending. */
export type Totals = Readonly<Record<SendingState | 'removed', number>>;
/** The meanings add up to the messages that are still stored. */
export type Answers = Readonly<Record<Meaning, number>>;

export interface VisibleSending extends StoredSending {
  readonly username: string;
  readonly totals: Totals;
  /** Null when nobody can answer. */
  readonly answers: Answers | null;
}

interface Range {
  readonly id: number;
  readonly messages: number;
}

const ranges = (sendings: readonly Range[]) =>
  rowSet(
    'asked',
    { id: 'bigint', until: 'bigint' },
    sendings.map(({ id, messages }) => [id, id + messages]),
  );

/**
 * The latest YES or NO of an SMS that answered, as its time and meaning in one number, which is null without one. NO counts
 * if both came in the same millisecond.
 */
export const latestClear = sql`MAX(CASE WHEN meaning < ${literal(meaning.other)} THEN received_at * 2 + meaning END)`;

export function meaningOf(clear: number | null): Exclude<Meaning, 'silent'> {
  if (clear === null) return 'other';
  return clear % 2 === meaning.yes ? 'yes' : 'no';
}

async function filled(
  reading: Reading,
  companyId: number,
  rows: readonly StoredSending[],
): Promise<readonly VisibleSending[]> {
  if (rows.length === 0) return [];
  const counted = await countStates(reading, companyId, rows);
  const answerable = rows.filter(({ answersUntil }) => answersUntil !== null);
  const answered = answerable.length === 0 ? [] : await countAnswers(reading, companyId, answerable);
  const names = await usernames(
    reading,
    rows.map(({ userId }) => userId),
  );
  return rows.map((row) => {
    const totals = totalsOf(row, counted.get(row.id) ?? []);
    const own = answered.filter(({ id }) => id === row.id);
    return {
      ...row,
      username: names.get(row.userId) ?? String(row.userId),
      totals,
      answers: row.answersUntil === null ? null : answersOf(row.messages - totals.removed, own),
    };
  });
}

/**
 * The number of messages in each state, in the order of `sendingStates`. As a subquery for each sending, PostgreSQL reads
 * nothing but the messages of these sendings, even without statistics; a join read all messages of the company.
 */
async function countStates(
  reading: Reading,
  companyId: number,
  sendings: readonly Range[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const sums = sendingStates.map((state) => {
    const codes = statusesOf(state).join(', ');
    return `SUM(CASE WHEN messages.status IN (${codes}) THEN 1 ELSE 0 END)`;
  });
  const rows = await reading.all<{ id: number; counts: string | null }>(
    sql`SELECT asked.id, (SELECT ${raw(sums.join(" || ' ' || "))} FROM messages
          WHERE messages.company_id = ${companyId} AND messages.id >= asked.id AND messages.id < asked.until) AS counts
        FROM ${ranges(sendings)}`,
  );
  return new Map(rows.map(({ id, counts }) => [id, (counts ?? '').split(' ').map(Number)]));
}

function totalsOf({ messages }: StoredSending, counts: readonly number[]): Totals {
  const [scheduled = 0, underWay = 0, delivered = 0, failed = 0, canceled = 0] = counts;
  const removed = messages - scheduled - underWay - delivered - failed - canceled;
  return { scheduled, underWay, delivered, failed, canceled, removed };
}

interface CountedMeaning {
  readonly id: number;
  readonly meaning: number;
  readonly count: number;
}

async function countAnswers(
  reading: Reading,
  companyId: number,
  sendings: readonly Range[],
): Promise<readonly CountedMeaning[]> {
  return reading.all<CountedMeaning>(
    sql`SELECT id, COALESCE(clear % 2, ${literal(meaning.other)}) AS meaning, COUNT(*) AS count FROM (
          SELECT asked.id, sending_answers.message_id, ${latestClear} AS clear
          FROM ${ranges(sendings)} CROSS JOIN sending_answers
          WHERE sending_answers.company_id = ${companyId}
            AND sending_answers.message_id >= asked.id AND sending_answers.message_id < asked.until
          GROUP BY asked.id, sending_answers.message_id) AS answered
        GROUP BY id, COALESCE(clear % 2, ${literal(meaning.other)})`,
  );
}

function answersOf(people: number, counted: readonly CountedMeaning[]): Answers {
  const of = (code: number) => counted.find((one) => one.meaning === code)?.count ?? 0;
  const [yes, no, other] = [of(meaning.yes), of(meaning.no), of(meaning.other)];
  return { yes, no, other, silent: people - yes - no - other };
}

export interface SendingsQuery extends Visibility {
  readonly after: Cursor | undefined;
  readonly limit: number;
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
}

interface SendingsPage {
  readonly sendings: readonly VisibleSending[];
  readonly hasMore: boolean;
}

/** A page ends when its sendings have this many messages, all of which are counted; so a page may be short. */
const messagesOfPage = 20_000;

const beforeAll = { time: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

export const listSendings = inTurns(
  readVerb('messages.listSendings', async (reading, query: SendingsQuery): Promise<SendingsPage> => {
    const { companyId, userId, limit } = query;
    const { time = beforeAll.time, id } = query.after ?? beforeAll;
    const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    const rows = await storedSending.all(reading)`
      FROM sendings WHERE ${whose} AND (created_at, id) < (${time}, ${id})
      ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`;
    let messages = 0;
    const page = rows.slice(0, limit).filter((row, place) => {
      messages += row.messages;
      return place === 0 || messages <= messagesOfPage;
    });
    return { sendings: await filled(reading, companyId, page), hasMore: rows.length > page.length };
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export interface VisibleOne extends Visibility {
  /** The id of any message of the sending. */
  readonly id: number;
}

/** Any message of a sending leads to it. Undefined when the message is in none that is visible. */
export async function findSending(
  reading: Reading,
  { companyId, userId, id }: VisibleOne,
): Promise<StoredSending | undefined> {
  const row = await storedSending.first(reading)`
    FROM sendings WHERE company_id = ${companyId} AND id <= ${id} ORDER BY id DESC LIMIT 1`;
  if (row === undefined || id >= row.id + row.messages) return undefined;
  return userId === null || userId === row.userId ? row : undefined;
}

/** Null when no such sending is visible. */
export const readSending = readVerb(
  'messages.readSending',
  async (reading, visible: VisibleOne): Promise<VisibleSending | null> => {
    const row = await findSending(reading, visible);
    if (row === undefined) return null;
    return (await filled(reading, visible.companyId, [row]))[0] ?? null;
  },
);
