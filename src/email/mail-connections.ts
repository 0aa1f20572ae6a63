/** Bounds what connections may hold of this server, however slow or hostile those at their other ends are. */
import { networkOf } from '../http/network-of.ts';

export interface MailConnectionLimits {
  readonly maxConnections: number;
  /** Of these, by others than trusted relays and users who have logged in. */
  readonly maxStrangers: number;
  /** Of one network, unless it is trusted. */
  readonly maxPerNetwork: number;
  /** However lively: a mail of a megabyte over a slow line takes a minute, and servers come again. */
  readonly maxLifeMs: number;
}

export const standardMailConnectionLimits: MailConnectionLimits = {
  maxConnections: 200,
  maxStrangers: 150,
  maxPerNetwork: 20,
  maxLifeMs: 600_000,
};

/** What is being worked on is answered first. */
const answerMs = 15_000;

export interface ConnectionEnds {
  /** Its time is over. */
  over(): void;
  /** Its place is given to another network. */
  displaced(): void;
}

interface Connection {
  /** Undefined: it is trusted, and not counted by network. */
  readonly network: string | undefined;
  readonly ends: ConnectionEnds;
  timer: NodeJS.Timeout;
  isStranger: boolean;
  isWorking: boolean;
}

export class MailConnections {
  readonly #limits: MailConnectionLimits;
  /** The oldest first. */
  readonly #connections = new Map<string, Connection>();

  constructor(limits: MailConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** To be asked as soon as it is there, before anything is said. False: there is no room for it. */
  admit(
    id: string,
    from: { readonly address: string; readonly isTrusted: boolean },
    ends: ConnectionEnds,
  ): boolean {
    const network = from.isTrusted ? undefined : networkOf(from.address);
    if (network !== undefined && !this.#makeRoomFor(network)) return false;
    if (this.size >= this.#limits.maxConnections) return false;
    const over = () => {
      const connection = this.#connections.get(id);
      if (connection?.isWorking) connection.timer = setTimeout(over, answerMs).unref();
      else ends.over();
    };
    const timer = setTimeout(over, this.#limits.maxLifeMs).unref();
    const isStranger = network !== undefined;
    this.#connections.set(id, { network, ends, timer, isStranger, isWorking: false });
    return true;
  }

  /** Its user has logged in, and counts among strangers no more. */
  know(id: string): void {
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.isStranger = false;
  }

  isWorking(id: string): boolean {
    return this.#connections.get(id)?.isWorking ?? false;
  }

  working(id: string, isWorking: boolean): void {
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.isWorking = isWorking;
  }

  end(id: string): void {
    clearTimeout(this.#connections.get(id)?.timer);
    this.#connections.delete(id);
  }

  /**
   * When strangers have all of their places, the network that has the most gives one to a network that will have fewer:
   * so nobody shuts out all others from a few networks.
   */
  #makeRoomFor(network: string): boolean {
    const { maxStrangers, maxPerNetwork } = this.#limits;
    const connections = [...this.#connections];
    const ofNetwork = connections.filter(([, connection]) => connection.network === network).length;
    if (ofNetwork >= maxPerNetwork) return false;
    const strangers = connections.filter(([, { isStranger }]) => isStranger);
    if (strangers.length < maxStrangers) return true;
    const [id, oldest] = ofLargest(strangers, ofNetwork + 2) ?? [];
    if (id === undefined || oldest === undefined) return false;
    this.end(id);
    oldest.ends.displaced();
    return true;
  }
}

/** The first of those that are of the most frequent network, when it has as many as that. */
function ofLargest(
  strangers: readonly (readonly [string, Connection])[],
  least: number,
): readonly [string, Connection] | undefined {
  const counts = new Map<string | undefined, number>();
  for (const [, { network }] of strangers) counts.set(network, (counts.get(network) ?? 0) + 1);
  const most = Math.max(least, ...counts.values());
  return strangers.find(([, { network }]) => counts.get(network) === most);
}
