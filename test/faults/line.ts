/** A fault's own path through the server under test: a number prefix, the carrier it routes to, and the peer behind that carrier. */
import { setTimeout as delay } from 'node:timers/promises';
import { between, pick, type Random } from '../crash/random.ts';
import type { ApiClient } from '../harness/api-client.ts';
import { type AcceptedItem, sendPath } from '../harness/messaging.ts';
import type { FaultyPeer } from './faulty-peer.ts';

/** The minimum and maximum numbers of recipients per call and of milliseconds between calls. */
const inACall = [1, 8] as const;
const pauseMs = [5, 40] as const;
const longestMs = 60_000;
const shareOfTwoParts = 0.25;
const twoParts = 'Two parts of an SMS. '.repeat(9);

export class Line {
  readonly name: string;
  readonly prefix: string;
  readonly peer: FaultyPeer;
  /** The recipient of each acknowledged message, by message id. */
  readonly acknowledged = new Map<string, string>();
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #random: Random;
  #serial = 0;

  constructor(
    number: number,
    peer: FaultyPeer,
    random: Random,
    settings: Readonly<Record<string, unknown>> = {},
  ) {
    this.name = `line${number}`;
    // All prefixes have the same length, so that none begins another.
    this.prefix = `467${String(number).padStart(3, '0')}`;
    this.peer = peer;
    this.#random = random;
    this.#settings = settings;
  }

  /** The carrier's entry in the provisioning file, with shorter times than usual to keep the trial quick. */
  get carrier(): object {
    return {
      name: this.name,
      throttlePauseMs: 50,
      // A machine that stalls for seconds must not close links that only seem unresponsive.
      connectTimeoutMs: 4_000,
      responseTimeoutMs: 4_000,
      reconnectMinMs: 50,
      reconnectMaxMs: 400,
      inDoubtTries: 6,
      ...this.peer.carrier,
      ...this.#settings,
    };
  }

  get route(): object {
    return { name: this.name, prefix: this.prefix, carriers: [this.name] };
  }

  /**
   * Sends each number one message, some in two parts. Refused messages are replaced by messages to other numbers as
   * long as that is worthwhile. Returns the acknowledged items.
   */
  async send(clients: () => readonly ApiClient[], messages: number): Promise<readonly AcceptedItem[]> {
    const accepted: AcceptedItem[] = [];
    const deadline = performance.now() + longestMs;
    for (let left = messages; left > 0 && performance.now() < deadline; ) {
      const client = pick(this.#random, clients() as [ApiClient, ...ApiClient[]]);
      const to = this.#numbers(Math.min(left, between(this.#random, ...inACall)));
      const isLong = this.#random() < shareOfTwoParts;
      const items = await this.#call(client, to, isLong ? twoParts : 'One part');
      for (const { id, to: recipient } of items) this.acknowledged.set(id, recipient);
      accepted.push(...items);
      left -= items.length;
      await delay(between(this.#random, ...pauseMs));
    }
    return accepted;
  }

  #numbers(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      this.#serial += 1;
      return `${this.prefix}${String(this.#serial).padStart(5, '0')}`;
    });
  }

  async #call(client: ApiClient, to: readonly string[], message: string): Promise<readonly AcceptedItem[]> {
    try {
      const { status, body, text } = await client.post(sendPath, { to, message });
      if (status === 200) return body.accepted;
      if (status === 503) return [];
      throw new Error(`${status}: ${text}`);
    } catch (error) {
      // A server that is down or frozen acknowledges no message, so it need not deliver any.
      if (error instanceof TypeError) return [];
      throw error;
    }
  }
}
