/** What one claim takes of both lanes: so many SMS parts, or messages, and what is held of these instead. */
import { amongFirst, amongFirstUntil, literal, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import type { Claimed } from '../claimed.ts';
import { lane, stage } from '../message.ts';
import { isAlive } from '../nodes/store.ts';
import { type ClosedHours, holdClosed, type Sifted } from './hold.ts';

export interface Claim {
  readonly carrierId: number;
  readonly nodeId: number;
  /** SMS parts: messages are taken until theirs come to this, the last one with all it has. */
  readonly room: number;
  /** All that is said of SMS parts here is meant of messages, but for `mostParts`. */
  readonly countsMessages?: boolean;
  /** Where messages are counted: they are taken until theirs come to so many, over both lanes. */
  readonly mostParts?: number;
  /** Of these parts, so many are bulk when so much bulk waits, however many interactive messages do. */
  readonly bulkFloor: number;
  /** Bulk of their companies is held instead of claimed; absent: none. */
  readonly closedHours?: readonly ClosedHours[];
  readonly now: number;
}

export interface ClaimAnswer {
  readonly messages: readonly Claimed[];
  /** Parts that bulk has by its floor: more than that when its last message has many. */
  readonly floorParts: number;
  /** Messages that were held instead: others may wait behind them, so that the next claim is due at once. */
  readonly held: number;
}

export interface Claiming extends ClaimAnswer {
  readonly dropped: readonly Claimed[];
}

export async function claimRoom(transaction: Transaction, claim: Claim): Promise<Claiming> {
  if (!(await isAlive(transaction, claim.nodeId)))
    return { messages: [], floorParts: 0, held: 0, dropped: [] };
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
    held: floor.held.length + more.held.length,
    dropped: [...floor.dropped, ...more.dropped],
  };
}

const none: Sifted<Claimed> = { open: [], held: [], dropped: [] };

const byId = (a: Claimed, b: Claimed): number => a.id - b.id;

/** To hold one takes as long as to claim several, and where one is held the next is likely to be: others get their turn. */
const heldAtOnce = 100;

async function claimBulk(transaction: Transaction, claim: Claim): Promise<Sifted<Claimed>> {
  const { room, closedHours = [] } = claim;
  if (closedHours.length === 0) return claimLane(transaction, claim, lane.bulk, room);
  const some = Math.min(room, heldAtOnce);
  const first = await claimLane(transaction, claim, lane.bulk, some);
  if (first.held.length > 0 || roomOf(claim, first.open) < some) return first;
  const left = less(claim, first.open);
  const rest = await claimLane(transaction, left, lane.bulk, left.room);
  return { ...rest, open: [...first.open, ...rest.open] };
}

async function claimLane(
  transaction: Transaction,
  claim: Claim,
  from: number,
  room: number,
): Promise<Sifted<Claimed>> {
  const { carrierId, countsMessages, mostParts, nodeId, closedHours = [], now } = claim;
  const reach = countsMessages ? mostParts : room;
  if (room <= 0 || (reach !== undefined && reach <= 0)) return none;
  const key = 'company_id, id';
  // Each has one part at least.
  const first = sql`messages WHERE carrier_id = ${carrierId} AND stage = ${literal(stage.waiting)} AND lane = ${from}
              ORDER BY due_at LIMIT ${room}`;
  const claimed = await transaction.all<Claimed>(
    sql`UPDATE messages SET stage = ${stage.inFlight}, node_id = ${nodeId}, due_at = ${now}, attempts = attempts + 1
        WHERE ${
          reach === undefined
            ? amongFirst(key, first)
            : amongFirstUntil(key, { sum: 'parts', reach, order: 'due_at' }, first)
        }
        RETURNING company_id, id, recipient, sender, text, flash, parts, expires_at, attempts, in_doubt, reference`,
  );
  return holdClosed(transaction, claimed, from === lane.bulk ? closedHours : [], now);
}

interface Sized {
  readonly parts: number;
}

/** The same claim beside what was taken. */
function less(claim: Claim, taken: readonly Sized[]): Claim {
  const room = claim.room - roomOf(claim, taken);
  const { mostParts } = claim;
  return mostParts === undefined
    ? { ...claim, room }
    : { ...claim, room, mostParts: mostParts - partsOf(taken) };
}

function roomOf({ countsMessages }: Pick<Claim, 'countsMessages'>, rows: readonly Sized[]): number {
  return countsMessages ? rows.length : partsOf(rows);
}

function partsOf(rows: readonly Sized[]): number {
  let parts = 0;
  for (const row of rows) parts += row.parts;
  return parts;
}
