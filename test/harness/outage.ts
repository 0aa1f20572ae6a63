/** What must hold in every store outage, whatever its cause, as observed by a load and a watch that continue throughout. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { alice, standardProvisioning, type WholeApp } from './app.ts';
import { until } from './awake.ts';
import { allMessages, expectBooksInOrder, expectEachPartOnce, untilAllEnded } from './delivery-books.ts';
import { Load } from './load.ts';

/** Slow carriers, so that an outage hits messages at every stage. */
export const outageProvisioning = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'submitDelayMs: 10, receiptDelayMs: 60, window: 200',
);

export interface Fault {
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  /**
   * Set for an outage that ends on its own: not every client need be refused during it, and /readyz may have been asked
   * only before and after it.
   */
  readonly isShort?: boolean;
}

/** Far more than a server needs for a load of ten clients, and far less than a leak would use. */
const maxResidentMiB = 400;
/** Allows for calls that wait in the server twice, for ten seconds at most: in authentication and in the transaction. */
const patienceMs = 90_000;

export function residentMiB(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

/**
 * Makes the store fail under load once per fault and checks what must hold meanwhile and afterwards. A fault lasts until
 * every client has been refused, so it would never end if a response waited for its end.
 */
export async function endure(app: WholeApp, faults: readonly Fault[]): Promise<void> {
  const { pid } = app;
  const load = new Load(app.baseUrl, alice, { connections: 10 });
  load.start();
  let maxMiB = 0;
  for (const { begin, end, isShort = false } of faults) {
    await load.accepting(50);
    const refusedBefore = load.refusals.length;
    const isAnswered = load.everyoneHeard('an answer');
    await begin();
    const isRefused = load.everyoneHeard('a refusal');
    try {
      let notReady = false;
      const isFelt = async () => {
        notReady ||= (await readiness(app)) === 503;
        maxMiB = Math.max(maxMiB, residentMiB(pid as number));
        return notReady && isRefused();
      };
      if (!isShort) await until(isFelt, patienceMs);
    } finally {
      await end();
    }
    await untilItWorks(app, load);
    await until(isAnswered, patienceMs);
    expect(load.refusals.length).toBeGreaterThan(refusedBefore);
  }
  await load.stop();
  expect(app.pid).toBe(pid);
  expect(load.unanswered).toBe(0);
  expect(load.accepted.size).toBeGreaterThan(100);
  expect(maxMiB).toBeLessThan(maxResidentMiB);
  expectRefusals(load);
  await expectNothingFalse(app, load);
}

async function readiness(app: WholeApp): Promise<number> {
  return (await fetch(`${app.baseUrl}/readyz`)).status;
}

async function untilItWorks(app: WholeApp, load: Load): Promise<void> {
  const accepted = load.accepted.size;
  try {
    await until(async () => load.accepted.size > accepted && (await readiness(app)) === 200, patienceMs);
  } catch (cause) {
    const output = `${app.stdout.slice(-3_000)}${app.stderr.slice(-3_000)}`;
    throw new Error(`no recovery:\n${output}`, { cause });
  }
}

/** Every refusal must tell the caller to retry. */
function expectRefusals(load: Load): void {
  for (const { status, retryAfter, code } of load.refusals) {
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(['store_unavailable', 'overloaded', 'not_ready']).toContain(code);
  }
}

/**
 * Every acknowledged message is stored and final, each part once. Other stored messages belong to requests whose refusal said
 * they might be stored.
 */
async function expectNothingFalse(app: WholeApp, load: Load): Promise<void> {
  await untilAllEnded(app, 180_000);
  const messages = await allMessages(app);
  const stored = new Set(messages.map(({ id }) => id));
  expect([...load.accepted.keys()].filter((id) => !stored.has(id))).toEqual([]);
  const unasked = messages.filter(
    ({ id, recipient }) => !load.accepted.has(id) && !load.doubtful.has(recipient),
  );
  expect(unasked.slice(0, 5)).toEqual([]);
  expect(messages.length).toBeLessThanOrEqual(load.accepted.size + load.doubtful.size);
  const wrong = messages.filter(({ recipient, status }) => status !== Load.endOf(recipient));
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(messages.filter(({ inDoubt }) => inDoubt > 0)).toEqual([]);
  await expectEachPartOnce(app, messages);
  await expectBooksInOrder(app, messages);
}
