/** Stores incoming SMS for the user who rents the number or asked for the answer, otherwise for the operator. */
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import { noLock, oneOf, raw, skipLocked, sql } from '../../storage/sql.ts';
import {
  inTurns,
  type Reading,
  type ReadOwner,
  readVerb,
  refusable,
  singleWriteVerb,
  type Transaction,
  theCaller,
  writeVerb,
} from '../../storage/verb.ts';
import { noteReceived, type ReceivedSms } from '../conversation-rows.ts';
import { holder, type Lease } from '../pool/lease-book.ts';
import { clearUnclear, findAnswered, isFormOf, lockPool, type Tenant } from '../pool/leases.ts';
import { jobAnswerOwner, keepJobAnswer } from './job-answers.ts';
import { heed, heedable } from './opt-out-words.ts';

export interface IncomingRow {
  readonly id: number;
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly conversation: string;
  readonly response_to_id: number | null;
  readonly received_at: number;
  readonly unread: number;
  /** The text of the message that this SMS answers, if requested and still stored. */
  readonly original: string | null;
}

export interface NewIncoming {
  readonly id: number;
  readonly sender: string;
  readonly recipient: string;
  readonly text: string;
  readonly receivedAt: number;
  /** Set for an SMS in parts. */
  readonly firstPart?: FirstPart;
  /** Finds the opt-outs of erased people. Absent if parts of the SMS are missing: then it is no word to be heeded. */
  readonly personSecret?: PersonSecret | undefined;
}

/** The user and company that a number belongs to. */
export interface NumberHolder {
  readonly renterId: number | null;
  /** Null when the number belongs to no company. */
  readonly companyId: number | null;
}

/** The SMS belongs to the holder of the number when its first part came, not to the current one. */
export interface FirstPart extends NumberHolder {
  readonly at: number;
}

/** Stores an incoming SMS only once, however often it is called; returns its owner, or null when it belongs to nobody. */
export const storeIncoming = writeVerb(
  'messages.storeIncoming',
  async (transaction, all: readonly NewIncoming[]): Promise<(number | null)[]> => {
    const kept: (ReceivedSms | null)[] = [];
    for (const sms of all) kept.push(await keepIncoming(transaction, sms));
    await noteReceived(
      transaction,
      kept.flatMap((sms) => sms ?? []),
    );
    return kept.map((sms) => sms?.userId ?? null);
  },
);

/**
 * Null when it belongs to nobody. An SMS kept for a user must be noted in its conversation, last in the transaction. If a
 * network has rewritten a number (`formsOf`), our number and that of an answering phone are stored as they are known here.
 */
export async function keepIncoming(
  transaction: Transaction,
  received: NewIncoming,
): Promise<ReceivedSms | null> {
  const renter = await findRenter(transaction, received);
  const answered = renter === undefined ? await findAnsweredBy(transaction, received) : undefined;
  const sms = asKnown(received, renter, answered?.lease);
  if (answered?.lease.holder === holder.job) {
    // An earlier SMS waited for its code: this one names the code, or only one job is left that the SMS can be for.
    const mayClear = answered.waiting !== null && !answered.isUnclear;
    if (mayClear) await lockPool(transaction);
    // If this SMS is only being stored again, the waiting SMS came after it and goes on waiting.
    const isCleared = mayClear && (await jobAnswerOwner(transaction, sms.id)) === undefined;
    const { companyId, userId, conversation, startsAt, endsAt } = answered.lease;
    const heeded = await heedable(transaction, sms, companyId);
    const isNew = await keepJobAnswer(transaction, sms, { ...answered, optsOut: heeded === 'stop' });
    if (isCleared) await clearUnclear(transaction, sms);
    if (isNew && heeded !== undefined) {
      const at = sms.firstPart?.at ?? sms.receivedAt;
      const of = {
        companyId,
        reply: { userId, way: 'job', conversation: '' },
        isOfLiveJob: startsAt <= at && at < endsAt,
      } as const;
      await heed(transaction, heeded, sms, of);
    }
    return { ...sms, companyId, userId, messageId: null, runId: Number(conversation), isNew };
  }
  const owner = renter?.owner ?? answered?.lease;
  if (owner === undefined) {
    await keepForHolder(transaction, sms);
    return null;
  }
  const isNew = await keepFor(transaction, sms, owner);
  const { companyId, userId, messageId, conversation } = owner;
  const heeded = isNew ? await heedable(transaction, sms, companyId) : undefined;
  if (heeded !== undefined) {
    const reply = { userId, way: renter === undefined ? 'leased' : 'rented', conversation } as const;
    await heed(transaction, heeded, sms, { companyId, reply });
  }
  return { ...sms, companyId, userId, messageId, runId: null, isNew };
}

