/**
 * Limits the connections of a server so that no one can take them all: each network has a share, and unidentified clients
 * leave room for identified ones. A place is found or refused in constant time.
 */
import { LinkedMap } from '../../foundation/linked-map.ts';
import { networkOf, wideNetworkOf } from '../origin.ts';

export interface PlaceLimits {
  readonly maxConnections: number;
  /** The part of these available to unidentified clients. */
  readonly maxUnauthenticated: number;
  /** The limit for one address, or for one subscriber's IPv6 network. */
  readonly maxPerNetwork: number;
  /** The limit for the wider network around it. */
  readonly maxPerWideNetwork: number;
  /**
   * Whether the oldest stranger always gives way to the next connection when its network, or the server, has no place left.
   * This suits protocols whose clients identify themselves with the first request, since no one is then shut out by others
   * behind the same address. Otherwise the new connection is refused unless its network has fewer connections.
   */
  readonly isOldestReplaced: boolean;
}

export interface PlaceRequest {
  readonly address: string;
  /** The peer is known and may serve many clients, so it is not counted by network. */
  readonly isTrusted: boolean;
  /** Called when the connection's place goes to another connection. */
  readonly displace: () => void;
}

export class ConnectionPlaces {
  readonly #limits: PlaceLimits;
  readonly #trusted = new RankedNetwork(undefined, 'trusted');
  readonly #world = new RankedNetwork(undefined, 'world');

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#trusted.connections + this.#world.connections;
  }

  get strangers(): number {
    return this.#world.strangers;
  }

  /** Call this as soon as a connection exists, before anything is sent. Undefined if there is no room for it. */
  admit({ address, isTrusted, displace }: PlaceRequest): ConnectionPlace | undefined {
    if (isTrusted)
      return this.#hasRoomInAll() ? new ConnectionPlace(this.#trusted, displace, false) : undefined;
    const [wideName, name] = [wideNetworkOf(address), networkOf(address)];
    const wide = this.#world.networks.get(wideName);
    if (!this.#makeRoomFor(wide, wide?.networks.get(name)) || !this.#hasRoomInAll()) return undefined;
    return new ConnectionPlace(this.#world.networkNamed(wideName).networkNamed(name), displace, true);
  }

  #hasRoomInAll(): boolean {
    const { maxConnections, isOldestReplaced } = this.#limits;
    return this.size < maxConnections || (isOldestReplaced && displaceOldest(this.#world));
  }

  /** The narrowest full network decides, because a place freed in it is also free in all the networks around it. */
  #makeRoomFor(wide: RankedNetwork | undefined, narrow: RankedNetwork | undefined): boolean {
    const { maxUnauthenticated, maxPerNetwork, maxPerWideNetwork, isOldestReplaced } = this.#limits;
    if (narrow !== undefined && narrow.connections >= maxPerNetwork)
      return isOldestReplaced && displaceOldest(narrow);
    if (wide !== undefined && wide.connections >= maxPerWideNetwork)
      return isOldestReplaced && displaceOldest(wide);
    if (this.strangers < maxUnauthenticated) return true;
    return (isOldestReplaced || this.#isSmall(wide, narrow)) && displaceOldest(this.#world);
  }

  /** Whether the largest network, after giving a place to this one, still has at least as many strangers. */
  #isSmall(wide: RankedNetwork | undefined, narrow: RankedNetwork | undefined): boolean {
    const { largest } = this.#world;
    const [other, own] = largest === wide ? [largest?.largest, narrow] : [largest, wide];
    return (other?.strangers ?? 0) >= (own?.strangers ?? 0) + 2;
  }
}

/** Returns false if all clients in it are known. */
function displaceOldest(crowd: RankedNetwork): boolean {
  const place = crowd.oldest;
  place?.end();
  place?.displace();
  return place !== undefined;
}

export class ConnectionPlace {
  readonly displace: () => void;
  readonly #crowd: RankedNetwork;
  #isUnauthenticated: boolean;
  #isOver = false;

  constructor(crowd: RankedNetwork, displace: () => void, isUnauthenticated: boolean) {
    this.#crowd = crowd;
    this.displace = displace;
    this.#isUnauthenticated = isUnauthenticated;
    crowd.grow(1);
    if (isUnauthenticated) crowd.addUnauthenticated(this);
  }

  /** The client has identified itself, so it no longer counts among strangers. */
  know(): void {
    if (!this.#isUnauthenticated) return;
    this.#isUnauthenticated = false;
    this.#crowd.removeUnauthenticated(this);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.know();
    this.#crowd.grow(-1);
  }
}

/** The connections of a network, or the narrower networks of a wider one, ranked by number of strangers. */
class RankedNetwork {
  readonly networks = new Map<string, RankedNetwork>();
  readonly #around: RankedNetwork | undefined;
  readonly #name: string;
  /** Strangers that belong to no narrower network, the oldest first. */
  readonly #strangers = new LinkedMap<ConnectionPlace, true>();
  readonly #bySize = new Map<number, LinkedMap<RankedNetwork, true>>();
  #largestSize = 0;
  #connections = 0;
  #unauthenticatedCount = 0;

  constructor(around: RankedNetwork | undefined, name: string) {
    this.#around = around;
    this.#name = name;
  }

  get connections(): number {
    return this.#connections;
  }

  get strangers(): number {
    return this.#unauthenticatedCount;
  }

  get largest(): RankedNetwork | undefined {
    return this.#bySize.get(this.#largestSize)?.first?.[0];
  }

  /** The oldest stranger of its largest network. */
  get oldest(): ConnectionPlace | undefined {
    return this.largest?.oldest ?? this.#strangers.first?.[0];
  }

  networkNamed(name: string): RankedNetwork {
    let network = this.networks.get(name);
    if (network === undefined) {
      network = new RankedNetwork(this, name);
      this.networks.set(name, network);
    }
    return network;
  }

  grow(by: 1 | -1): void {
    this.#connections += by;
    if (this.#connections === 0) this.#around?.networks.delete(this.#name);
    this.#around?.grow(by);
  }

  addUnauthenticated(place: ConnectionPlace): void {
    this.#strangers.set(place, true);
    this.#count(1);
  }

  removeUnauthenticated(place: ConnectionPlace): void {
    this.#strangers.delete(place);
    this.#count(-1);
  }

  #count(by: 1 | -1): void {
    const before = this.#unauthenticatedCount;
    this.#unauthenticatedCount += by;
    const around = this.#around;
    if (around === undefined) return;
    around.#rank(this, before);
    around.#count(by);
  }

  /** Sizes change by one: if the largest network shrinks, it is still as large as any other, or as the next. */
  #rank(network: RankedNetwork, before: number): void {
    const now = network.strangers;
    const left = this.#bySize.get(before);
    left?.delete(network);
    if (left?.size === 0) this.#bySize.delete(before);
    if (now > 0) {
      const others = this.#bySize.get(now) ?? new LinkedMap<RankedNetwork, true>();
      this.#bySize.set(now, others);
      others.set(network, true);
    }
    if (now > this.#largestSize || !this.#bySize.has(this.#largestSize)) this.#largestSize = now;
  }
}
