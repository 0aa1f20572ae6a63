/**
 * Accepts messages: stores their rows, the quota that they use and the answer to repeat, in one transaction for many
 * requests.
 */
import { type AuditEntry, recordActs } from '../../audit/audit-log.ts';
import { Packing } from '../../foundation/packing.ts';
import { type CarriersBySender, isNamed, SenderTurns } from '../../routing/carriers-by-sender.ts';
import { byDialect, type Change, fromEach, sql } from '../../storage/sql.ts';
import {
  byKeys,
  inTurns,
  packed,
  type Reading,
  readVerb,
  refusable,
  type Transaction,
  theCaller,
  writeVerb,
} from '../../storage/verb.ts';
import { type CostRefused, changesOfUse, lookAtQuotas, openQuotas } from '../charging.ts';
import { noteSent, type SentSms } from '../conversation-rows.ts';
import { claimKey, type Earlier, forgetKey, type Idempotency } from '../idempotency.ts';
import { stage } from '../message.ts';
import { changeOfLog, type LoggedMessage } from '../message-log.ts';
import { isAlive } from '../nodes/store.ts';
import { barredAmong, type OptOutRule } from '../opted-out.ts';
import { holder, type LeaseBook, leaseAfterValidityMs, type Wanted } from '../pool/lease-book.ts';
import { keepLeases, lockPool, openLeaseBook } from '../pool/leases.ts';
import type { RateLeft } from '../rate.ts';
import { changesOfSendings, type NewSending } from '../sending-rows.ts';
import { type AcceptedRow, acceptedColumns, valueIn, withValues } from './accepted-row.ts';
import { giveReferences, type Referring } from './references-store.ts';

/** One request's messages, fully prepared. */
export interface Acceptance {
  readonly companyId: number;
  readonly userId: number;
  readonly rows: readonly AcceptedRow[];
  /** The SMS parts of all rows. */
  readonly parts: number;
  readonly costCenter: string;
  /** When the call arrived: its messages count as created then, and towards the limits of that minute and day. */
  readonly now: number;
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly idempotency: Idempotency | null;
  /** The node at which the rows are in flight; if other nodes have given it up, they are stored as waiting instead. */
  readonly nodeId: number | null;
  /** Whether somebody listens to the company; absent when nobody does. */
  readonly listened?: boolean;
  /** For two-way SMS, by recipient: the carriers, if they depend on the number. */
  readonly carriers?: ReadonlyMap<string, CarriersBySender>;
  /**
   * For two-way SMS: until when a job waits for the answers. Without it, the user waits for them, for a while after
   * each message has expired.
   */
  readonly jobUntil?: number;
  /** For an answer in a conversation, which is two-way: the only number it is sent from. */
  readonly number?: string;
  /** For a job, by recipient: the code that the text contains if the job shares its number with others. */
  readonly codes?: ReadonlyMap<string, number>;
  /** For a call with several recipients: what people see of it as one thing. */
  readonly sending?: NewSending;
  /** The entry in the audit log for a person who sends; absent for a program, whose messages tell enough. */
  readonly audited?: AuditEntry;
  /** The code of the messages' category; absent for the standard one. */
  readonly category?: number;
  /** What the company does about recipients who have opted out; absent when it does nothing. */
  readonly optOuts?: OptOutRule;
  /** The webhook that is posted to at the `callbackurl` of the call; absent without one. */
  readonly callbackId?: number;
}

export type Accepted =
  | Earlier
  | {
      readonly kind: 'accepted';
      readonly inFlight: boolean;
      /** The references of multipart messages in flight, by message id. */
      readonly references?: ReadonlyMap<number, number>;
      /** What is left of the limits of the account and its company; absent if there are none. */
      readonly rateLeft?: readonly RateLeft[];
    }
  | CostRefused
  /** These recipients have opted out, so nothing was stored. */
  | { readonly kind: 'optedOut'; readonly recipients: ReadonlySet<string> }
  /**
   * For two-way SMS: these recipients cannot be reached from any number of the pool, so nothing was stored. For a job,
   * `codes` holds the recipients that can be reached with a text that contains the code.
   */
  | {
      readonly kind: 'noPoolNumber';
      readonly recipients: ReadonlySet<string>;
      readonly codes: ReadonlyMap<string, number>;
    };

