/**
 * Reads everything there is to see of a message, with its timeline, for the operator and for users who may see it, and
 * everything of incoming SMS that belong to nobody.
 */

import type { Caller } from '../../accounts/caller.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { type Sentence, shownReason } from '../../foundation/sentences.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import type { Context } from '../../storage/context.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import { bigint, expression, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import { ofAnyCompany } from '../every-company.ts';
import { isFinal, parseMessageId, type StatusName, stage, status, statusNames } from '../message.ts';
import { isFault } from '../receipts/receipt.ts';
import { errorCodeOf } from '../receipts/store.ts';
import { simulated } from '../simulated.ts';
import { type EventKind, readEvents, type StoredEvent } from '../timeline-store.ts';

const inspectedPart = new StoredRecord({
  part: bigint,
  /** 1 even for a message of several parts if it went in one piece. */
  parts: bigint,
  carrier: expression('COALESCE(carriers.name, CAST(carrier_id AS TEXT))', text),
  submittedAt: nullable(bigint),
  answeredAt: expression('COALESCE(answered_at, changed_at)', bigint),
  carrierMessageId: text,
  status: bigint,
  changedAt: bigint,
  errorCode: nullable(text),
  /** The text of the receipt that decided its final status. */
  receipt: nullable(text),
});

type InspectedPart = Kept<typeof inspectedPart>;

export interface TimelineEntry {
  readonly at: number;
  readonly what: EventKind | 'accepted' | 'claimed' | 'taken' | 'cancelled';
  readonly part?: number | undefined;
  /** How many parts the message was split into: 1 for a longer message that went in one piece. */
  readonly parts?: number | undefined;
  readonly carrier?: string | undefined;
  readonly toCarrier?: string | undefined;
  readonly attempt?: number | undefined;
  readonly node?: number | undefined;
  readonly carrierMessageId?: string | undefined;
  /** When the part was written to the carrier, if the carrier knows. */
  readonly submittedAt?: number | undefined;
  readonly scheduledFor?: number | undefined;
  readonly againAt?: number | undefined;
  readonly status?: StatusName | undefined;
  readonly errorCode?: string | undefined;
  readonly reason?: string | undefined;
  /** The server's sentence that the reason consists of; undefined if the reason is a carrier's own text. */
  readonly reasonValues?: Sentence | undefined;
  /** The receipt as received. */
  readonly receipt?: string | undefined;
}

interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** How many events between the first ones and the latest were not kept. */
  readonly leftOut: number;
}

/** The fields of each message that lists show. */
const listedFields = {
  id: bigint,
  recipient: text,
  sender: text,
  status: bigint,
  parts: bigint,
  createdAt: bigint,
  changedAt: bigint,
  /** Null unless it is scheduled. */
  scheduledAt: expression(
    `CASE WHEN messages.status = ${status.SCHEDULED} THEN messages.due_at END`,
    nullable(bigint),
  ),
  batchId: nullable(bigint),
  conversation: text,
  costCenter: text,
  simulated,
  username: expression(
    `COALESCE((SELECT username FROM users WHERE users.id = messages.user_id),
      CAST(messages.user_id AS TEXT))`,
    text,
  ),
};

export const listedMessage = new StoredRecord(listedFields);
export type ListedMessage = Kept<typeof listedMessage>;

const inspectedMessage = new StoredRecord({
  ...listedFields,
  companyId: bigint,
  userId: bigint,
  text,
  flash: bigint,
  /** A code of `wire/category.ts`. */
  category: nullable(bigint),
  callbackId: nullable(bigint),
  expiresAt: bigint,
  attempts: bigint,
  inDoubt: bigint,
  stage: nullable(bigint),
  dueAt: nullable(bigint),
  nodeId: nullable(bigint),
  claimedAt: nullable(bigint),
  expiredByTimer: bigint,
  reason: nullable(text),
  /** The final receipt of a message that has one part or went in one piece; others have one per part. */
  receipt: nullable(text),
  company: expression(
    `COALESCE((SELECT name FROM companies WHERE companies.id = messages.company_id),
      CAST(messages.company_id AS TEXT))`,
    text,
  ),
  /** 1 when the message was sent from a number of the reply pool. */
  isFromPool: expression(
    `CASE WHEN EXISTS (SELECT 1 FROM numbers WHERE number = messages.sender AND pool = 1)
      THEN 1 ELSE 0 END`,
    bigint,
  ),
  carrier: expression(
    `COALESCE((SELECT name FROM carriers WHERE carriers.id = messages.carrier_id),
      CAST(messages.carrier_id AS TEXT))`,
    text,
  ),
  /** The sending whose range of ids contains the message. */
  sendingId: expression(
    `(SELECT CASE WHEN sendings.id + sendings.messages > messages.id THEN sendings.id END
      FROM sendings WHERE sendings.company_id = messages.company_id AND sendings.id <= messages.id
      ORDER BY sendings.id DESC LIMIT 1)`,
    nullable(bigint),
  ),
});

type InspectedRow = Kept<typeof inspectedMessage>;

export interface InspectedMessage extends InspectedRow {
  readonly taken: readonly InspectedPart[];
  readonly timeline: Timeline;
}

