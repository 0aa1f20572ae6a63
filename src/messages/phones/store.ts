/** Reads what phones received from a simulator carrier, and what they answer, from the messages themselves. */
import { type Actor, recordAct } from '../../audit/audit-log.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, refusable, theCaller, writeVerb } from '../../storage/verb.ts';
import { noteReceived, type ReceivedSms } from '../conversation-rows.ts';
import {
  findSentBehind,
  merged,
  type PageOfBoth,
  type ReceivedText,
  type ThreadPlace,
} from '../conversations/both-ways.ts';
import { findOwner, keepIncoming, type NewIncoming } from '../incoming/store.ts';
import { namedMessages } from '../management/search-store.ts';

/** The user whose SMS are shown: only the user's own, since the phones show texts. */
interface Whose {
  readonly companyId: number;
  readonly userId: number;
}

export interface SimulatedPhone {
  readonly number: string;
  /** The id of the latest SMS; the fields below describe that SMS too. */
  readonly id: number;
  readonly at: number;
  readonly text: string;
  readonly sender: string;
}

interface Delivered extends SimulatedPhone {
  readonly carrierId: number;
}

interface PhonesQuery extends Whose {
  readonly after: Cursor | undefined;
  readonly limit: number;
}

/** This many of the user's messages are searched for phones. */
const latest = 500;

