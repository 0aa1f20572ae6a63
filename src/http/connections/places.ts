/**
 * Limits the connections of a server so that nobody can take them all: each network has a share, and clients that are not
 * identified leave room for those that are. A place is found or refused in constant time.
 */
import { LinkedMap } from '../../foundation/linked-map.ts';
import { networkOf, wideNetworkOf } from '../origin.ts';

export interface PlaceLimits {
  readonly maxConnections: number;
  /** Of these, by others than those who are known. */
  readonly maxStrangers: number;
  /** Of one address, or of one subscriber's network of IPv6. */
  readonly maxPerNetwork: number;
  /** Of the network around it. */
  readonly maxPerWideNetwork: number;
  /**
   * Whether the oldest stranger always gives way to the next connection of a network, or of all, that has no place left.
   * So nobody is shut out by others behind the same address, where who is known shows it with the first request. If not,
   * the next one is refused unless its network has fewer.
   */
  readonly isOldestReplaced: boolean;
}

export interface PlaceRequest {
  readonly address: string;
  /** Known already, and many may come through it: not counted by network. */
  readonly isTrusted: boolean;
  /** Its place goes to another. */
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

  /** To be asked as soon as it is there, before anything is said. Undefined when there is no room for it. */
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

  /** The narrowest that is full decides: a place that becomes free in it is free in all that are around it. */
  #makeRoomFor(wide: RankedNetwork | undefined, narrow: RankedNetwork | undefined): boolean {
    const { maxStrangers, maxPerNetwork, maxPerWideNetwork, isOldestReplaced } = this.#limits;
    if (narrow !== undefined && narrow.connections >= maxPerNetwork)
      return isOldestReplaced && displaceOldest(narrow);
    if (wide !== undefined && wide.connections >= maxPerWideNetwork)
      return isOldestReplaced && displaceOldest(wide);
    if (this.strangers < maxStrangers) return true;
    return (isOldestReplaced || this.#isSmall(wide, narrow)) && displaceOldest(this.#world);
  }

  /** Whether the largest network still has no fewer than this one, when it has given a place to it. */
  #isSmall(wide: RankedNetwork | undefined, narrow: RankedNetwork | undefined): boolean {
    const { largest } = this.#world;
    const [other, own] = largest === wide ? [largest?.largest, narrow] : [largest, wide];
    return (other?.strangers ?? 0) >= (own?.strangers ?? 0) + 2;
  }
}

/** False when all in it are known. */
function displaceOldest(crowd: RankedNetwork): boolean {
  const place = crowd.oldest;
  place?.end();
  place?.displace();
  return place !== undefined;
}

/** The place of one connection. */
export class ConnectionPlace {
  readonly displace: () => void;
  readonly #crowd: RankedNetwork;
  #isStranger: boolean;
  #isOver = false;

  constructor(crowd: RankedNetwork, displace: () => void, isStranger: boolean) {
    this.#crowd = crowd;
    this.displace = displace;
    this.#isStranger = isStranger;
    crowd.grow(1);
    if (isStranger) crowd.addStranger(this);
  }

  /** Its client has shown who it is: it counts among strangers no more. */
  know(): void {
    if (!this.#isStranger) return;
    this.#isStranger = false;
    this.#crowd.removeStranger(this);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.know();
    this.#crowd.grow(-1);
  }
}

/** The connections of a network, or the narrower networks of a wider one, ranked by how many strangers they have. */
class RankedNetwork {
  readonly networks = new Map<string, RankedNetwork>();
  readonly #around: RankedNetwork | undefined;
  readonly #name: string;
  /** Of no narrower network, the oldest first. */
  readonly #strangers = new LinkedMap<ConnectionPlace, true>();
  readonly #bySize = new Map<number, LinkedMap<RankedNetwork, true>>();
  #largestSize = 0;
  #connections = 0;
  #strangerCount = 0;

  constructor(around: RankedNetwork | undefined, name: string) {
    this.#around = around;
    this.#name = name;
  }

  get connections(): number {
    return this.#connections;
  }

  get strangers(): number {
    return this.#strangerCount;
  }

  get largest(): RankedNetwork | undefined {
    return this.#bySize.get(this.#largestSize)?.first?.[0];
  }

  /** Of the strangers of its largest network. */
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

  addStranger(place: ConnectionPlace): void {
    this.#strangers.set(place, true);
    this.#count(1);
  }

  removeStranger(place: ConnectionPlace): void {
    this.#strangers.delete(place);
    this.#count(-1);
  }

  #count(by: 1 | -1): void {
    const before = this.#strangerCount;
    this.#strangerCount += by;
    const around = this.#around;
    if (around === undefined) return;
    around.#rank(this, before);
    around.#count(by);
  }

  /** Sizes change by one: where the largest network shrinks, it is still as large as any, or as the next. */
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
