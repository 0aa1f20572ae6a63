/**
 * What a customer waits for during an attack, measured as server work: the processor time spent between the customer's call
 * and its response. A slow or busy machine makes the call wait longer, but not for more work.
 */
import { cpuMs } from '../../bench/process-usage.ts';
import { apiClient } from '../harness/api-client.ts';
import { sendPath, statusPath } from '../harness/messaging.ts';
import type { Strike } from './attack.ts';
import { probed, type Site } from './site.ts';

export interface WorkReport {
  readonly calls: number;
  /** Calls that were told to retry. */
  readonly refused: number;
  /** The server's processor time during the call with the most of it. */
  readonly maxMs: number;
}

const leastCalls = 24;
const calls = [
  [sendPath, { to: [probed], message: 'Is anybody there?' }],
  [statusPath, { maxnum: 10 }],
] as const;

/** Makes the customer's calls, one after the other. */
class Customer {
  readonly #site: Site;
  #calls = 0;
  #refused = 0;
  #maxMs = 0;

  constructor(site: Site) {
    this.#site = site;
  }

  async call(): Promise<void> {
    const { app, customerKey } = this.#site;
    const [path, body] = calls[this.#calls % calls.length] as (typeof calls)[number];
    const before = cpuMs(app.pid as number);
    const { status, text } = await apiClient(app.baseUrl, { key: customerKey }).post(path, body);
    this.#maxMs = Math.max(this.#maxMs, cpuMs(app.pid as number) - before);
    this.#calls += 1;
    if (status === 503) this.#refused += 1;
    else if (status !== 200) throw new Error(`${status}: ${text}`);
  }

  get report(): WorkReport {
    return { calls: this.#calls, refused: this.#refused, maxMs: this.#maxMs };
  }
}

/** The average server work per call when no one else is active. */
export async function usualWorkMs(site: Site): Promise<number> {
  const customer = new Customer(site);
  const turns = 5 * leastCalls;
  const before = cpuMs(site.app.pid as number);
  for (let turn = 0; turn < turns; turn++) await customer.call();
  return (cpuMs(site.app.pid as number) - before) / turns;
}

/** Strikes repeatedly, with this many at once, until the customer has had enough responses. */
export async function workBeside(site: Site, strike: Strike, concurrency: number): Promise<WorkReport> {
  const customer = new Customer(site);
  let goesOn = true;
  const attackers = Array.from({ length: concurrency }, async () => {
    do await strike();
    while (goesOn);
  });
  try {
    for (let turn = 0; turn < leastCalls; turn++) await customer.call();
  } finally {
    goesOn = false;
    await Promise.all(attackers);
  }
  return customer.report;
}
