/**
 * Leads what waits for a carrier that has been down for a while to another of its routes that is up. Only what was
 * never handed over goes: what may be with the carrier, or is in part, waits for it.
 */
import type { Clock } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { lane, stage } from '../message.ts';
import type { CarrierStates } from '../nodes/carrier-states.ts';
import {
  beforeAllWaiting,
  listWaiting,
  moveWaiting,
  type WaitingMessage,
  type WaitingPlace,
} from './store.ts';

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: () => RoutingTable;
  readonly states: Pick<CarrierStates, 'downFor' | 'isUp'>;
  /** How long a carrier must have been down at every node. */
  readonly afterMs: number;
  /** Something waits in a carrier's line. */
  readonly wake: (carrierId: number) => void;
  readonly log: { info(details: object, message: string): void };
}

/** Where the look at a carrier's line goes on. */
interface Look {
  /** Which of `lines`. */
  line: number;
  after: WaitingPlace;
}

const setSize = 500;
/** A look at so many sets that no other carrier serves is enough for one sweep; the next goes on from there. */
const maxIdleSets = 10;
/** Where none is likely to be found: only routes that were changed since lead from this carrier to another. */
const maxUnlikelySets = 1;

const lines = [stage.waiting, stage.retrying].flatMap((from) =>
  [lane.interactive, lane.bulk].map((of) => ({ stage: from, lane: of })),
);

export class Failover {
  readonly #options: Options;
  readonly #looks = new Map<number, Look>();

  constructor(options: Options) {
    this.#options = options;
  }

  async sweep(isStopped: () => boolean): Promise<void> {
    const { states, afterMs, log } = this.#options;
    const down = states.downFor(afterMs);
    for (const id of [...this.#looks.keys()]) if (!down.includes(id)) this.#looks.delete(id);
    for (const carrierId of down) {
      const moved = await this.#lead(carrierId, isStopped);
      if (moved > 0) log.info({ carrierId, moved }, 'led messages from a carrier that is down to others');
    }
  }

  /** Goes on as long as it finds some to move, and looks at no message twice in one sweep. */
  async #lead(carrierId: number, isStopped: () => boolean): Promise<number> {
    const look = this.#looks.get(carrierId) ?? { line: 0, after: beforeAllWaiting };
    this.#looks.set(carrierId, look);
    const { routes, states } = this.#options;
    const isLikely = routes().hasOtherBeside(carrierId, (id) => states.isUp(id));
    const mostIdleSets = isLikely ? maxIdleSets : maxUnlikelySets;
    let moved = 0;
    let idleSets = 0;
    for (let ended = 0; ended < lines.length && idleSets < mostIdleSets && !isStopped(); ) {
      const line = lines[look.line] as (typeof lines)[number];
      const waiting = await this.#options.store.read(listWaiting, {
        ...line,
        carrierId,
        after: look.after,
        limit: setSize,
      });
      const count = await this.#move(carrierId, waiting);
      moved += count;
      if (count === 0) idleSets += 1;
      look.after = waiting.at(-1) ?? look.after;
      if (waiting.length === setSize) continue;
      look.line = (look.line + 1) % lines.length;
      look.after = beforeAllWaiting;
      ended += 1;
    }
    return moved;
  }

  async #move(fromCarrierId: number, waiting: readonly WaitingMessage[]): Promise<number> {
    const { store, routes, states, wake } = this.#options;
    const moves = waiting.flatMap((message) => {
      const { companyId, id, recipient, isWhole, refusedBy } = message;
      if (!isWhole) return [];
      const isFit = (to: number) => to !== fromCarrierId && states.isUp(to) && !refusedBy.includes(to);
      const to = routes().fitCarrierFor(recipient, message, isFit);
      return to === undefined ? [] : [[companyId, id, to] as const];
    });
    if (moves.length === 0) return 0;
    const reason = 'the carrier that it waited for was down';
    const moved = await store.write(moveWaiting, {
      fromCarrierId,
      moves,
      reason,
      now: this.#options.clock.now(),
    });
    for (const to of new Set(moves.map(([, , carrierId]) => carrierId))) wake(to);
    return moved;
  }
}