/** What most calls consist of. */
const acceptances = new Packing<Acceptance>(
  'companyId',
  'userId',
  'rows',
  'parts',
  'costCenter',
  'now',
  'month',
  'idempotency',
  'nodeId',
  'listened',
);

export const acceptMessages = packed(
  acceptances,
  byKeys(
    refusable(
      writeVerb<Acceptance, Accepted>(
        'messages.accept',
        (transaction, inputs) => accept(transaction, inputs, 'asGiven'),
        (input) => input.rows.length,
      ),
    ),
  ),
);

/**
 * Like `acceptMessages`, but for two-way SMS, whose senders are chosen here. It is a separate verb, so that nothing else
 * waits for the pool lock.
 */
export const acceptTwoWay = refusable(
  writeVerb<Acceptance, Accepted>(
    'messages.acceptTwoWay',
    async (transaction, inputs) => {
      await lockPool(transaction);
      return accept(transaction, inputs, 'fromPool');
    },
    (input) => input.rows.length,
  ),
);

/**
 * Accepts messages as a step of a larger transaction, for rooms that store their own rows with the messages. The outcomes
 * are in the order of the acceptances. A transaction that changes conversations in other ways too notes the two-way SMS itself,
 * after that: it must hold no conversation while it waits for another.
 */
export async function acceptWithin(
  transaction: Transaction,
  acceptances: readonly Acceptance[],
  senders: 'asGiven' | 'fromPool',
  note: NoteSent = noteSent,
): Promise<readonly Accepted[]> {
  if (acceptances.length === 0) return [];
  if (senders === 'fromPool') await lockPool(transaction);
  return accept(transaction, acceptances, senders, note);
}

type NoteSent = (transaction: Transaction, sent: readonly SentSms[]) => Promise<unknown>;

/** The ids of the acceptance's messages, in the order of their rows. */
export function messageIdsIn({ rows }: Acceptance): readonly number[] {
  return rows.map((row) => valueIn(row, 'id'));
}

/** The expected result of an acceptance. */
export type Foreseen =
  | Extract<Accepted, { kind: 'noPoolNumber' | 'optedOut' }>
  | {
      readonly kind: 'dryRun';
      /** Absent if the acceptance would succeed. */
      readonly refused: CostRefused | undefined;
      /**
       * For two-way SMS, in the order of the rows: the pool numbers that they would be sent from, and their carriers.
       */
      readonly chosen: readonly { readonly sender: string; readonly carrierId: number }[];
    };

/** Follows the rules of `messages.accept` and `messages.acceptTwoWay`, but locks, takes, leases and stores nothing. */
export const dryRunAccept = inTurns(
  readVerb(
    'messages.dryRunAccept',
    async (
      reading,
      { acceptance, twoWay }: { readonly acceptance: Acceptance; readonly twoWay: boolean },
    ): Promise<Foreseen> => {
      const [recipients] = (await optedOutOf(reading, [acceptance])).values();
      if (recipients !== undefined) return { kind: 'optedOut', recipients };
      const book = twoWay ? await openLeaseBook(reading, bookFor([acceptance])) : undefined;
      const unserved = book && unservedBy(book, acceptance);
      if (unserved !== undefined) return unserved;
      const { rows } = book === undefined ? acceptance : fromPool(book, acceptance);
      const quotas = await lookAtQuotas(reading, [acceptance]);
      return {
        kind: 'dryRun',
        refused: quotas.take(acceptance, acceptance.now, 'call'),
        chosen: rows.map((row) => ({
          sender: valueIn(row, 'sender'),
          carrierId: valueIn(row, 'carrier_id'),
        })),
      };
    },
  ),
  ({ acceptance }) => theCaller(acceptance),
);

/** References come last and all at once, since their slots are locked in one order, and other transactions lock them too. */
async function accept(
  transaction: Transaction,
  inputs: readonly Acceptance[],
  senders: 'asGiven' | 'fromPool',
  note: NoteSent = noteSent,
): Promise<Accepted[]> {
  const answers = await takeIn(transaction, inputs, senders, note);
  const inFlight = inputs.filter((_, index) => isInFlight(answers[index]));
  const references = await giveReferences(transaction, inFlight.flatMap(referringOf));
  if (references.size === 0) return answers;
  return answers.map((answer) => (isInFlight(answer) ? { ...answer, references } : answer));
}

function isInFlight(answer: Accepted | undefined): answer is Extract<Accepted, { kind: 'accepted' }> {
  return answer?.kind === 'accepted' && answer.inFlight;
}

