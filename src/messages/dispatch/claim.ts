/**
 * Claims as many messages for a carrier as there is room for, across both lanes; those that must not be sent now are
 * held.
 */
import { amongUnlocked, amongUnlockedUntil, sql, unmatchedLiteral } from '../../storage/sql.ts';
import { type Transaction, writeVerb } from '../../storage/verb.ts';
import { refundEnded } from '../charging.ts';
import type { Claimed } from '../handover.ts';
import { lane, stage } from '../message.ts';
import { isAlive } from '../nodes/store.ts';
import { endOptedOut, type OptOutRules } from '../opted-out.ts';
import { giveReferences, withReferences } from '../sending/references-store.ts';
import {
  type ClaimSplit,
  type ClosedHours,
  holdClosed,
  type PausedBatch,
  putClaimedAside,
  stillPaused,
} from './hold.ts';

export interface ClaimInput {
  readonly carrierId: number;
  readonly nodeId: number;
  /** In SMS parts: messages are taken until their parts reach this number, the last message with all its parts. */
  readonly room: number;
  /** Whether `room` and the floor count messages instead of SMS parts. */
  readonly countsMessages?: boolean;
  /** When messages are counted, the limit on their SMS parts across both lanes. */
  readonly maxParts?: number;
  /** How much of the room is reserved for bulk, however many interactive messages wait. */
  readonly bulkFloor: number;
  /** Bulk messages of these companies are held instead of claimed. */
  readonly closedHours?: readonly ClosedHours[];
  /**
   * Batches that are paused as far as the node knows; their messages are put aside instead of claimed if the batch really is
   * paused.
   */
  readonly pausedBatches?: readonly PausedBatch[];
  /** Messages of these companies end as REJECTED if their recipients have opted out of them. */
  readonly optOuts?: OptOutRules;
  readonly now: number;
}

interface ClaimAnswer {
  readonly messages: readonly Claimed[];
  /** Parts that bulk got from its floor; the last bulk message may exceed the floor. */
  readonly floorParts: number;
  /** How many messages were held instead. Others may be waiting behind them, so the next claim is due at once. */
  readonly held: number;
}

interface ClaimWithDropped extends ClaimAnswer {
  readonly dropped: readonly Claimed[];
}

/** Marks waiting messages as in flight at a node, the longest due first. From here on, a crash leaves them in doubt. */
export const claimMessages = writeVerb<ClaimInput, ClaimAnswer>(
  'messages.claim',
  async (transaction, claims) => {
    const claimings: ClaimWithDropped[] = [];
    for (const claim of claims) claimings.push(await claimRoom(transaction, claim));
    const dropped = claimings.flatMap((one) => one.dropped.map((row) => [row.company_id, row.id]));
    if (dropped.length > 0) await refundEnded(transaction, dropped);
    const answers = claimings.map(({ dropped: _, ...answer }): ClaimAnswer => answer);
    const all = answers.flatMap(({ messages }) => messages);
    const lacking = all.filter(({ parts, reference }) => parts > 1 && reference === null);
    if (lacking.length === 0) return answers;
    const given = await giveReferences(transaction, lacking);
    return answers.map((answer) => ({ ...answer, messages: withReferences(answer.messages, given) }));
  },
  ({ room }) => room,
);

async function claimRoom(transaction: Transaction, given: ClaimInput): Promise<ClaimWithDropped> {
  if (!(await isAlive(transaction, given.nodeId)))
    return { messages: [], floorParts: 0, held: 0, dropped: [] };
  const claim = { ...given, pausedBatches: await stillPaused(transaction, given.pausedBatches ?? []) };
  const floor = await claimLane(transaction, claim, lane.bulk, claim.bulkFloor);
  const floorParts = roomOf(claim, floor.open);
  const beside = less(claim, floor.open);
  const interactive = await claimLane(transaction, beside, lane.interactive, beside.room);
  const left = less(beside, interactive.open);
  const isAll = floorParts + roomOf(claim, floor.held) < claim.bulkFloor;
  const more = isAll ? none : await claimBulk(transaction, left);
  return {
    messages: [...[...interactive.open].sort(byId), ...[...floor.open, ...more.open].sort(byId)],
    floorParts,
    held: floor.held.length + interactive.held.length + more.held.length,
    dropped: [...floor.dropped, ...interactive.dropped, ...more.dropped],
  };
}

