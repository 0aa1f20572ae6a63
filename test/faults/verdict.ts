/** The outcome of a line's messages according to the store and to its peer, which shares no code with ours. */
import { readReason } from '../../src/foundation/sentences.ts';
import { type StatusName, stage, status, statusNames } from '../../src/messages/message.ts';
import type { WholeApp } from '../harness/app.ts';
import { query } from '../harness/messaging.ts';
import type { Line } from './line.ts';

export interface StoredMessage {
  readonly id: string;
  readonly recipient: string;
  readonly status: number;
  readonly stage: number | null;
  readonly inDoubt: boolean;
  readonly parts: number;
  readonly reason: string;
}

export interface Verdict {
  readonly acknowledged: number;
  readonly inDoubt: number;
  /** Messages not stored, or reported as sent although the peer never received all of their parts. */
  readonly lost: readonly string[];
  /** Parts that the peer accepted more than once, of messages not marked as in doubt. */
  readonly twice: readonly string[];
  /** Messages without a final status, or with one that the fault does not cause. */
  readonly unended: readonly string[];
  /** Final statuses that the fault caused, with the number of messages. */
  readonly endedAs: ReadonlyMap<StatusName, number>;
}

export async function readMessages(app: WholeApp): Promise<readonly StoredMessage[]> {
  const rows = await query(app, 'SELECT id, recipient, status, stage, in_doubt, parts, reason FROM messages');
  return rows.map((row) => ({
    id: String(row.id),
    recipient: String(row.recipient),
    status: Number(row.status),
    stage: row.stage === null ? null : Number(row.stage),
    inDoubt: Number(row.in_doubt) > 0,
    parts: Number(row.parts),
    reason: readReason(String(row.reason ?? '')).text,
  }));
}

/** Whether all messages of a line are final, except those that only expire. */
export function hasSettled(
  line: Line,
  messages: readonly StoredMessage[],
  ends: readonly StatusName[] = [],
): boolean {
  const own = messages.filter(({ recipient }) => recipient.startsWith(line.prefix));
  const isOpen = (one: StoredMessage) =>
    one.stage !== null && !(ends.includes('EXPIRED') && one.stage === stage.awaitingReceipt);
  // Some messages may be newer than this query.
  return own.length >= line.acknowledged.size && !own.some(isOpen);
}

export function judge(
  line: Line,
  messages: readonly StoredMessage[],
  ends: readonly StatusName[] = [],
): Verdict {
  const own = messages.filter(({ recipient }) => recipient.startsWith(line.prefix));
  const byId = new Map(own.map((message) => [message.id, message]));
  const missing = [...line.acknowledged.keys()].filter((id) => !byId.has(id));
  const promised = new Set([status.DELIVERED, ...ends.map((name) => status[name])]);
  const endedAs = new Map<StatusName, number>();
  for (const one of own) {
    const name = statusNames[one.status] as StatusName;
    endedAs.set(name, (endedAs.get(name) ?? 0) + 1);
  }
  const isUnsent = (one: StoredMessage) =>
    one.status === status.DELIVERED && partsOf(one).some((part) => timesOf(line, one, part) === 0);
  const isTwice = (one: StoredMessage) =>
    !one.inDoubt && partsOf(one).some((part) => timesOf(line, one, part) > 1);
  return {
    acknowledged: line.acknowledged.size,
    inDoubt: own.filter(({ inDoubt }) => inDoubt).length,
    lost: [...missing.map((id) => `${id}: not stored`), ...own.filter(isUnsent).map(described)],
    twice: own.filter(isTwice).map(described),
    unended: own.filter((one) => one.stage !== null || !promised.has(one.status)).map(described),
    endedAs,
  };
}

function partsOf({ parts }: StoredMessage): readonly number[] {
  return Array.from({ length: parts }, (_, index) => index + 1);
}

function timesOf({ peer }: Line, { recipient }: StoredMessage, part: number): number {
  return peer.taken(recipient, part)?.times ?? 0;
}

function described({ id, recipient, stage: at, status: code, reason }: StoredMessage): string {
  const place = Object.entries(stage).find(([, value]) => value === at)?.[0] ?? 'ended';
  return `${id} to ${recipient}: ${statusNames[code]}, ${place}, ${reason}`;
}
