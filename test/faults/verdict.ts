/** What became of the messages of a line, by the store's word and by that of its SMSC, which shares nothing with ours. */
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
  /** Not stored, or told to be sent although the SMSC never had it as a whole. */
  readonly lost: readonly string[];
  /** Parts that the SMSC took more than once, of messages without a mark of doubt. */
  readonly twice: readonly string[];
  /** No end, or one that the fault does not have. */
  readonly unended: readonly string[];
  /** What the fault brought about for messages. */
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

/** Whether all on a line have come to their end, but for those that only time brings to it. */
export function hasSettled(
  line: Line,
  messages: readonly StoredMessage[],
  ends: readonly StatusName[] = [],
): boolean {
  const own = messages.filter(({ recipient }) => recipient.startsWith(line.prefix));
  const isOpen = (one: StoredMessage) =>
    one.stage !== null && !(ends.includes('EXPIRED') && one.stage === stage.awaitingReceipt);
  // Some may be too new for this look.
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
    lost: [...missing.map((id) => `${id}: not stored`), ...own.filter(isUnsent).map(told)],
    twice: own.filter(isTwice).map(told),
    unended: own.filter((one) => one.stage !== null || !promised.has(one.status)).map(told),
    endedAs,
  };
}

function partsOf({ parts }: StoredMessage): readonly number[] {
  return Array.from({ length: parts }, (_, index) => index + 1);
}

function timesOf({ smsc }: Line, { recipient }: StoredMessage, part: number): number {
  return smsc.taken(recipient, part)?.times ?? 0;
}

function told({ id, recipient, stage: at, status: code, reason }: StoredMessage): string {
  const place = Object.entries(stage).find(([, value]) => value === at)?.[0] ?? 'ended';
  return `${id} to ${recipient}: ${statusNames[code]}, ${place}, ${reason}`;
}