/**
 * Stores an SMS of nobody. Its number may be a company's all the same, such as one of its own reply pool: then a word that
 * opts out is heeded, though no user is there to pay for a reply.
 */
async function keepForHolder(transaction: Transaction, sms: NewIncoming): Promise<void> {
  // If a number passes to another company, SMS that came before stay with the company that had the number then.
  const { companyId } = sms.firstPart ?? (await findHolder(transaction, sms.recipient));
  const isNew = await keepFor(transaction, sms, undefined, companyId);
  const heeded = isNew && companyId !== null ? await heedable(transaction, sms, companyId) : undefined;
  if (heeded !== undefined && companyId !== null) await heed(transaction, heeded, sms, { companyId });
}

/** Stores an SMS that answers no job; returns whether it is new. */
export async function keepFor(
  transaction: Transaction,
  sms: Omit<NewIncoming, 'firstPart'>,
  owner: IncomingOwner | undefined,
  numberCompanyId: number | null = null,
): Promise<boolean> {
  const { id, sender, recipient, text, receivedAt } = sms;
  const { companyId = null, userId = null, conversation = '', messageId = null } = owner ?? {};
  const stored = await transaction.run(
    sql`INSERT INTO incoming_messages (id, company_id, user_id, sender, recipient, text, conversation, response_to_id,
          received_at, unread, number_company_id)
        VALUES (${id}, ${companyId}, ${userId}, ${sender}, ${recipient}, ${text}, ${conversation}, ${messageId},
          ${receivedAt}, 1, ${numberCompanyId})
        ON CONFLICT (id) DO NOTHING`,
  );
  return stored === 1;
}

/** A rented number belongs to the company of its renter. */
export async function findHolder(reading: Reading, recipient: string): Promise<NumberHolder> {
  const found = await reading.first<NumberHolder>(
    sql`SELECT users.id AS "renterId", COALESCE(numbers.company_id, users.company_id) AS "companyId"
        FROM numbers LEFT JOIN users ON users.id = numbers.rented_by WHERE numbers.number ${isFormOf(recipient)}
        ORDER BY CASE WHEN users.id IS NULL THEN 1 ELSE 0 END,
          CASE WHEN numbers.number = ${recipient} THEN 0 ELSE 1 END LIMIT 1`,
  );
  return found ?? { renterId: null, companyId: null };
}

type IncomingOwner = Omit<Tenant, 'messageId' | 'holder'> & { readonly messageId: number | null };

interface Renter {
  readonly number: string;
  readonly owner: IncomingOwner;
}

async function findRenter(
  reading: Reading,
  { recipient, firstPart }: NewIncoming,
): Promise<Renter | undefined> {
  const rented =
    firstPart === undefined
      ? sql`numbers JOIN users ON users.id = numbers.rented_by WHERE numbers.number ${isFormOf(recipient)}`
      : sql`users LEFT JOIN numbers ON numbers.number ${isFormOf(recipient)} WHERE users.id = ${firstPart.renterId}`;
  const found = await reading.first<{ number: string; userId: number; companyId: number }>(
    sql`SELECT COALESCE(numbers.number, ${recipient}) AS number, users.id AS "userId", users.company_id AS "companyId"
        FROM ${rented}
        ORDER BY CASE WHEN numbers.number = ${recipient} THEN 0 ELSE 1 END LIMIT 1`,
  );
  if (found === undefined) return undefined;
  const { number, userId, companyId } = found;
  return { number, owner: { userId, companyId, conversation: '', messageId: null } };
}

function asKnown(
  sms: NewIncoming,
  renter: Renter | undefined,
  lease: Pick<Lease, 'recipient' | 'number'> | undefined,
): NewIncoming {
  if (renter !== undefined) return { ...sms, recipient: renter.number };
  return lease === undefined ? sms : { ...sms, sender: lease.recipient, recipient: lease.number };
}

