/** Finds the carrier of a number: the longest prefix wins, and a route's carriers take turns. */
import type { CarrierRecord } from '../carriers/carrier-record.ts';
import type { Route } from './route.ts';

interface Entry {
  readonly carrierIds: readonly number[];
  turn: number;
}

export class RoutingTable {
  readonly #entries = new Map<string, Entry>();
  readonly #longestPrefix: number;

  constructor(routes: readonly Route[], carriers: readonly CarrierRecord[]) {
    const ids = new Map(carriers.map(({ id, name }) => [name, id]));
    for (const route of routes) {
      const found = route.carriers.map((name) => ids.get(name)).filter((id) => id !== undefined);
      if (found.length === 0) continue;
      const entry = this.#entries.get(route.prefix);
      this.#entries.set(route.prefix, { carrierIds: [...(entry?.carrierIds ?? []), ...found], turn: 0 });
    }
    this.#longestPrefix = Math.max(0, ...[...this.#entries.keys()].map((prefix) => prefix.length));
  }

  /** The id of the carrier that the next message to this number takes; undefined when no route leads there. */
  carrierFor(number: string): number | undefined {
    for (let length = Math.min(this.#longestPrefix, number.length); length >= 0; length--) {
      const entry = this.#entries.get(number.slice(0, length));
      if (entry === undefined) continue;
      entry.turn = (entry.turn + 1) % entry.carrierIds.length;
      return entry.carrierIds[entry.turn];
    }
    return undefined;
  }
}
