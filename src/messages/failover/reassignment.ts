/**
 * Reassigns messages from a carrier that was removed or has been down for a while to another carrier of their routes. Only
 * messages that were never handed over move, and never to a carrier that refused them; a message that its carrier has in
 * part, or may have, waits for that carrier. However many messages have no route, a sweep examines only some of them, and the
 * next sweep continues from there.
 */
import { storedReason } from '../../foundation/sentences.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Context } from '../../storage/context.ts';
import { literal, rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theNode } from '../../storage/verb.ts';
import { charge, lane, stage } from '../message.ts';
import type { CarrierStates } from '../nodes/carrier-states.ts';
import { keepEvents } from '../timeline-store.ts';

interface ReassignmentOptions extends Context {
  readonly routes: () => RoutingTable;
  /** Called when messages wait for a carrier. */
  readonly wake: (carrierId: number) => void;
  readonly log: { info(details: object, message: string): void };
}

/** Which carriers messages leave, and where the messages go. */
export interface Departure {
  readonly stages: readonly number[];
  /** The text for the messages' timelines. */
  readonly reason: string;
  /** The text for the log. */
  readonly done: string;
  readonly carriers: () => Promise<readonly number[]> | readonly number[];
  /** `isTried`: all waiting messages have already been examined with the current routes. */
  readonly maxIdleSets: (carrierId: number, isTried: boolean) => number;
  /** One of the message's carriers that is not in `left`. */
  readonly carrierBeside: (left: ReadonlySet<number>, message: WaitingMessage) => number | undefined;
}

interface RouteSource {
  readonly routes: () => RoutingTable;
}

export interface DownCarriers {
  readonly states: Pick<CarrierStates, 'downFor' | 'isUp'>;
  /** How long a carrier must have been down at every node. */
  readonly afterMs: number;
}

/**
 * Moves messages from carriers that have been down for a while to one that is up. Messages due later stay, since the carrier
 * may be back by then.
 */
export function fromDownCarriers({ routes, states, afterMs }: DownCarriers & RouteSource): Departure {
  const isUp = (id: number) => states.isUp(id);
  return {
    stages: [stage.waiting, stage.retrying],
    reason: storedReason({ sentence: 'carrier_was_down' }),
    done: 'moved messages from a carrier that is down to other carriers',
    carriers: () => states.downFor(afterMs),
    // If no prefix has another carrier that is up beside this one, only messages whose routes have since changed can
    // move.
    maxIdleSets: (carrierId) => (routes().hasOtherBeside(carrierId, isUp) ? 10 : 1),
    carrierBeside: (left, message) =>
      routes().fitCarrierFor(message.recipient, message, (id) => !left.has(id) && isUp(id)),
  };
}

/**
 * Moves messages from removed carriers to wherever the current routes lead. A message without a route keeps waiting and
 * expires.
 */
export function fromRemovedCarriers({ routes, store }: { readonly store: Store } & RouteSource): Departure {
  return {
    stages: [stage.waiting, stage.scheduled, stage.retrying],
    reason: storedReason({ sentence: 'carrier_was_removed' }),
    done: 'moved messages from a removed carrier to other carriers',
    carriers: () => store.read(listRemovedCarriers, null),
    // A million messages without a route are examined in under a minute; after that, only new messages are.
    maxIdleSets: (_, isTried) => (isTried ? 1 : 40),
    carrierBeside: (left, message) => routes().carrierAfter(left, message.recipient, message),
  };
}

/** The progress through the messages that wait for a carrier. */
interface Walk {
  /** Undefined at the beginning of a round. */
  after?: WaitingPlace | undefined;
  /** The routes that have applied throughout this round; undefined when they changed during it. */
  routes?: RoutingTable | undefined;
  /** The routes that applied throughout a complete round: messages left after it have none of these routes. */
  tried?: RoutingTable | undefined;
}

const setSize = 500;

export class Reassignment {
  readonly #options: ReassignmentOptions;
  readonly #departure: Departure;
  readonly #walks = new Map<number, Walk>();

