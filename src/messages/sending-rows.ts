/**
 * Keeps what one call sent to several people as one thing, a sending: its row is written in the transaction that accepts the
 * messages, and the rows of its answers in the transactions that store these SMS. Nothing else is kept, since the messages
 * tell the rest. The reasons are in docs/decisions/0085-a-sending-is-a-range-of-ids.md.
 */
import { type Change, fromEach, literal, oneOf, raw, type Sql, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { readAnswer } from '../wire/answers/read-answer.ts';
import { type AnswerWords, answerWords, type Language } from '../wire/answers/words.ts';
import { formsOf } from '../wire/phone-number.ts';
import { blockIn, idsInBlock } from './message-log.ts';

/** The recipients that a call names, in the words of its caller. */
export interface Whom {
  /** Names of groups of the address book. */
  readonly groups: readonly string[];
  /** Names of saved filters. */
  readonly filters: readonly string[];
  /** A tag filter as it is written; empty when there is none. */
  readonly tags: string;
  /** How many numbers the call lists. */
  readonly numbers: number;
}

export interface NewSending {
  readonly companyId: number;
  /** The id of the first message; the others follow it. */
  readonly id: number;
  readonly userId: number;
  readonly messages: number;
  readonly parts: number;
  readonly templateId: number | null;
  /** Null for the text of the template. */
  readonly text: string | null;
  readonly whom: Whom;
  /** Empty for two-way SMS, each of which has its own sender. */
  readonly sender: string;
  /** Until when answers count, if there can be any. */
  readonly answersUntil: number;
  readonly createdAt: number;
  readonly scheduledAt: number | null;
}

/** A longer text is cut. The messages have it whole. */
export const maxSendingText = 2_000;

const columns = {
  company_id: 'bigint',
  id: 'bigint',
  user_id: 'bigint',
  messages: 'integer',
  parts: 'integer',
  template_id: 'bigint',
  text: 'text',
  whom: 'text',
  sender: 'text',
  answers_until: 'bigint',
  created_at: 'bigint',
  scheduled_at: 'bigint',
} as const;

/** People can answer to a number of the pool, and to a number that the user rents. */
const insertion = sql`INSERT INTO sendings (company_id, id, user_id, messages, parts, name, text, whom, sender,
    answers_until, created_at, scheduled_at)
  SELECT each.company_id, each.id, each.user_id, each.messages, each.parts,
    COALESCE((SELECT name FROM templates WHERE templates.company_id = each.company_id AND templates.id = each.template_id), ''),
    COALESCE(each.text, (SELECT substr(templates.text, 1, ${literal(maxSendingText)}) FROM templates
      WHERE templates.company_id = each.company_id AND templates.id = each.template_id), ''),
    each.whom, each.sender,
    CASE WHEN each.sender = '' OR EXISTS (SELECT 1 FROM numbers
      WHERE numbers.number = each.sender AND numbers.rented_by = each.user_id) THEN each.answers_until END,
    each.created_at, each.scheduled_at ${fromEach}`;

export function changesOfSendings(sendings: readonly NewSending[]): readonly Change[] {
  if (sendings.length === 0) return [];
  const rows = sendings.map((one) => [
    ...[one.companyId, one.id, one.userId, one.messages, one.parts, one.templateId],
    one.text === null ? null : cut(one.text),
    JSON.stringify({ ...one.whom, tags: cut(one.whom.tags) }),
    ...[one.sender, one.answersUntil, one.createdAt, one.scheduledAt],
  ]);
  return [{ columns, rows, change: insertion }];
}

/** A cut within a surrogate pair would leave invalid Unicode. */
function cut(text: string): string {
  return text.length > maxSendingText ? text.slice(0, maxSendingText).replace(/[\uD800-\uDBFF]$/, '') : text;
}

/** The meaning of an answer in the store. */
export const meaning = { no: 0, yes: 1, other: 2 } as const;

export interface AnsweringSms {
  readonly id: number;
  readonly companyId: number;
  readonly userId: number;
  /** The phone's number. */
  readonly sender: string;
  /** Our number. */
  readonly recipient: string;
  readonly text: string;
  readonly receivedAt: number;
  /** The message whose lease the answer came by; null for a rented number. */
  readonly messageId: number | null;
}

/** Only rows are inserted that no other transaction inserts, so the order of locks does not matter. */
export async function noteAnswer(transaction: Transaction, sms: AnsweringSms): Promise<void> {
  const { id, companyId, text, receivedAt } = sms;
  const answered = await findAnsweredOne(transaction, sms);
  if (answered === undefined) return;
  const words = await wordsOfCompany(transaction, companyId);
  const meant = readAnswer(text, words).meaning;
  const code = meant === 'yes' || meant === 'no' ? meaning[meant] : meaning.other;
  await transaction.run(
    sql`INSERT INTO sending_answers (company_id, message_id, incoming_id, meaning, received_at)
        VALUES (${companyId}, ${answered}, ${id}, ${code}, ${receivedAt})
        ON CONFLICT (company_id, message_id, incoming_id) DO NOTHING`,
  );
}

/** The message of a sending that the SMS answers. */
async function findAnsweredOne(reading: Reading, sms: AnsweringSms): Promise<number | undefined> {
  const { companyId, messageId } = sms;
  if (messageId !== null && (await isOfSending(reading, companyId, messageId))) return messageId;
  return findAsked(reading, sms);
}

async function isOfSending(reading: Reading, companyId: number, messageId: number): Promise<boolean> {
  const found = await reading.first<{ end: number }>(
    sql`SELECT id + messages AS "end" FROM sendings
        WHERE company_id = ${companyId} AND id <= ${messageId} ORDER BY id DESC LIMIT 1`,
  );
  return found !== undefined && found.end > messageId;
}

/** The number of blocks of the log in which the messages of one call, at most 10,000, may lie. */
const blocksOfSending = Math.ceil(10_000 / idsInBlock) + 1;

/** A person answers one of the user's latest sendings that can be answered, or none. */
const sendingsSearched = 50;

/**
 * The latest message of a sending that this number sent to the phone. If somebody has written to the person since, the
 * answer came by the lease of that message, which has the same conversation.
 */
async function findAsked(
  reading: Reading,
  { userId, sender, recipient, receivedAt, messageId }: AnsweringSms,
): Promise<number | undefined> {
  const ofMessage = (column: string, id: Sql) =>
    sql`(SELECT ${raw(column)} FROM messages WHERE messages.company_id = asked.company_id AND messages.id = ${id})`;
  const found = sql`message_log.id`;
  const isSameConversation =
    messageId === null
      ? sql``
      : sql`AND ${ofMessage('conversation', found)} = ${ofMessage('conversation', sql`${messageId}`)}`;
  const inBlock = (block: Sql) =>
    sql`(SELECT message_log.id FROM message_log
         WHERE message_log.company_id = asked.company_id AND ${blockIn('message_log.id')} = ${block}
           AND message_log.recipient ${oneOf('text', formsOf(sender))}
           AND message_log.id >= asked.id AND message_log.id < asked.id + asked.messages
           AND ${ofMessage('sender', found)} = ${recipient} ${isSameConversation} LIMIT 1)`;
  const first = blockIn('asked.id');
  const last = blockIn('(asked.id + asked.messages - 1)');
  const others = Array.from({ length: blocksOfSending - 1 }, (_, index) => {
    const block = sql`${first} + ${literal(index + 1)}`;
    return sql`, CASE WHEN ${block} <= ${last} THEN ${inBlock(block)} END`;
  });
  const inAnyBlock = others.reduce((all, one) => sql`${all}${one}`, sql`${inBlock(sql`${first}`)}`);
  // A subquery for each sending and block: for a join, or for several blocks at once, PostgreSQL reads the whole log.
  const answered = await reading.first<{ id: number }>(
    sql`SELECT message_id AS id FROM (
          SELECT asked.created_at, asked.id,
            COALESCE(${inAnyBlock}) AS message_id
          FROM (
            SELECT company_id, id, messages, created_at, COALESCE(scheduled_at, created_at) AS begun_at, answers_until
            FROM sendings WHERE user_id = ${userId} AND answers_until IS NOT NULL
            ORDER BY created_at DESC, id DESC LIMIT ${sendingsSearched}) AS asked
          WHERE asked.begun_at <= ${receivedAt} AND asked.answers_until >= ${receivedAt}) AS sent
        WHERE message_id IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 1`,
  );
  return answered?.id;
}

const wordsByLanguage = new Map<Language, AnswerWords>();

async function wordsOfCompany(reading: Reading, companyId: number): Promise<AnswerWords> {
  const found = await reading.first<{ language: Language | null }>(
    sql`SELECT language FROM companies WHERE id = ${companyId}`,
  );
  const language = found?.language ?? 'en';
  const words = wordsByLanguage.get(language) ?? answerWords({ language, digits: false });
  wordsByLanguage.set(language, words);
  return words;
}
