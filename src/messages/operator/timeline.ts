/** Builds the timeline of a message from its rows and from its stored events. */
import { isFinal, type StatusName, stage, status, statusNames } from '../message.ts';
import { isFault } from '../receipts/receipt.ts';
import type { EventKind, StoredEvent } from '../timeline-store.ts';

export interface TimelineEntry {
  readonly at: number;
  readonly what: EventKind | 'accepted' | 'claimed' | 'taken' | 'cancelled';
  readonly part?: number | undefined;
  /** In how many it was cut: 1 where a longer message went in one piece. */
  readonly parts?: number | undefined;
  readonly carrier?: string | undefined;
  readonly toCarrier?: string | undefined;
  readonly attempt?: number | undefined;
  readonly node?: number | undefined;
  readonly carrierMessageId?: string | undefined;
  /** When it was written to the carrier, where the carrier knows. */
  readonly submittedAt?: number | undefined;
  readonly scheduledFor?: number | undefined;
  readonly againAt?: number | undefined;
  readonly status?: StatusName | undefined;
  readonly errorCode?: string | undefined;
  readonly reason?: string | undefined;
  /** A receipt as it came. */
  readonly receipt?: string | undefined;
}

export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** Events between the first and the latest that were not kept. */
  readonly leftOut: number;
}

interface ToldPart {
  readonly part: number;
  readonly parts: number;
  readonly carrier: string;
  readonly carrierMessageId: string;
  readonly submittedAt: number | null;
  readonly answeredAt: number;
  readonly status: number;
  readonly changedAt: number;
  readonly errorCode: string | null;
  readonly receipt: string | null;
}

interface ToldMessage {
  readonly parts: number;
  readonly carrier: string;
  readonly status: number;
  readonly changedAt: number;
  readonly reason: string | null;
  readonly stage: number | null;
  readonly dueAt: number | null;
  readonly nodeId: number | null;
  readonly claimedAt: number | null;
  readonly createdAt: number;
  readonly attempts: number;
  readonly expiredByTimer: number;
  readonly taken: readonly ToldPart[];
}

export function timelineOf(message: ToldMessage, events: readonly StoredEvent[]): Timeline {
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
  // Of the same millisecond they stay as they stand above, which is how one leads to the other.
  return { entries: entries.sort((a, b) => a.at - b.at), leftOut: (events.at(-1)?.seq ?? 0) - events.length };
}

function accepted(message: ToldMessage, events: readonly StoredEvent[]): TimelineEntry {
  const { createdAt: at, dueAt } = message;
  // One that was held since says so itself.
  const isScheduled = message.stage === stage.scheduled && !events.some(({ kind }) => kind === 'held');
  const scheduledFor = isScheduled ? (dueAt ?? undefined) : undefined;
  const carrier = events.find((event) => event.carrier !== null)?.carrier ?? message.carrier;
  return { at, what: 'accepted', carrier, scheduledFor };
}

/** The end of an attempt tells when it began as well. */
function toEntries(event: StoredEvent, message: ToldMessage): readonly TimelineEntry[] {
  const carrier = event.carrier ?? undefined;
  const told: TimelineEntry = {
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
    reason: event.reason ?? undefined,
    receipt: event.receipt ?? undefined,
  };
  const { attempt, node } = told;
  return event.claimedAt === null
    ? [told]
    : [{ at: event.claimedAt, what: 'claimed', carrier, attempt, node }, told];
}

/** That of the latest attempt, unless an event tells how it ended. */
function lastClaim(message: ToldMessage, events: readonly StoredEvent[]): readonly TimelineEntry[] {
  const { attempts: attempt, carrier, nodeId } = message;
  const at = message.stage === stage.inFlight ? message.dueAt : message.claimedAt;
  if (at === null || events.some((event) => event.claimedAt !== null && event.attempt === attempt)) return [];
  return [{ at, what: 'claimed', carrier, attempt, node: nodeId ?? undefined }];
}

function partsOf({ taken, parts }: ToldMessage, part: number): number {
  return taken.find((one) => one.part === part)?.parts ?? parts;
}

function taken({ answeredAt, part, parts, carrier, carrierMessageId, submittedAt }: ToldPart): TimelineEntry {
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

/** The last word on each part; receipts that came before that are events. */
function lastReceipts(message: ToldMessage, events: readonly StoredEvent[]): readonly TimelineEntry[] {
  // The only part of a message has its status, which may be our own word.
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

/** By an operator or with its batch, unless it is a carrier's word on a part that it took. */
function cancelled({ status: code, changedAt: at, reason, taken }: ToldMessage): readonly TimelineEntry[] {
  const isCancelled = code === status.CANCELED || code === status.DELETED;
  if (!isCancelled || taken.some((part) => part.status === code)) return [];
  return [{ at, what: 'cancelled', status: statusNames[code], reason: reason ?? undefined }];
}

const iso = (time: number) => new Date(time).toISOString();

/** What an entry tells beside its columns, for people: `again at 2026-11-21T09:10:00.000Z: the SMSC refused it: …`. */
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