  constructor(options: ReassignmentOptions, departure: Departure) {
    this.#options = options;
    this.#departure = departure;
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const carriers = await this.#departure.carriers();
    for (const id of [...this.#walks.keys()]) if (!carriers.includes(id)) this.#walks.delete(id);
    for (const carrierId of carriers) {
      const moved = await this.#reassign(carrierId, signal);
      if (moved > 0) this.#options.log.info({ carrierId, moved }, this.#departure.done);
    }
  }

  /** Continues as long as it finds messages to move, and examines no message twice in one sweep. */
  async #reassign(carrierId: number, signal: AbortSignal): Promise<number> {
    const { store, routes } = this.#options;
    const { stages, maxIdleSets } = this.#departure;
    const walk = this.#walks.get(carrierId) ?? {};
    this.#walks.set(carrierId, walk);
    const maxIdle = maxIdleSets(carrierId, routes() === walk.tried);
    let moved = 0;
    for (let idle = 0; idle < maxIdle && !signal.aborted; ) {
      if (walk.after === undefined) walk.routes = routes();
      const waiting = await store.read(listWaiting, { carrierId, stages, after: walk.after, limit: setSize });
      const count = await this.#move(carrierId, waiting);
      moved += count;
      if (count === 0) idle += 1;
      if (routes() !== walk.routes) walk.routes = undefined;
      walk.after = waiting.length < setSize ? undefined : waiting.at(-1);
      if (walk.after !== undefined) continue;
      walk.tried = walk.routes;
      break;
    }
    return moved;
  }

  async #move(fromCarrierId: number, waiting: readonly WaitingMessage[]): Promise<number> {
    const { store, clock, wake } = this.#options;
    const { carrierBeside, reason } = this.#departure;
    const moves = waiting.flatMap((message) => {
      if (!message.isWhole) return [];
      const to = carrierBeside(new Set([fromCarrierId, ...message.refusedBy]), message);
      return to === undefined ? [] : [[message.companyId, message.id, to] as const];
    });
    if (moves.length === 0) return 0;
    const moved = await store.write(moveWaiting, { fromCarrierId, moves, reason, now: clock.now() });
    for (const to of new Set(moves.map(([, , carrierId]) => carrierId))) wake(to);
    return moved;
  }
}

/** Removed carriers that messages may still be assigned to. */
export const listRemovedCarriers = readVerb('messages.listRemovedCarriers', async (reading, _: null) =>
  (await reading.all<{ id: number }>(sql`SELECT id FROM carriers WHERE removed = 1 ORDER BY id`)).map(
    ({ id }) => id,
  ),
);

/** A place in the list, which is in the order of the index of due messages. */
interface WaitingPlace {
  readonly stage: number;
  readonly lane: number;
  readonly dueAt: number;
  readonly companyId: number;
  readonly id: number;
}

interface WaitingQuery {
  readonly carrierId: number;
  readonly stages: readonly number[];
  /** The last place of the previous set. */
  readonly after: WaitingPlace | undefined;
  readonly limit: number;
}

export interface WaitingMessage extends WaitingPlace {
  readonly recipient: string;
  readonly sender: string;
  /** Empty when the user has been removed. */
  readonly username: string;
  /** Whether no part of the message was ever handed over, so that it may go to another carrier. */
  readonly isWhole: boolean;
  /** Carriers that passed the message on. */
  readonly refusedBy: readonly number[];
}

/** Includes messages that may not move, since searching for the movable ones could skip any number of others. */
export const listWaiting = inTurns(
  readVerb(
    'messages.listWaiting',
    async (reading, { carrierId, stages, after, limit }: WaitingQuery): Promise<WaitingMessage[]> => {
      const lines = stages.flatMap((at) => lanes.map((of) => ({ carrierId, stage: at, lane: of })));
      const begun = lines.findIndex((line) => line.stage === after?.stage && line.lane === after.lane);
      const rows: WaitingRow[] = [];
      for (const [index, line] of lines.entries()) {
        if (index < begun || rows.length === limit) continue;
        rows.push(
          ...(await readLine(reading, line, index === begun ? after : undefined, limit - rows.length)),
        );
      }
      const keys = rows.map(({ companyId, id }) => [companyId, id]);
      const refusals = await refusalsOf(reading, keys);
      return rows.map(({ whole, ...row }) => ({
        ...row,
        isWhole: whole === 1,
        refusedBy: refusals.get(row.id) ?? [],
      }));
    },
  ),
  theNode,
);

