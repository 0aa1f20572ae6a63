/**
 * Leads what waits for a carrier that was removed to another, by the routes of today. Without one it waits on, and
 * expires. However much no route serves, a sweep looks at some of it only, and the next one goes on from there.
 */
import type { Clock } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { listStranded, moveStranded, type StrandedPlace } from './store.ts';

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: () => RoutingTable;
}

const setSize = 500;
/** Sets without any that could be moved, in one sweep: a million such messages are looked through in under a minute. */
const maxIdleSets = 40;
/** Once all were looked at in vain: by the same routes, only what has come since may have a way. */
const maxVainSets = 1;

export class Stranded {
  readonly #options: Options;
  /** Where the round goes on; undefined: a new one begins. */
  #after: StrandedPlace | undefined;
  /** The routes by which all of the round was looked at so far; undefined: they changed on the way. */
  #routes: RoutingTable | undefined;
  /** A whole round was made by these: what it left has no way by them. */
  #tried: RoutingTable | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  async sweep(isStopped: () => boolean): Promise<void> {
    const most = this.#options.routes() === this.#tried ? maxVainSets : maxIdleSets;
    for (let idleSets = 0; idleSets < most && !isStopped(); ) {
      if (this.#after === undefined) this.#routes = this.#options.routes();
      const { found, moved } = await this.#moveSet();
      if (moved === 0) idleSets += 1;
      if (this.#options.routes() !== this.#routes) this.#routes = undefined;
      if (found < setSize) {
        this.#tried = this.#routes;
        return;
      }
    }
  }

  async #moveSet(): Promise<{ readonly found: number; readonly moved: number }> {
    const { store, clock, routes } = this.#options;
    const stranded = await store.read(listStranded, { limit: setSize, after: this.#after });
    const moves = stranded.flatMap(({ companyId, id, carrierId, recipient, sender, username }) => {
      const toCarrierId = routes().carrierFor(recipient, { sender, username });
      return toCarrierId === undefined ? [] : [{ companyId, id, carrierId, toCarrierId, at: clock.now() }];
    });
    if (moves.length > 0) await store.write(moveStranded, moves);
    this.#after = stranded.length < setSize ? undefined : stranded.at(-1);
    return { found: stranded.length, moved: moves.length };
  }
}
