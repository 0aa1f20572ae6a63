/**
 * Maintains the rows of conversations along with their messages: a phone that writes to one of our numbers starts a
 * conversation, and an SMS sent back from that number becomes its latest message. If networks rewrite a phone's number
 * (`formsOf`), the phone continues the conversation that it started in either form. The reasons are in
 * docs/decisions/0049-conversations.md.
 */
import { byDialect, oneOf, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { formsOf } from '../wire/phone-number.ts';
import { type AnsweringSms, noteAnswer } from './sending-rows.ts';

/** An incoming SMS that has an owner. */
export interface ReceivedSms extends AnsweringSms {
  /** The job run that the SMS came for; null when it came for none. */
  readonly runId: number | null;
  /** False when the SMS is already stored and is being stored again under its id. */
  readonly isNew: boolean;
}

/** What leads from an incoming SMS to its conversation. */
type Exchange = Pick<ReceivedSms, 'userId' | 'sender' | 'recipient'>;

const keyOf = ({ userId, sender, recipient }: Exchange) => JSON.stringify([userId, sender, recipient]);

/**
 * Notes the SMS among the answers to sendings, and in their conversations. Every transaction locks rows of conversations last
 * and in the same order, so that no two transactions deadlock.
 */
export async function noteReceived(
  transaction: Transaction,
  received: readonly ReceivedSms[],
): Promise<void> {
  for (const sms of received) if (sms.isNew && sms.runId === null) await noteAnswer(transaction, sms);
  const fresh = received.filter(({ isNew }) => isNew);
  for (const sms of await inOrder(transaction, fresh)) await noteOne(transaction, sms);
}

/** Counts SMS as unread that came for a run but are neither YES nor NO, so that somebody has to read them. */
export async function noteUnread(transaction: Transaction, comments: readonly Exchange[]): Promise<void> {
  for (const { userId, sender, recipient } of await inOrder(transaction, comments))
    await transaction.run(
      sql`UPDATE conversations SET unread = unread + 1, archived = 0, version = version + 1
          WHERE user_id = ${userId} AND phone = ${sender} AND number = ${recipient}`,
    );
}

/** In the order in which conversations are locked, each with its phone as the conversation has it. */
async function inOrder<Sms extends Exchange>(reading: Reading, all: readonly Sms[]): Promise<readonly Sms[]> {
  const keyed: (readonly [string, Sms])[] = [];
  for (const sms of all) {
    const known = { ...sms, sender: await phoneOf(reading, sms) };
    keyed.push([keyOf(known), known]);
  }
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, sms]) => sms);
}

/** The form of the phone's number that its conversation uses. */
async function phoneOf(reading: Reading, { userId, sender, recipient }: Exchange): Promise<string> {
  const forms = formsOf(sender);
  if (forms.length === 1) return sender;
  const begun = await reading.first<{ phone: string }>(
    sql`SELECT phone FROM conversations
        WHERE user_id = ${userId} AND phone ${oneOf('text', forms)} AND number = ${recipient}
        ORDER BY CASE WHEN phone = ${sender} THEN 0 ELSE 1 END LIMIT 1`,
  );
  return begun?.phone ?? sender;
}

// Concurrent PostgreSQL transactions draw ids from a sequence; SQLite has a single writer.
const nextId = byDialect({
  sqlite: '(SELECT COALESCE(MAX(id), 0) + 1 FROM conversations)',
  postgres: 'DEFAULT',
});

/** An SMS that is assigned to its user days later must not replace the latest values. */
const ifLatest = (column: 'run_id' | 'last_at' | 'last_incoming_id' | 'last_message_id', latest: Sql) =>
  sql`CASE WHEN excluded.last_at >= conversations.last_at THEN ${latest} ELSE conversations.${raw(column)} END`;

/** An answer to a run is counted by the run, if it is one that somebody has to read (`noteUnread`). */
async function noteOne(transaction: Transaction, sms: ReceivedSms): Promise<void> {
  const unread = sms.runId === null ? 1 : 0;
  const { id, companyId, userId, sender, recipient, receivedAt, runId } = sms;
  await transaction.run(
    sql`INSERT INTO conversations (id, company_id, user_id, number, phone, run_id, last_at, last_incoming_id,
          last_message_id, unread, archived, version)
        VALUES (${nextId}, ${companyId}, ${userId}, ${recipient}, ${sender}, ${runId}, ${receivedAt}, ${id}, NULL, ${unread}, 0, 1)
        ON CONFLICT (user_id, phone, number) DO UPDATE SET
          run_id = ${ifLatest('run_id', sql`excluded.run_id`)}, last_at = ${ifLatest('last_at', sql`excluded.last_at`)},
          last_incoming_id = ${ifLatest('last_incoming_id', sql`excluded.last_incoming_id`)},
          last_message_id = ${ifLatest('last_message_id', sql`NULL`)},
          unread = conversations.unread + excluded.unread, archived = 0, version = conversations.version + 1`,
  );
}

/** An SMS that we send, as accepted. */
export interface SentSms {
  readonly id: number;
  readonly userId: number;
  readonly sender: string;
  readonly recipient: string;
  readonly createdAt: number;
}

// A transaction that holds the conversation is mostly adding an incoming SMS, which is later.
const skipLocked = byDialect({ sqlite: '', postgres: 'FOR UPDATE OF conversations SKIP LOCKED' });

/**
 * Only conversations with phones that have written before are updated: messages that nobody has answered are not a
 * conversation.
 */
export async function noteSent(transaction: Transaction, sent: readonly SentSms[]): Promise<void> {
  const latest = new Map<string, Row>();
  for (const { id, userId, sender, recipient, createdAt } of sent)
    for (const phone of formsOf(recipient))
      latest.set(`${userId}/${sender}/${phone}`, [userId, sender, phone, id, createdAt]);
  if (latest.size === 0) return;
  const rows = rowSet(
    'sent',
    {
      user_id: 'bigint',
      number: 'text',
      phone: 'text',
      message_id: 'bigint',
      at: 'bigint',
    },
    [...latest.values()],
  );
  const known = await transaction.all<{ id: number; messageId: number; at: number }>(
    sql`SELECT conversations.id, sent.message_id AS "messageId", sent.at FROM ${rows}
        CROSS JOIN conversations
        WHERE conversations.user_id = sent.user_id AND conversations.phone = sent.phone
          AND conversations.number = sent.number ${skipLocked}`,
  );
  if (known.length === 0) return;
  const changed = rowSet(
    'changed',
    { id: 'bigint', message_id: 'bigint', at: 'bigint' },
    known.map(({ id, messageId, at }) => [id, messageId, at]),
  );
  await transaction.run(
    sql`UPDATE conversations SET last_at = changed.at, last_message_id = changed.message_id,
          version = conversations.version + 1
        FROM ${changed} WHERE conversations.id = changed.id`,
  );
}
