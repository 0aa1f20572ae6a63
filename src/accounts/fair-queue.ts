/** A queue in which networks take turns, and within each the addresses, so that a busy sender delays only itself. */

export interface FairLimits {
  readonly inAll: number;
  readonly ofNetwork: number;
  readonly ofAddress: number;
}

interface Network<Item> {
  readonly name: string;
  /** By address, the next in turn first. */
  readonly addresses: Map<string, Item[]>;
  size: number;
}

export class FairQueue<Item> {
  readonly #limits: FairLimits;
  /** The next in turn first. */
  readonly #networks = new Map<string, Network<Item>>();
  #size = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the item that had to be dropped for want of room: this one, or one of the network that has the most. */
  add(item: Item, networkName: string, address: string): Item | undefined {
    const { inAll, ofNetwork, ofAddress } = this.#limits;
    const own = this.#networks.get(networkName);
    const size = own?.size ?? 0;
    if (size >= ofNetwork || (own?.addresses.get(address)?.length ?? 0) >= ofAddress) return item;
    let displaced: Item | undefined;
    if (this.#size >= inAll) {
      const largest = this.#largest();
      if (largest === undefined || largest.size <= size + 1) return item;
      displaced = this.#takeLatest(largest);
    }
    const network = own ?? { name: networkName, addresses: new Map(), size: 0 };
    this.#networks.set(networkName, network);
    const items = network.addresses.get(address);
    if (items === undefined) network.addresses.set(address, [item]);
    else items.push(item);
    network.size += 1;
    this.#size += 1;
    return displaced;
  }

  /** The next in turn; then its network and its address come last. */
  take(): Item | undefined {
    for (const network of this.#networks.values()) {
      for (const [address, items] of network.addresses) {
        const item = items.shift();
        network.addresses.delete(address);
        if (items.length > 0) network.addresses.set(address, items);
        this.#networks.delete(network.name);
        this.#networks.set(network.name, network);
        this.#shrink(network);
        return item;
      }
    }
    return undefined;
  }

  #largest(): Network<Item> | undefined {
    let largest: Network<Item> | undefined;
    for (const network of this.#networks.values()) if (network.size > (largest?.size ?? 0)) largest = network;
    return largest;
  }

  /** Of the address that has the most. */
  #takeLatest(network: Network<Item>): Item | undefined {
    let longest: [string, Item[]] | undefined;
    for (const entry of network.addresses) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    if (longest === undefined) return undefined;
    const [address, items] = longest;
    const item = items.pop();
    if (items.length === 0) network.addresses.delete(address);
    this.#shrink(network);
    return item;
  }

  #shrink(network: Network<Item>): void {
    network.size -= 1;
    this.#size -= 1;
    if (network.size === 0) this.#networks.delete(network.name);
  }
}