const lanes = [lane.interactive, lane.bulk];

interface WaitingLine extends Pick<WaitingPlace, 'stage' | 'lane'> {
  readonly carrierId: number;
}

type WaitingRow = Omit<WaitingMessage, 'isWhole' | 'refusedBy'> & { readonly whole: number };

async function readLine(
  reading: Reading,
  { carrierId, ...line }: WaitingLine,
  after: WaitingPlace | undefined,
  limit: number,
): Promise<readonly WaitingRow[]> {
  const { dueAt, companyId, id } = after ?? { dueAt: Number.MIN_SAFE_INTEGER, companyId: 0, id: 0 };
  const rows = await reading.all<Omit<WaitingRow, keyof typeof line>>(
    sql`SELECT messages.due_at AS "dueAt", messages.company_id AS "companyId", messages.id,
          messages.recipient, messages.sender, COALESCE(users.username, '') AS username,
          CASE WHEN messages.charge = ${literal(charge.reserved)} AND messages.in_doubt = 0 THEN 1 ELSE 0 END AS whole
        FROM messages LEFT JOIN users ON users.id = messages.user_id
        WHERE messages.carrier_id = ${carrierId} AND messages.stage = ${literal(line.stage)}
          AND messages.lane = ${literal(line.lane)} AND messages.due_at >= ${dueAt}
          AND (messages.due_at, messages.company_id, messages.id) > (${dueAt}, ${companyId}, ${id})
        ORDER BY messages.due_at, messages.company_id, messages.id LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, ...line }));
}

/** The carriers that passed each message on, by message. */
export async function refusalsOf(
  reading: Reading,
  keys: readonly Row[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>();
  if (keys.length === 0) return found;
  const rows = await reading.all<{ id: number; carrierId: number }>(
    sql`SELECT message_refusals.message_id AS id, message_refusals.carrier_id AS "carrierId"
        FROM ${rowSet('asked', { company_id: 'bigint', id: 'bigint' }, keys)}
        JOIN message_refusals
          ON message_refusals.company_id = asked.company_id AND message_refusals.message_id = asked.id`,
  );
  for (const { id, carrierId } of rows) found.set(id, [...(found.get(id) ?? []), carrierId]);
  return found;
}

interface MoveInput {
  readonly fromCarrierId: number;
  /** Company, message, new carrier. */
  readonly moves: readonly Row[];
  readonly reason: string;
  readonly now: number;
}

const scheduled = literal(stage.scheduled);

/** Scheduled messages stay scheduled; all others wait. Returns how many moved; those claimed meanwhile stay. */
export const moveWaiting = singleWriteVerb(
  'messages.moveWaiting',
  async (transaction, { fromCarrierId, moves, reason, now }: MoveInput) => {
    // The plus keeps the engines from using an index of waiting messages, which is far longer than the list of moves.
    const moved = await transaction.all<{ company_id: number; id: number; carrier_id: number }>(
      sql`UPDATE messages SET carrier_id = moves.carrier_id, reason = ${reason},
            stage = CASE WHEN messages.stage = ${scheduled} THEN ${scheduled} ELSE ${literal(stage.waiting)} END
          FROM ${rowSet('moves', { company_id: 'bigint', id: 'bigint', carrier_id: 'bigint' }, moves)}
          WHERE messages.company_id = moves.company_id AND messages.id = moves.id
            AND +messages.carrier_id = ${fromCarrierId}
            AND +messages.stage IN (${literal(stage.waiting)}, ${literal(stage.retrying)}, ${scheduled})
            AND messages.charge = ${charge.reserved} AND messages.in_doubt = 0
          RETURNING messages.company_id, messages.id, messages.carrier_id`,
    );
    await keepEvents(
      transaction,
      moved.map(({ company_id: companyId, id: messageId, carrier_id: toCarrierId }) => ({
        companyId,
        messageId,
        at: now,
        kind: 'moved' as const,
        carrierId: fromCarrierId,
        toCarrierId,
        reason,
      })),
    );
    return moved.length;
  },
  ({ moves }) => moves.length,
);