async function takeIn(
  transaction: Transaction,
  inputs: readonly Acceptance[],
  senders: 'asGiven' | 'fromPool',
  note: NoteSent,
): Promise<Accepted[]> {
  const earlier: (Earlier | null)[] = [];
  for (const input of inputs)
    earlier.push(input.idempotency && (await claimKey(transaction, input, input.idempotency)));
  const fresh = inputs.filter((_, index) => earlier[index] === null);
  const { stored, refusals, rates, changes, livingNodes } = await serve(transaction, fresh, senders);
  await insertMessages(transaction, [...stored.values()], changes, livingNodes);
  if (senders === 'fromPool') await note(transaction, [...stored.values()].flatMap(sentIn));
  const answers = inputs.map((input, index): Accepted => {
    if (!stored.has(input)) return (earlier[index] ?? refusals.get(input)) as Accepted;
    const inFlight = input.nodeId !== null && livingNodes.has(input.nodeId);
    const left = rates.get(input);
    return left === undefined
      ? { kind: 'accepted', inFlight }
      : { kind: 'accepted', inFlight, rateLeft: left };
  });

  const refused = [...refusals.keys()];
  if (refused.length === 0) return answers;
  // The answer of a refused request is not kept, so the caller may try again with the same key.
  for (const input of refused) await forgetKey(transaction, input);
  // Other requests of this set with the same key do not get this answer either: they are tried now.
  const freed = new Set(refused.map(ownKey));
  const again = [...inputs.entries()].filter(
    ([index, input]) => earlier[index] !== null && freed.has(ownKey(input)),
  );
  if (again.length === 0) return answers;
  const retried = await takeIn(
    transaction,
    again.map(([, input]) => input),
    senders,
    note,
  );
  for (const [place, [index]] of again.entries()) answers[index] = retried[place] as Accepted;
  return answers;
}

interface Served {
  /** The accepted requests, and the form in which each is to be stored. */
  readonly stored: ReadonlyMap<Acceptance, Acceptance>;
  readonly refusals: ReadonlyMap<Acceptance, Accepted>;
  /** What is left to the accounts that have limits. */
  readonly rates: ReadonlyMap<Acceptance, readonly RateLeft[]>;
  readonly changes: readonly Change[];
  /** Those of the requests' nodes that are alive. */
  readonly livingNodes: ReadonlySet<number>;
}

/** Requests are accepted one after the other, since quotas and numbers taken by one are not available to the next. */
async function serve(
  transaction: Transaction,
  inputs: readonly Acceptance[],
  senders: 'asGiven' | 'fromPool',
): Promise<Served> {
  const stored = new Map<Acceptance, Acceptance>();
  const refusals = new Map<Acceptance, Accepted>();
  const rates = new Map<Acceptance, readonly RateLeft[]>();
  if (inputs.length === 0) return { stored, refusals, rates, changes: [], livingNodes: new Set() };
  const book = senders === 'asGiven' ? undefined : await openLeaseBook(transaction, bookFor(inputs));
  const optedOut = await optedOutOf(transaction, inputs);
  const [quotas, livingNodes] = await Promise.all([
    openQuotas(transaction, inputs),
    livingAmong(transaction, inputs),
  ]);
  for (const input of inputs) {
    const recipients = optedOut.get(input);
    const unserved = recipients ? undefined : book && unservedBy(book, input);
    if (recipients !== undefined) refusals.set(input, { kind: 'optedOut', recipients });
    else if (unserved !== undefined) refusals.set(input, unserved);
    else {
      const refused = quotas.take(input, input.now, 'call');
      if (refused !== undefined) {
        refusals.set(input, refused);
        continue;
      }
      stored.set(input, book === undefined ? input : fromPool(book, input));
      const left = quotas.rateLeft(input, input.now);
      if (left !== undefined) rates.set(input, left);
    }
  }
  if (book !== undefined) await keepLeases(transaction, book);
  return { stored, refusals, rates, changes: quotas.changesOfRate(), livingNodes };
}

function ownKey({ userId, idempotency }: Acceptance): string {
  return `${userId}/${idempotency?.key ?? ''}`;
}

async function livingAmong(
  transaction: Transaction,
  inputs: readonly Acceptance[],
): Promise<ReadonlySet<number>> {
  const livingNodes = new Set<number>();
  for (const nodeId of new Set(inputs.map((input) => input.nodeId))) {
    if (nodeId !== null && (await isAlive(transaction, nodeId))) livingNodes.add(nodeId);
  }
  return livingNodes;
}