/** If `of` is null, any message is found by its id alone. */
export async function inspect(
  reading: Reading,
  id: number,
  of: Visibility | null,
): Promise<InspectedMessage | null> {
  const message = await inspectedMessage.first(reading, 'messages')`
    FROM messages WHERE ${await isVisible(reading, of)} AND messages.id = ${id}`;
  if (message === undefined) return null;
  const taken = await inspectedPart.all(reading)`
    FROM message_parts LEFT JOIN carriers ON carriers.id = carrier_id
    WHERE company_id = ${message.companyId} AND message_id = ${id} ORDER BY part`;
  const details = {
    ...message,
    taken: taken.map((part) => (part.parts === 1 ? onlyPart(part, message) : part)),
  };
  const code = errorCodeOf(message.reason);
  const reason = code !== null && !isFault(code) ? null : message.reason;
  return {
    ...details,
    reason,
    timeline: timelineOf(details, await readEvents(reading, message.companyId, id)),
  };
}

export const inspectMessage = readVerb('messages.inspect', (reading, id: number) =>
  inspect(reading, id, null),
);

/** Reads one message for a user who may see it. Viewing a message that someone else has sent is recorded in the audit log. */
export async function readMessage(
  { store, clock }: Context,
  caller: Caller,
  id: string,
): Promise<InspectedMessage> {
  const messageId = parseMessageId(id);
  const visible = visibilityOf(caller);
  const found = messageId === undefined ? null : await store.read(readVisible, { ...visible, id: messageId });
  if (found === null) throw new ServiceError('not_found', { sentence: 'none_such', noun: 'message', id });
  const { companyId, userId, username } = found;
  if (userId !== caller.userId)
    await store.write(noteLook, {
      companyId,
      at: clock.now(),
      by: byUser(caller),
      act: 'message.read',
      object: String(messageId),
      details: { sentence: 'of_user', user: username },
    });
  return found;
}

/** Null also for someone else's message. */
export const readVisible = readVerb(
  'messages.readVisible',
  (reading, { id, ...of }: Visibility & { readonly id: number }) => inspect(reading, id, of),
);

/** A message of any company is looked up through the companies, since its key begins with the company. */
export async function isVisible(reading: Reading, of: Visibility | null): Promise<Sql> {
  if (of === null) return sql`messages.company_id ${await ofAnyCompany(reading)}`;
  const { companyId, userId } = of;
  const isTheirs = userId === null ? sql`` : sql`AND messages.user_id = ${userId}`;
  return sql`messages.company_id = ${companyId} ${isTheirs}`;
}

/** Receipts change the row of a message that has one part or went in one piece, not the row of the part. */
function onlyPart(part: InspectedPart, message: InspectedRow): InspectedPart {
  const { status, changedAt, reason, receipt } = message;
  return { ...part, status, changedAt, errorCode: errorCodeOf(reason), receipt };
}

type MessageDetails = Omit<InspectedMessage, 'timeline'>;

/** Builds the timeline from a message's rows and stored events. */
function timelineOf(message: MessageDetails, events: readonly StoredEvent[]): Timeline {
  const isReceipt = ({ kind }: StoredEvent) => kind === 'receipt' || kind === 'receipt ignored';
  const entries = [
    accepted(message, events),
    ...events.filter((event) => !isReceipt(event)).flatMap((event) => toEntries(event, message)),
    ...lastClaim(message, events),
    ...message.taken.map(taken),
    ...lastReceipts(message, events),
    ...cancelled(message),
    ...events.filter(isReceipt).flatMap((event) => toEntries(event, message)),
  ];
  // Entries of the same millisecond keep the order above, in which each leads to the next.
  return { entries: entries.sort((a, b) => a.at - b.at), leftOut: (events.at(-1)?.seq ?? 0) - events.length };
}

function accepted(message: MessageDetails, events: readonly StoredEvent[]): TimelineEntry {
  const { createdAt: at, dueAt } = message;
  // The time until which a message was held later is in the event for that, not here.
  const isScheduled = message.stage === stage.scheduled && !events.some(({ kind }) => kind === 'held');
  const scheduledFor = isScheduled ? (dueAt ?? undefined) : undefined;
  const carrier = events.find((event) => event.carrier !== null)?.carrier ?? message.carrier;
  return { at, what: 'accepted', carrier, scheduledFor };
}

/** The end of an attempt also says when it began. */
function toEntries(event: StoredEvent, message: MessageDetails): readonly TimelineEntry[] {
  const carrier = event.carrier ?? undefined;
  const entry: TimelineEntry = {
    at: event.at,
    what: event.kind,
    part: event.part ?? undefined,
    parts: event.part === null ? undefined : partsOf(message, event.part),
    carrier,
    toCarrier: event.toCarrier ?? undefined,
    attempt: event.attempt ?? undefined,
    node: event.nodeId ?? undefined,
    carrierMessageId: event.carrierMessageId ?? undefined,
    againAt: event.againAt ?? undefined,
    status: event.status === null ? undefined : statusNames[event.status],
    errorCode: event.errorCode ?? undefined,
    ...shownReason(event.reason),
    receipt: event.receipt ?? undefined,
  };
  const { attempt, node } = entry;
  return event.claimedAt === null
    ? [entry]
    : [{ at: event.claimedAt, what: 'claimed', carrier, attempt, node }, entry];
}