const none: ClaimSplit<Claimed> = { open: [], held: [], dropped: [] };

const byId = (a: Claimed, b: Claimed): number => a.id - b.id;

/**
 * Holding a message takes as long as claiming several, and messages to be held tend to follow one another, so a claim
 * holds at most this many.
 */
const maxHeldPerClaim = 100;

async function claimBulk(transaction: Transaction, claim: ClaimInput): Promise<ClaimSplit<Claimed>> {
  const { room, closedHours = [], pausedBatches = [] } = claim;
  if (closedHours.length + pausedBatches.length === 0) return claimLane(transaction, claim, lane.bulk, room);
  const some = Math.min(room, maxHeldPerClaim);
  const first = await claimLane(transaction, claim, lane.bulk, some);
  if (first.held.length > 0 || roomOf(claim, first.open) < some) return first;
  const left = less(claim, first.open);
  const rest = await claimLane(transaction, left, lane.bulk, left.room);
  return { ...rest, open: [...first.open, ...rest.open] };
}

async function claimLane(
  transaction: Transaction,
  claim: ClaimInput,
  from: number,
  room: number,
): Promise<ClaimSplit<Claimed>> {
  const { carrierId, countsMessages, maxParts, nodeId, closedHours = [], pausedBatches = [], now } = claim;
  const reach = countsMessages ? maxParts : room;
  if (room <= 0 || (reach !== undefined && reach <= 0)) return none;
  const key = 'company_id, id';
  // Each message has at least one part.
  const first = sql`messages WHERE carrier_id = ${carrierId} AND stage = ${unmatchedLiteral(stage.waiting)} AND lane = ${from}
              ORDER BY due_at LIMIT ${room}`;
  const claimed = await transaction.all<Claimed>(
    sql`UPDATE messages SET stage = ${stage.inFlight}, node_id = ${nodeId}, due_at = ${now}, attempts = attempts + 1
        WHERE ${
          reach === undefined
            ? amongUnlocked(key, first)
            : amongUnlockedUntil(key, { sum: 'parts', reach, order: 'due_at' }, first)
        }
        RETURNING company_id, id, recipient, sender, text, flash, parts, expires_at, attempts, in_doubt, reference`,
  );
  if (from !== lane.bulk) return rejectOptedOut(transaction, asOpen(claimed), claim);
  const aside = await putClaimedAside(transaction, claimed, pausedBatches, now);
  const others = aside.size === 0 ? claimed : claimed.filter(({ id }) => !aside.has(id));
  const split = await holdClosed(transaction, others, closedHours, now);
  const held = [...split.held, ...claimed.filter(({ id }) => aside.has(id))];
  return rejectOptedOut(transaction, { ...split, held }, claim);
}

const asOpen = (open: readonly Claimed[]): ClaimSplit<Claimed> => ({ open, held: [], dropped: [] });

/** Messages to people who have opted out are not sent: they count as held, and are dropped. */
async function rejectOptedOut(
  transaction: Transaction,
  split: ClaimSplit<Claimed>,
  { optOuts, now }: Pick<ClaimInput, 'optOuts' | 'now'>,
): Promise<ClaimSplit<Claimed>> {
  const rejected = await endOptedOut(transaction, split.open, optOuts, now);
  if (rejected.size === 0) return split;
  const gone = split.open.filter(({ id }) => rejected.has(id));
  return {
    open: split.open.filter(({ id }) => !rejected.has(id)),
    held: [...split.held, ...gone],
    dropped: [...split.dropped, ...gone],
  };
}

interface PartCount {
  readonly parts: number;
}

/** What is left of the claim after these messages were taken. */
function less(claim: ClaimInput, taken: readonly PartCount[]): ClaimInput {
  const room = claim.room - roomOf(claim, taken);
  const { maxParts } = claim;
  return maxParts === undefined
    ? { ...claim, room }
    : { ...claim, room, maxParts: maxParts - partsOf(taken) };
}

function roomOf({ countsMessages }: Pick<ClaimInput, 'countsMessages'>, rows: readonly PartCount[]): number {
  return countsMessages ? rows.length : partsOf(rows);
}

function partsOf(rows: readonly PartCount[]): number {
  let parts = 0;
  for (const row of rows) parts += row.parts;
  return parts;
}