/** The owner that the SMS would have; undefined if it would belong to nobody. */
export async function findOwner(
  reading: Reading,
  sms: NewIncoming,
): Promise<Pick<IncomingOwner, 'companyId' | 'userId' | 'messageId'> | undefined> {
  return (await findRenter(reading, sms))?.owner ?? (await findAnsweredBy(reading, sms))?.lease;
}

/** The user or job whose two-way SMS from this number to this phone is answered. */
function findAnsweredBy(
  reading: Reading,
  { sender, recipient, text, receivedAt, firstPart }: NewIncoming,
): ReturnType<typeof findAnswered> {
  return findAnswered(reading, { number: recipient, phone: sender, at: firstPart?.at ?? receivedAt, text });
}

export interface UnreadIncomingQuery extends ReadOwner {
  /** The last row of the previous page. */
  readonly after?: Pick<IncomingRow, 'received_at' | 'id'> | undefined;
  readonly limit: number;
  /** Whether the newest come first instead of the oldest. */
  readonly latest: boolean;
  readonly withOriginal: boolean;
}

export interface IncomingIdQuery extends ReadOwner {
  readonly ids: readonly number[];
  readonly withOriginal: boolean;
}

function columns(withOriginal: boolean) {
  const original = withOriginal
    ? `(SELECT messages.text FROM messages WHERE messages.company_id = incoming_messages.company_id
         AND messages.id = incoming_messages.response_to_id)`
    : 'NULL';
  return raw(
    `id, sender, recipient, text, conversation, response_to_id, received_at, unread, ${original} AS original`,
  );
}

const beforeAll = { received_at: Number.MIN_SAFE_INTEGER, id: 0 };
const afterAll = { received_at: Number.MAX_SAFE_INTEGER, id: 0 };

async function selectUnread(
  reading: Reading,
  { userId, after, limit, latest, withOriginal }: UnreadIncomingQuery,
  marking: boolean,
): Promise<IncomingRow[]> {
  const [direction, beyond, begin] = latest
    ? [raw('DESC'), raw('<'), afterAll]
    : [raw('ASC'), raw('>'), beforeAll];
  const { received_at: at, id } = after ?? begin;
  return reading.all<IncomingRow>(
    sql`SELECT ${columns(withOriginal)} FROM incoming_messages
        WHERE user_id = ${userId} AND unread = 1 AND (received_at, id) ${beyond} (${at}, ${id})
        ORDER BY received_at ${direction}, id ${direction} LIMIT ${limit} ${marking ? skipLocked : noLock}`,
  );
}

function selectByIds(reading: Reading, query: IncomingIdQuery) {
  return reading.all<IncomingRow>(
    sql`SELECT ${columns(query.withOriginal)} FROM incoming_messages
        WHERE id ${oneOf('bigint', query.ids)} AND user_id = ${query.userId}`,
  );
}

async function markRead(transaction: Transaction, rows: readonly IncomingRow[]): Promise<void> {
  const ids = rows.filter((row) => row.unread === 1).map((row) => row.id);
  if (ids.length > 0)
    await transaction.run(sql`UPDATE incoming_messages SET unread = 0 WHERE id ${oneOf('bigint', ids)}`);
}

export const readUnreadIncoming = inTurns(
  readVerb('messages.readUnreadIncoming', (reading, query: UnreadIncomingQuery) =>
    selectUnread(reading, query, false),
  ),
  theCaller,
);

export const takeUnreadIncoming = refusable(
  singleWriteVerb(
    'messages.takeUnreadIncoming',
    async (transaction, query: UnreadIncomingQuery) => {
      const rows = await selectUnread(transaction, query, true);
      await markRead(transaction, rows);
      return rows;
    },
    ({ limit }) => Math.min(limit, 1_000),
  ),
);

export const readIncomingById = inTurns(
  readVerb('messages.readIncomingById', (reading, query: IncomingIdQuery) =>
    Promise.resolve(selectByIds(reading, query)),
  ),
  theCaller,
);

export const takeIncomingById = refusable(
  singleWriteVerb(
    'messages.takeIncomingById',
    async (transaction, query: IncomingIdQuery) => {
      const rows = await selectByIds(transaction, query);
      await markRead(transaction, rows);
      return rows;
    },
    ({ ids }) => ids.length,
  ),
);