async function simulatorIds(reading: Reading): Promise<ReadonlySet<number>> {
  const rows = await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE type = 'simulator'`);
  return new Set(rows.map(({ id }) => id));
}

export const listSimulatedPhones = inTurns(
  readVerb(
    'messages.listSimulatedPhones',
    async (reading, { companyId, userId, after, limit }: PhonesQuery): Promise<readonly SimulatedPhone[]> => {
      const simulators = await simulatorIds(reading);
      const rows = await reading.all<Delivered>(
        sql`SELECT messages.recipient AS number, messages.id, messages.created_at AS at, text, sender,
              carrier_id AS "carrierId"
            FROM (SELECT company_id, created_at, id FROM message_log WHERE user_id = ${userId}
                  ORDER BY created_at DESC, id DESC LIMIT ${latest}) AS latest
            CROSS JOIN messages
            WHERE messages.company_id = latest.company_id AND messages.id = latest.id AND latest.company_id = ${companyId}
            ORDER BY latest.created_at DESC, latest.id DESC`,
      );
      const phones = new Map<string, SimulatedPhone>();
      for (const { carrierId, ...sms } of rows)
        if (simulators.has(carrierId) && !phones.has(sms.number)) phones.set(sms.number, sms);
      const { time = Number.MAX_SAFE_INTEGER, id: last } = after ?? { id: Number.MAX_SAFE_INTEGER };
      return [...phones.values()]
        .filter(({ at, id }) => at < time || (at === time && id < last))
        .slice(0, limit);
    },
  ),
  theCaller,
);

interface PhoneQuery extends Whose {
  readonly number: string;
  readonly after: ThreadPlace;
  readonly limit: number;
}

export interface AnsweredText extends ReceivedText {
  /** Our number. */
  readonly to: string;
}

export const readSimulatedPhone = inTurns(
  readVerb(
    'messages.readSimulatedPhone',
    async (reading, query: PhoneQuery): Promise<PageOfBoth<AnsweredText>> => {
      const { companyId, userId, number: recipient, after, limit } = query;
      const simulators = await simulatorIds(reading);
      const of = { companyId, userId, callerId: userId, recipient, sender: undefined, limit };
      const { messages, next } = await findSentBehind(reading, after, of);
      const rows = await reading.all<{ id: number; text: string; carrierId: number }>(
        sql`SELECT messages.id, text, carrier_id AS "carrierId" FROM ${namedMessages(companyId, messages)}`,
      );
      const texts = new Map(
        rows.filter(({ carrierId }) => simulators.has(carrierId)).map(({ id, text }) => [id, text]),
      );
      const ours = messages.flatMap((message) => {
        const text = texts.get(message.id);
        return text === undefined ? [] : { id: message.id, at: message.createdAt, text, message };
      });
      const theirs = await answersOf(reading, query);
      return merged({ ours, behindOurs: next?.id ?? null, theirs }, after, limit);
    },
  ),
  theCaller,
);

/** One more SMS than fits on the page, if there are that many. */
async function answersOf(
  reading: Reading,
  { companyId, userId, number, after: { receivedAt, incomingId }, limit }: PhoneQuery,
): Promise<readonly AnsweredText[]> {
  const read = (table: Sql) =>
    reading.all<AnsweredText>(
      sql`SELECT id, received_at AS at, text, recipient AS "to" FROM ${table}
          WHERE company_id = ${companyId} AND sender = ${number} AND user_id = ${userId}
            AND (received_at, id) < (${receivedAt}, ${incomingId})
          ORDER BY received_at DESC, id DESC LIMIT ${limit + 1}`,
    );
  const all = [...(await read(sql`incoming_messages`)), ...(await read(sql`job_answers`))];
  const byId = new Map(all.map((sms) => [sms.id, sms]));
  return [...byId.values()].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, limit + 1);
}

/**
 * Whether the answered SMS went through a simulator carrier. Also true for an SMS that answers none, as one to a rented
 * number.
 */
async function wentBySimulator(
  reading: Reading,
  { companyId, messageId }: { readonly companyId: number; readonly messageId: number | null },
): Promise<boolean> {
  if (messageId === null) return true;
  const message = await reading.first<{ carrierId: number }>(
    sql`SELECT carrier_id AS "carrierId" FROM messages WHERE company_id = ${companyId} AND id = ${messageId}`,
  );
  return message !== undefined && (await simulatorIds(reading)).has(message.carrierId);
}

export interface SimulatedAnswer extends NewIncoming {
  readonly companyId: number;
  /** The only user who may get the SMS; null for any user of the company. */
  readonly userId: number | null;
  /** The user who makes the phone write. */
  readonly by: Actor;
}

export type SimulatedAnswerKept =
  | { readonly kind: 'stored'; readonly carrier: string }
  /** `notTheirs` means that the SMS would go to someone else. */
  | { readonly kind: 'notTheirs' | 'noSimulator' };

/**
 * Only for the company itself, and never as an answer to an SMS that a real carrier had: a simulated phone must neither
 * write to other companies nor impersonate a real person.
 */
export const storeSimulatedAnswer = refusable(
  writeVerb<SimulatedAnswer, SimulatedAnswerKept>(
    'messages.storeSimulatedAnswer',
    async (transaction, inputs) => {
      const simulator = await transaction.first<{ name: string }>(
        sql`SELECT name FROM carriers WHERE type = 'simulator' AND removed = 0 ORDER BY id LIMIT 1`,
      );
      if (simulator === undefined) return inputs.map(() => ({ kind: 'noSimulator' }));
      const answers: SimulatedAnswerKept[] = [];
      const received: ReceivedSms[] = [];
      for (const { companyId, userId, by, ...sms } of inputs) {
        const owner = await findOwner(transaction, sms);
        const isTheirs = owner?.companyId === companyId && (userId ?? owner.userId) === owner.userId;
        const isPlayed = isTheirs && (await wentBySimulator(transaction, owner));
        const kept = isPlayed ? await keepIncoming(transaction, sms) : null;
        answers.push(kept === null ? { kind: 'notTheirs' } : { kind: 'stored', carrier: simulator.name });
        if (kept === null) continue;
        received.push(kept);
        await recordAct(transaction, {
          companyId,
          at: sms.receivedAt,
          by,
          act: 'simulator.answer',
          object: String(sms.id),
          details: { sentence: 'from_to', from: sms.sender, to: sms.recipient },
        });
      }
      await noteReceived(transaction, received);
      return answers;
    },
  ),
);
