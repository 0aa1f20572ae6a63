/**
 * Finds the carrier of a message. The longest prefix that has a route for the message decides. Its routes form tiers by
 * their rank; the carriers of a tier take turns, and the tiers below it are its failover.
 *
 *   number, sender, user ──▶ prefix ──▶ routes that admit it ──▶ tiers ──▶ first tier with a usable carrier ──▶ its turn
 *
 * A shorter prefix is another destination, not a failover: it serves only what no route of a longer prefix admits.
 */
import type { CarrierRecord } from '../carriers/provisioned/carrier-record.ts';
import { type CarriersBySender, isPoolNumber } from './carriers-by-sender.ts';
import { compareRank, compareRoutes, isLimited, type Origin, type Route } from './route.ts';
import { SenderOwners } from './sender-owners.ts';

type IsFit = (carrierId: number) => boolean;

/** Carriers that share the load. A carrier named twice has two turns. */
interface Tier {
  readonly carrierIds: readonly number[];
  turn: number;
}

/** The routes of one prefix, by rank. */
interface Group {
  readonly prefix: string;
  readonly routes: readonly Route[];
  readonly carrierIds: ReadonlySet<number>;
  /** If no route is limited, all messages find the same tiers. */
  readonly common: readonly Tier[] | undefined;
  /** All messages admitted by the same routes share the turns. */
  readonly byRoutes: Map<string, readonly Tier[]>;
  /** The indexes of routes that name a sender, and of routes for any sender. */
  readonly bySender: ReadonlyMap<string, readonly number[]>;
  readonly forAnySender: readonly number[];
  /** Users named by these routes or those of shorter prefixes; all other users find the same tiers. */
  readonly users: ReadonlySet<string>;
  /** By user; the empty key is for any other user. */
  readonly named: Map<string, Named>;
  /** Only origins seen recently. */
  readonly byOrigin: Map<string, readonly Tier[]>;
}

/** Numbers that routes name as senders, since a message sent from a pool number may be for these routes. */
interface Named extends Pick<CarriersBySender, 'hasOthers' | 'numbers' | 'lists'> {
  /** The tiers for each of the lists. */
  readonly tiers: readonly (readonly Tier[])[];
}

/** If more senders and users than this use one prefix, they are looked up again now and then. */
const rememberedOrigins = 10_000;
/** Counted for each prefix and each user with a separate entry; about 12 MB. */
const rememberedNumbers = 1_000_000;

const anyone: IsFit = () => true;

const nobodysSenders = new SenderOwners();

/** A table for another thread, with the carriers that were usable when it was taken. */
export interface RoutingSnapshot {
  readonly routes: readonly Route[];
  readonly carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[];
  readonly usable: ReadonlySet<number>;
}

export class RoutingTable {
  readonly #routes: readonly Route[];
  readonly #groups = new Map<string, Group>();
  /** The lengths of prefixes, longest first. */
  readonly #lengths: readonly number[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #isUsable: IsFit;
  readonly #senderOwners: () => SenderOwners;
  #namedNumbers = 0;
  #inOrder: readonly Route[] | undefined;

  /**
   * `isUsable` says whether the carrier can be expected to take messages now, and is asked for each message. `senderOwners`
   * returns the current owners, which change more often than the routes.
   */
  constructor(
    routes: readonly Route[],
    carriers: readonly Pick<CarrierRecord, 'id' | 'name'>[],
    isUsable: IsFit = anyone,
    senderOwners: () => SenderOwners = () => nobodysSenders,
  ) {
    this.#senderOwners = senderOwners;
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
    this.#lengths = [...new Set(known.map(({ prefix }) => prefix.length))].sort((a, b) => b - a);
    for (const [prefix, some] of [...byPrefix].sort(([a], [b]) => a.length - b.length))
      this.#groups.set(prefix, this.#group(prefix, some));
  }

  static of({ routes, carriers, usable }: RoutingSnapshot): RoutingTable {
    return new RoutingTable(routes, carriers, (id) => usable.has(id));
  }

