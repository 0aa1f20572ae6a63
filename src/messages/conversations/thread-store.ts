/** Reads the messages of one conversation in both directions, latest first, one page at a time. */
import { type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { namedMessages } from '../management/search-store.ts';
import type { ListedMessage } from '../operator/inspect.ts';
import { findSentBehind, merged, type PageOfBoth, type ReceivedText, type ThreadPlace } from './both-ways.ts';
import {
  type Conversation,
  findConversation,
  type OpenConversation,
  type VisibleConversation,
  withWay,
} from './conversation.ts';

export type Thread = OpenConversation & PageOfBoth<ReceivedText>;

export interface ThreadQuery extends VisibleConversation {
  readonly callerId: number;
  readonly after: ThreadPlace;
  readonly limit: number;
  readonly now: number;
}

/** Null also for someone else's conversation. */
export const readThread = inTurns(
  readVerb('messages.readThread', (reading, query: ThreadQuery) => thread(reading, query)),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

async function thread(reading: Reading, query: ThreadQuery): Promise<Thread | null> {
  const conversation = await findConversation(reading, query);
  if (conversation === undefined) return null;
  const { companyId, userId, number: sender, phone: recipient } = conversation;
  const { callerId, after, limit, now } = query;
  const of = { companyId, userId, callerId, recipient, sender, limit };
  const sent = await findSentBehind(reading, after, of);
  const texts = await textsOf(reading, companyId, sent.messages);
  const ours = sent.messages.map((message) => ({
    id: message.id,
    text: texts.get(message.id) ?? '',
    at: message.createdAt,
    message,
  }));
  const theirs = await received(reading, conversation, after, limit + 1);
  const page = merged({ ours, behindOurs: sent.next?.id ?? null, theirs }, after, limit);
  return { ...(await withWay(reading, conversation, now)), ...page };
}

async function textsOf(
  reading: Reading,
  companyId: number,
  messages: readonly Pick<ListedMessage, 'id'>[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await reading.all<{ id: number; text: string }>(
    sql`SELECT messages.id, text FROM ${namedMessages(companyId, messages)}`,
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}

/** Includes answers to jobs, since a job may have passed them to its user meanwhile. */
async function received(
  reading: Reading,
  { companyId, userId, number, phone }: Conversation,
  { receivedAt, incomingId }: ThreadPlace,
  limit: number,
): Promise<readonly ReceivedText[]> {
  const from = (table: Sql, sender: string) =>
    reading.all<ReceivedText>(
      sql`SELECT id, text, received_at AS at FROM ${table}
          WHERE company_id = ${companyId} AND sender = ${sender} AND recipient = ${number}
            AND (received_at, id) < (${receivedAt}, ${incomingId}) AND user_id = ${userId}
          ORDER BY received_at DESC, id DESC LIMIT ${limit}`,
    );
  const all: ReceivedText[] = [];
  // Queries one form at a time, so that the index provides the order.
  for (const sender of formsOf(phone))
    all.push(...(await from(sql`incoming_messages`, sender)), ...(await from(sql`job_answers`, sender)));
  const byId = new Map(all.map((sms) => [sms.id, sms]));
  return [...byId.values()].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, limit);
}
