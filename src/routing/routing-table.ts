/**
 * Finds the carrier of a message. The longest prefix that has a route for the message decides. Its routes form tiers by
 * their rank; the carriers of a tier take turns, and the tiers below it are its failover.
 *
 *   number, sender, user ──▶ prefix ──▶ routes that admit it ──▶ tiers ──▶ first tier with a usable carrier ──▶ its turn
 *
 * A shorter prefix is another destination, not a failover: it serves only what no route of a longer one admits.
 */
import type { CarrierRecord } from '../carriers/carrier-record.ts';
import { admits, compareRank, compareRoutes, isLimited, type Origin, type Route } from './route.ts';

type IsFit = (carrierId: number) => boolean;

/** Carriers that share the load. One that is named twice has two turns. */
interface Tier {
  readonly carrierIds: readonly number[];
  turn: number;
}

/** The routes of one prefix, by rank. */
interface Group {
  readonly routes: readonly Route[];
  readonly carrierIds: ReadonlySet<number>;
  /** Without a limited route, all messages find the same tiers. */
  readonly common: readonly Tier[] | undefined;
  /** By the routes that admit a message, so that all those messages share the turns. */
  readonly byRoutes: Map<string, readonly Tier[]>;
  /** Numbers that routes name as senders: what is sent from one of a pool may be for these routes. */
  readonly numbers: readonly string[];
  /** By origin, as far as origins were met lately. */
  readonly byOrigin: Map<string, readonly Tier[]>;
}

/** The carriers of a message whose sender is not known yet. */
export interface CarriersBySender {
  /** From any number that no route names; undefined: no route leads there. */
  readonly others: number | undefined;
  /** From these numbers. */
  readonly bySender: ReadonlyMap<string, number>;
}

/** More senders and users than that at one prefix are looked up anew now and then. */
const rememberedOrigins = 10_000;

/** A table as another thread can have it: with what was usable when it was taken. */
export interface RoutingSnapshot {
  readonly routes: readonly Route[];
  readonly carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[];
  readonly usable: ReadonlySet<number>;
}

export class RoutingTable {
  readonly #routes: readonly Route[];
  readonly #groups = new Map<string, Group>();
  /** The lengths that prefixes have, longest first. */
  readonly #lengths: readonly number[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #isUsable: IsFit;

