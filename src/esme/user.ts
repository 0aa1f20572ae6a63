/** A user who has bound at this node: the user's connections, what it may ask for, and what waits for it. */
import type { SmppClient } from '../accounts/smpp-authentication.ts';
import type { Deliverer } from './deliverer.ts';
import type { ClientSession } from './session.ts';

export class BoundUser {
  readonly sessions = new Set<ClientSession>();
  /** Present while the user has a receiver here. */
  deliverer: Deliverer | undefined;
  #client: SmppClient;
  #tokens: number;
  #filledAt = performance.now();

  constructor(client: SmppClient) {
    this.#client = client;
    this.#tokens = client.login.throughput;
  }

  get client(): SmppClient {
    return this.#client;
  }

  /** What the store says of the user now. */
  renew(client: SmppClient): void {
    this.#client = client;
    for (const session of this.sessions) session.setWindow(client.login.window);
  }

  get receives(): boolean {
    for (const session of this.sessions) if (session.receives) return true;
    return false;
  }

  /** False if the user has used up this second's messages. */
  take(messages: number): boolean {
    const { throughput } = this.#client.login;
    if (throughput === 0) return true;
    this.#fill(performance.now());
    // More recipients than a second's messages go at once, and are paid for later.
    if (this.#tokens < Math.min(messages, throughput)) return false;
    this.#tokens -= messages;
    return true;
  }

  /** Whether nothing has to be remembered of what the user has submitted. */
  isRested(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.#client.login.throughput;
  }

  #fill(now: number): void {
    const { throughput } = this.#client.login;
    const earned = ((now - this.#filledAt) / 1_000) * throughput;
    this.#tokens = Math.min(throughput, this.#tokens + earned);
    this.#filledAt = now;
  }
}