async function insertMessages(
  transaction: Transaction,
  inputs: readonly Acceptance[],
  changes: readonly Change[],
  livingNodes: ReadonlySet<number>,
): Promise<void> {
  if (inputs.length === 0) return;
  const rowsOf = (input: Acceptance) =>
    input.nodeId === null || livingNodes.has(input.nodeId) ? input.rows : input.rows.map(asWaiting);
  const ordinary = inputs.filter((input) => !hasMore(input));
  const unheard = ordinary.filter(({ listened }) => !listened);
  const heard = ordinary.filter(({ listened }) => listened);
  await transaction.together([
    ...changesOfUse(inputs.map((input) => ({ ...input, messages: input.rows.length }))),
    ...changes,
    { columns: acceptedColumns, rows: unheard.flatMap(rowsOf), change: { into: 'messages' } },
    ...insertsOfTracked(heard.flatMap(rowsOf)),
    ...(ordinary.length === inputs.length ? [] : insertsWithMore(inputs.filter(hasMore), rowsOf)),
    changeOfLog(inputs.flatMap(({ rows }) => rows.map(loggedOf))),
    ...changesOfSendings(inputs.flatMap(({ sending }) => sending ?? [])),
  ]);
  await recordActs(
    transaction,
    inputs.flatMap(({ audited }) => audited ?? []),
  );
}

const listenedColumns = { ...acceptedColumns, listened: 'smallint' } as const;
const changeColumns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'smallint',
  changed_at: 'bigint',
} as const;

/** Writes the same as the triggers (`storage/change-tables.ts`). */
const tellOfEach = sql`INSERT INTO changes
    (${byDialect({ sqlite: 'place, ', postgres: '' })}company_id, kind, subject_id, status, changed_at)
  SELECT ${byDialect({ sqlite: '(SELECT COALESCE(MAX(place), 0) + 1 FROM changes), ', postgres: '' })}
    each.company_id, 0, each.id, each.status, each.changed_at ${fromEach}`;

/**
 * Inserts messages that somebody listens to, with their entries in the journal of changes. Updating the rows just inserted,
 * and the trigger on these updates, took PostgreSQL 19 µs per message and SQLite 5.
 */
export function insertsOfTracked(rows: readonly AcceptedRow[]): readonly Change[] {
  return [
    { columns: listenedColumns, rows: rows.map((row) => [...row, 1]), change: { into: 'messages' } },
    tellOf(rows),
  ];
}

/**
 * Stores messages that can't be sent and have ended, so that those who were promised them hear of their end as of any other.
 * Nothing is charged.
 */
export async function keepRejected(transaction: Transaction, rows: readonly AcceptedRow[]): Promise<void> {
  await transaction.together([...insertsOfTracked(rows), changeOfLog(rows.map(loggedOf))]);
}

function tellOf(rows: readonly AcceptedRow[]): Change {
  const changes = rows.map((row) => [
    valueIn(row, 'company_id'),
    valueIn(row, 'id'),
    valueIn(row, 'status'),
    valueIn(row, 'changed_at'),
  ]);
  return { columns: changeColumns, rows: changes, change: tellOfEach };
}

const moreColumns = { ...listenedColumns, category: 'smallint', callback_id: 'bigint' } as const;

/** Messages of the standard category without a callback URL, which most are, are inserted without these columns. */
function hasMore({ category, callbackId }: Acceptance): boolean {
  return category !== undefined || callbackId !== undefined;
}

function insertsWithMore(
  some: readonly Acceptance[],
  rowsOf: (input: Acceptance) => readonly AcceptedRow[],
): readonly Change[] {
  const rows = some.flatMap((input) => {
    const { listened, category = null, callbackId = null } = input;
    return rowsOf(input).map((row) => [...row, listened ? 1 : 0, category, callbackId]);
  });
  const heard = some.filter(({ listened }) => listened).flatMap(rowsOf);
  return [{ columns: moreColumns, rows, change: { into: 'messages' } }, tellOf(heard)];
}