  /** `isUsable`: may the carrier be expected to take messages now? Asked for each message. */
  constructor(
    routes: readonly Route[],
    carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[],
    isUsable: IsFit = () => true,
  ) {
    this.#routes = routes;
    this.#ids = new Map(carriers.map(({ id, name }) => [name, id]));
    this.#isUsable = isUsable;
    const known = routes.filter((route) => route.carriers.some((name) => this.#ids.has(name)));
    const byPrefix = new Map<string, Route[]>();
    for (const route of known) {
      const others = byPrefix.get(route.prefix);
      if (others === undefined) byPrefix.set(route.prefix, [route]);
      else others.push(route);
    }
    for (const [prefix, some] of byPrefix) this.#groups.set(prefix, this.#group(some));
    this.#lengths = [...new Set(known.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
  }

  static of({ routes, carriers, usable }: RoutingSnapshot): RoutingTable {
    return new RoutingTable(routes, carriers, (id) => usable.has(id));
  }

  snapshot(): RoutingSnapshot {
    const carriers = [...this.#ids].map(([name, id]) => ({ id, name }));
    const usable = carriers.filter(({ id }) => this.#isUsable(id)).map(({ id }) => id);
    return { routes: this.#routes, carriers, usable: new Set(usable) };
  }

  /**
   * The id of the carrier that the next message takes: usable, where one is; else one of the first tier, to wait there.
   * Undefined: no route leads there.
   */
  carrierFor(number: string, origin: Origin): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    return tiers && (take(tiers, this.#isUsable) ?? take(tiers, anyone));
  }

  /** For a message that is sent from a number which is chosen later. */
  carriersBySender(number: string, username: string): CarriersBySender {
    const bySender = new Map<string, number>();
    for (const length of this.#lengths) {
      for (const sender of this.#groups.get(number.slice(0, length))?.numbers ?? []) {
        const carrierId = bySender.has(sender) ? undefined : this.carrierFor(number, { sender, username });
        if (carrierId !== undefined) bySender.set(sender, carrierId);
      }
    }
    return { others: this.carrierFor(number, { sender: '', username }), bySender };
  }

  /** For a message that these carriers refused: the next one, where another is left. */
  carrierAfter(refusedBy: ReadonlySet<number>, number: string, origin: Origin): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    const isLeft = (id: number) => !refusedBy.has(id);
    return tiers && (take(tiers, (id) => isLeft(id) && this.#isUsable(id)) ?? take(tiers, isLeft));
  }

  /** Of the message's carriers one that is fit, by the order of its routes and their turns. */
  fitCarrierFor(number: string, origin: Origin, isFit: IsFit): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    return tiers && take(tiers, isFit);
  }

  /** Is there a prefix at which a fit carrier stands beside this one? */
  hasOtherBeside(carrierId: number, isFit: IsFit): boolean {
    for (const { carrierIds } of this.#groups.values()) {
      if (!carrierIds.has(carrierId)) continue;
      for (const id of carrierIds) if (id !== carrierId && isFit(id)) return true;
    }
    return false;
  }

  #tiersFor(number: string, origin: Origin): readonly Tier[] | undefined {
    for (const length of this.#lengths) {
      if (length > number.length) continue;
      const group = this.#groups.get(number.slice(0, length));
      const tiers = group && (group.common ?? this.#tiersOf(group, origin));
      if (tiers !== undefined && tiers.length > 0) return tiers;
    }
    return undefined;
  }

  #tiersOf(group: Group, origin: Origin): readonly Tier[] {
    // No name holds a line feed.
    const key = `${origin.username}\n${origin.sender}`;
    let tiers = group.byOrigin.get(key);
    if (tiers === undefined) {
      const routes = group.routes.filter((route) => admits(route, origin));
      const names = routes.map(({ name }) => name).join('\n');
      tiers = group.byRoutes.get(names) ?? this.#tiers(routes);
      group.byRoutes.set(names, tiers);
      if (group.byOrigin.size >= rememberedOrigins) group.byOrigin.clear();
      group.byOrigin.set(key, tiers);
    }
    return tiers;
  }

  #group(some: readonly Route[]): Group {
    const routes = [...some].sort(compareRoutes);
    const common = routes.some(isLimited) ? undefined : this.#tiers(routes);
    const carrierIds = new Set(routes.flatMap((route) => this.#idsOf(route)));
    const senders = new Set(routes.flatMap((route) => route.senders ?? []));
    const numbers = [...senders].filter((sender) => /^[0-9]+$/.test(sender));
    return { routes, carrierIds, common, numbers, byRoutes: new Map(), byOrigin: new Map() };
  }

  /** The routes are in order, so that those of one rank stand together. */
  #tiers(routes: readonly Route[]): readonly Tier[] {
    const ranks: Route[][] = [];
    for (const route of routes) {
      const last = ranks.at(-1);
      if (last?.[0] !== undefined && compareRank(last[0], route) === 0) last.push(route);
      else ranks.push([route]);
    }
    return ranks.map((rank) => ({
      carrierIds: rank.flatMap((route) => this.#idsOf(route)),
      turn: 0,
    }));
  }

  #idsOf({ carriers }: Route): readonly number[] {
    return carriers.flatMap((name) => this.#ids.get(name) ?? []);
  }
}

function anyone(): boolean {
  return true;
}

/** Whoever's turn it is in the first tier with a fit carrier. */
function take(tiers: readonly Tier[], isFit: IsFit): number | undefined {
  for (const tier of tiers) {
    const { carrierIds } = tier;
    for (let step = 1; step <= carrierIds.length; step++) {
      const turn = (tier.turn + step) % carrierIds.length;
      const id = carrierIds[turn] as number;
      if (!isFit(id)) continue;
      tier.turn = turn;
      return id;
    }
  }
  return undefined;
}