/** The claim of the latest attempt, unless an event says how it ended. */
function lastClaim(message: MessageDetails, events: readonly StoredEvent[]): readonly TimelineEntry[] {
  const { attempts: attempt, carrier, nodeId } = message;
  const at = message.stage === stage.inFlight ? message.dueAt : message.claimedAt;
  if (at === null || events.some((event) => event.claimedAt !== null && event.attempt === attempt)) return [];
  return [{ at, what: 'claimed', carrier, attempt, node: nodeId ?? undefined }];
}

function partsOf({ taken, parts }: MessageDetails, part: number): number {
  return taken.find((one) => one.part === part)?.parts ?? parts;
}

function taken({
  answeredAt,
  part,
  parts,
  carrier,
  carrierMessageId,
  submittedAt,
}: InspectedPart): TimelineEntry {
  return {
    at: answeredAt,
    what: 'taken',
    part,
    parts,
    carrier,
    carrierMessageId,
    submittedAt: submittedAt ?? undefined,
  };
}

/** The final receipt of each part; earlier receipts are events. */
function lastReceipts(message: MessageDetails, events: readonly StoredEvent[]): readonly TimelineEntry[] {
  // The only part of a message has the message's status, which the server itself may have set.
  const isOwnWord = message.expiredByTimer === 1 || events.some(({ kind }) => kind === 'refused');
  return message.taken
    .filter((part) => isFinal(part.status) && !(part.parts === 1 && isOwnWord))
    .map(({ changedAt: at, part, parts, carrier, status: code, errorCode, receipt }) => ({
      at,
      what: 'receipt' as const,
      part,
      parts,
      carrier,
      status: statusNames[code],
      errorCode: errorCode ?? undefined,
      receipt: receipt ?? undefined,
    }));
}

/**
 * The message was cancelled by an operator or with its batch, unless the carrier reported this status for a part that it
 * took.
 */
function cancelled({ status: code, changedAt: at, reason, taken }: MessageDetails): readonly TimelineEntry[] {
  const isCancelled = code === status.CANCELED || code === status.DELETED;
  if (!isCancelled || taken.some((part) => part.status === code)) return [];
  return [{ at, what: 'cancelled', status: statusNames[code], ...shownReason(reason) }];
}

const iso = (time: number) => new Date(time).toISOString();

/** The details of an entry beyond its columns, for people: `again at 2026-11-21T09:10:00.000Z: the SMSC refused it: …`. */
export function detailOf(entry: TimelineEntry): string {
  const { attempt, node, toCarrier, carrierMessageId, submittedAt, scheduledFor, status: name } = entry;
  const tellsAttempt = attempt !== undefined && (entry.what === 'claimed' || entry.what === 'late answer');
  const facts = [
    ...(tellsAttempt ? [`attempt ${attempt}${node === undefined ? '' : `, node ${node}`}`] : []),
    ...(toCarrier === undefined ? [] : [`to ${toCarrier}`]),
    ...(carrierMessageId === undefined ? [] : [`as ${carrierMessageId}`]),
    ...(submittedAt === undefined ? [] : [`answered after ${entry.at - submittedAt} ms`]),
    ...(scheduledFor === undefined ? [] : [`scheduled for ${iso(scheduledFor)}`]),
    ...(name === undefined ? [] : [name]),
    ...(entry.errorCode !== undefined && isFault(entry.errorCode)
      ? [`the carrier's code is ${entry.errorCode}`]
      : []),
    ...(entry.againAt === undefined ? [] : [`again at ${iso(entry.againAt)}`]),
  ];
  return [facts.join(', '), entry.reason].filter((text) => text !== undefined && text !== '').join(': ');
}

const unroutedFields = { id: bigint, sender: text, recipient: text, text, receivedAt: bigint };

export const storedUnrouted = new StoredRecord(unroutedFields);

export type UnroutedIncoming = Kept<typeof storedUnrouted>;

/** As the operator sees them. */
const listedUnrouted = new StoredRecord({
  ...unroutedFields,
  /** The company that had the number when the SMS arrived. */
  numberCompanyId: nullable(bigint),
  company: expression(
    '(SELECT name FROM companies WHERE companies.id = incoming_messages.number_company_id)',
    nullable(text),
  ),
});

export type ListedUnrouted = Kept<typeof listedUnrouted>;

interface UnroutedQuery {
  /** Undefined for the latest. */
  readonly after: Cursor | undefined;
  readonly limit: number;
}

/** The incoming SMS that belong to nobody, newest first. */
export const listUnrouted = readVerb('messages.listUnrouted', (reading, { after, limit }: UnroutedQuery) => {
  const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
  return listedUnrouted.all(reading)`
      FROM incoming_messages
      WHERE user_id IS NULL AND (received_at, id) < (${time}, ${id})
      ORDER BY received_at DESC, id DESC LIMIT ${limit}`;
});