/** The recipients who have opted out, by input. */
async function optedOutOf(
  reading: Reading,
  inputs: readonly Acceptance[],
): Promise<ReadonlyMap<Acceptance, ReadonlySet<string>>> {
  const asked = inputs.flatMap((input) => {
    const { companyId, optOuts, category = null, rows } = input;
    if (optOuts === undefined) return [];
    return rows.map((row) => ({
      companyId,
      phone: valueIn(row, 'recipient'),
      category,
      rule: optOuts,
      input,
    }));
  });
  const optedOut = new Map<Acceptance, Set<string>>();
  for (const { input, phone } of await barredAmong(reading, asked))
    optedOut.set(input, (optedOut.get(input) ?? new Set<string>()).add(phone));
  return optedOut;
}

function bookFor(inputs: readonly Acceptance[]) {
  const recipients = inputs.flatMap(({ rows }) => rows.map((row) => valueIn(row, 'recipient')));
  const companyIds = inputs.map(({ companyId }) => companyId);
  return { companyIds: [...new Set(companyIds)], recipients: [...new Set(recipients)] };
}

function loggedOf(row: AcceptedRow): LoggedMessage {
  return {
    company_id: valueIn(row, 'company_id'),
    created_at: valueIn(row, 'created_at'),
    id: valueIn(row, 'id'),
    user_id: valueIn(row, 'user_id'),
    recipient: valueIn(row, 'recipient'),
    conversation: valueIn(row, 'conversation'),
  };
}

export function sentIn({ userId, rows }: Acceptance): readonly SentSms[] {
  return rows.map((row) => ({
    id: valueIn(row, 'id'),
    userId,
    sender: valueIn(row, 'sender'),
    recipient: valueIn(row, 'recipient'),
    createdAt: valueIn(row, 'created_at'),
  }));
}

/** The messages with several parts. */
function referringOf({ companyId, rows }: Acceptance): readonly Referring[] {
  const some = rows.filter((row) => valueIn(row, 'parts') > 1);
  return some.map((row) => {
    return { company_id: companyId, id: valueIn(row, 'id'), recipient: valueIn(row, 'recipient') };
  });
}

function unservedBy(
  book: LeaseBook,
  input: Acceptance,
): Extract<Accepted, { kind: 'noPoolNumber' }> | undefined {
  const rows = input.rows.filter((row) => !book.canLease(wantedFor(input, row), input.now));
  if (rows.length === 0) return undefined;
  const codes = new Map<string, number>();
  for (const row of rows) {
    const code = book.codeFor(wantedFor(input, row), input.now);
    if (code !== undefined) codes.set(valueIn(row, 'recipient'), code);
  }
  return { kind: 'noPoolNumber', recipients: new Set(rows.map((row) => valueIn(row, 'recipient'))), codes };
}

/** Replaces the sender of each message by the number leased for it. */
function fromPool(book: LeaseBook, input: Acceptance): Acceptance {
  const turns = new SenderTurns();
  const rows = input.rows.map((row) => {
    // Every row is known to get a number.
    const sender = book.lease(wantedFor(input, row), input.now) as string;
    const carriers = input.carriers?.get(valueIn(row, 'recipient'));
    const carrierId = carriers && turns.carrierFrom(carriers, sender);
    return withValues(row, { sender, carrier_id: carrierId ?? valueIn(row, 'carrier_id') });
  });
  return { ...input, rows };
}

function wantedFor(
  { companyId, userId, carriers, jobUntil, codes, number }: Acceptance,
  row: AcceptedRow,
): Wanted {
  return {
    ...(number === undefined
      ? numbersFor(carriers?.get(valueIn(row, 'recipient')))
      : { only: new Set([number]) }),
    recipient: valueIn(row, 'recipient'),
    messageId: valueIn(row, 'id'),
    companyId,
    userId,
    conversation: valueIn(row, 'conversation'),
    holder: jobUntil === undefined ? holder.message : holder.job,
    code: codes?.get(valueIn(row, 'recipient')),
    startsAt: valueIn(row, 'due_at'),
    endsAt: jobUntil ?? valueIn(row, 'expires_at') + leaseAfterValidityMs,
  };
}

/** If only some numbers have routes, the message is sent from one of them. */
function numbersFor(carriers: CarriersBySender | undefined): Pick<Wanted, 'only'> {
  if (carriers === undefined || carriers.hasOthers) return {};
  return { only: { has: (number) => isNamed(carriers, number) } };
}

function asWaiting(row: AcceptedRow): AcceptedRow {
  return withValues(row, { stage: stage.waiting, node_id: null, attempts: 0 });
}