  snapshot(): RoutingSnapshot {
    const carriers = [...this.#ids].map(([name, id]) => ({ id, name }));
    const usable = carriers.filter(({ id }) => this.#isUsable(id)).map(({ id }) => id);
    return { routes: this.#routes, carriers, usable: new Set(usable) };
  }

  /** A copy with its own turns, so that asking which carrier a message would take uses up no turn of real messages. */
  copy(): RoutingTable {
    return new RoutingTable(this.#routes, this.snapshot().carriers, this.#isUsable, this.#senderOwners);
  }

  /** All routes in the order in which they are tried. */
  get inOrder(): readonly Route[] {
    this.#inOrder ??= [...this.#routes].sort(compareRoutes);
    return this.#inOrder;
  }

  /** The owners of sender ids, who may send from them. */
  get senderOwners(): SenderOwners {
    return this.#senderOwners();
  }

  nameOf(carrierId: number): string | undefined {
    for (const [name, id] of this.#ids) if (id === carrierId) return name;
    return undefined;
  }

  /**
   * The id of the carrier that the next message takes: a usable one if possible, otherwise one of the first tier, for which
   * the message waits. Undefined when no route leads there.
   */
  carrierFor(number: string, origin: Origin): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    return tiers && (take(tiers, this.#isUsable) ?? take(tiers, anyone));
  }

  /**
   * By recipient, for a user's messages sent from numbers that are chosen later. Messages that find the same routes share one
   * answer, however many they are. Undefined when no route names a number.
   */
  carriersBySender(username: string): (number: string) => CarriersBySender | undefined {
    const known = new Map<Named, CarriersBySender>();
    return (number) => {
      const named = this.#namedFor(number, username);
      if (named === undefined || named.numbers.length === 0) return undefined;
      let carriers = known.get(named);
      if (carriers === undefined) {
        carriers = this.#inTurn(named);
        known.set(named, carriers);
      }
      return carriers;
    };
  }

  #inTurn({ hasOthers, numbers, lists, tiers }: Named): CarriersBySender {
    const begins = new Uint32Array(tiers.length + 1);
    const carrierIds: number[] = [];
    for (let list = 0; list < tiers.length; list++) {
      const some = tiers[list] as readonly Tier[];
      for (const id of takeAll(some, this.#isUsable) ?? takeAll(some, anyone) ?? []) carrierIds.push(id);
      begins[list + 1] = carrierIds.length;
    }
    return { hasOthers, numbers, lists, begins, carrierIds: new Float64Array(carrierIds) };
  }

  #namedFor(number: string, username: string): Named | undefined {
    const group = this.#groupOf(number);
    if (group === undefined) return undefined;
    const user = group.users.has(username) ? username : '';
    let named = group.named.get(user);
    if (named === undefined) {
      named = this.#name(group, number, user);
      this.#remember(named);
      group.named.set(user, named);
    }
    return named;
  }

  #remember({ numbers }: Named): void {
    this.#namedNumbers += numbers.length;
    if (this.#namedNumbers <= rememberedNumbers) return;
    for (const { named } of this.#groups.values()) named.clear();
    this.#namedNumbers = numbers.length;
  }

  #name({ prefix }: Group, number: string, username: string): Named {
    // Routes of shorter prefixes serve what no route of a longer prefix admits.
    const groups = this.#lengths.map((length) => this.#groups.get(prefix.slice(0, length)));
    const senders = new Set(groups.flatMap((group) => [...(group?.bySender.keys() ?? [])]));
    const lists = new Map<readonly Tier[], number>();
    const found: [number: number, list: number][] = [];
    for (const sender of senders) {
      const tiers = isPoolNumber(sender) ? this.#tiersFor(number, { sender, username }) : undefined;
      if (tiers === undefined) continue;
      const list = lists.get(tiers) ?? lists.size;
      lists.set(tiers, list);
      found.push([Number(sender), list]);
    }
    found.sort(([a], [b]) => a - b);
    return {
      hasOthers: this.#tiersFor(number, { sender: '', username }) !== undefined,
      numbers: Float64Array.from(found, ([sender]) => sender),
      lists: Uint32Array.from(found, ([, list]) => list),
      tiers: [...lists.keys()],
    };
  }

  /** The next carrier, if one is left, for a message that these carriers refused. */
  carrierAfter(refusedBy: ReadonlySet<number>, number: string, origin: Origin): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    const isLeft = (id: number) => !refusedBy.has(id);
    return tiers && (take(tiers, (id) => isLeft(id) && this.#isUsable(id)) ?? take(tiers, isLeft));
  }

  /** The message's first fit carrier, in the order of its routes and their turns. */
  fitCarrierFor(number: string, origin: Origin, isFit: IsFit): number | undefined {
    const tiers = this.#tiersFor(number, origin);
    return tiers && take(tiers, isFit);
  }

  /** Whether some prefix has a fit carrier besides this one. */
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

  /** The group of the longest prefix that the number begins with. */
  #groupOf(number: string): Group | undefined {
    for (const length of this.#lengths) {
      const group = length > number.length ? undefined : this.#groups.get(number.slice(0, length));
      if (group !== undefined) return group;
    }
    return undefined;
  }

  #tiersOf(group: Group, origin: Origin): readonly Tier[] {
    // No name contains a line feed.
    const key = `${origin.username}\n${origin.sender}`;
    let tiers = group.byOrigin.get(key);
    if (tiers === undefined) {
      const routes = routesFor(group, origin);
      const names = routes.map(({ name }) => name).join('\n');
      tiers = group.byRoutes.get(names) ?? this.#tiers(routes);
      group.byRoutes.set(names, tiers);
      if (group.byOrigin.size >= rememberedOrigins) group.byOrigin.clear();
      group.byOrigin.set(key, tiers);
    }
    return tiers;
  }

  #group(prefix: string, some: readonly Route[]): Group {
    const routes = [...some].sort(compareRoutes);
    const common = routes.some(isLimited) ? undefined : this.#tiers(routes);
    const carrierIds = new Set(routes.flatMap((route) => this.#idsOf(route)));
    const users = new Set(this.#groupOf(prefix)?.users);
    for (const route of routes) for (const user of route.users ?? []) users.add(user);
    const bySender = new Map<string, number[]>();
    const forAnySender: number[] = [];
    for (const [place, { senders }] of routes.entries()) {
      if (senders === undefined) forAnySender.push(place);
      for (const sender of new Set(senders)) {
        const places = bySender.get(sender);
        if (places === undefined) bySender.set(sender, [place]);
        else places.push(place);
      }
    }
    const found = { prefix, routes, carrierIds, common, bySender, forAnySender, users };
    return { ...found, named: new Map(), byRoutes: new Map(), byOrigin: new Map() };
  }

  /** The routes are ordered, so those of one rank are adjacent. */
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

/**
 * The routes that admit a message, in order. They are not checked one by one, since there may be one route for each of very
 * many senders.
 */
function routesFor(
  { routes, bySender, forAnySender }: Group,
  { sender, username }: Origin,
): readonly Route[] {
  const places = [...(bySender.get(sender) ?? []), ...forAnySender].sort((a, b) => a - b);
  return places
    .map((place) => routes[place] as Route)
    .filter(({ users }) => users?.includes(username) ?? true);
}

/** The carrier whose turn it is in the first tier that has a fit carrier. */
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

/** All fit carriers of the first tier that has any, for messages that take turns with them; the next in turn is first. */
function takeAll(tiers: readonly Tier[], isFit: IsFit): readonly number[] | undefined {
  for (const tier of tiers) {
    const { carrierIds } = tier;
    if (carrierIds.length === 1 && isFit(carrierIds[0] as number)) return carrierIds;
    const turns = carrierIds.map((_, step) => (tier.turn + 1 + step) % carrierIds.length);
    const fit = turns.filter((turn) => isFit(carrierIds[turn] as number));
    const [first] = fit;
    if (first === undefined) continue;
    tier.turn = first;
    return fit.map((turn) => carrierIds[turn] as number);
  }
  return undefined;
}
