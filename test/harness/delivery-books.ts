/** Invariants of a server's store, read without the server, once all messages are final. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WholeApp } from './app.ts';
import type { CarrierLedger } from './carrier-ledger.ts';
import { Load } from './load.ts';
import { query } from './messaging.ts';

interface Message {
  readonly id: string;
  readonly recipient: string;
  readonly status: number;
  readonly parts: number;
  readonly charge: number;
  readonly attempts: number;
  readonly inDoubt: number;
  /** Parts that the carrier accepted. */
  readonly taken: number;
}

const sent = 1;
const refunded = 2;

/** Waits until nothing is queued, in flight or awaiting a receipt, except messages that never end. */
export async function untilAllEnded(app: WholeApp, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await query(app, 'SELECT COUNT(*) AS open FROM messages WHERE stage IS NOT NULL');
    if (Number(row?.open) === 0) return;
    if (Date.now() > deadline) {
      const stuck = await query(
        app,
        'SELECT stage, status, node_id, in_doubt, COUNT(*) AS messages FROM messages WHERE stage IS NOT NULL GROUP BY 1, 2, 3, 4',
      );
      const nodes = await query(app, 'SELECT * FROM nodes');
      throw new Error(
        `not all have ended after ${timeoutMs} ms: ${JSON.stringify(stuck)} nodes ${JSON.stringify(nodes)}\n${app.stdout.slice(-3_000)}`,
      );
    }
    await delay(100);
  }
}

export async function allMessages(app: WholeApp): Promise<readonly Message[]> {
  const rows = await query(
    app,
    `SELECT id, recipient, status, parts, charge, attempts, in_doubt,
            (SELECT COUNT(*) FROM message_parts WHERE message_parts.company_id = messages.company_id
              AND message_parts.message_id = messages.id) AS taken
     FROM messages`,
  );
  return rows.map((row) => ({
    id: String(row.id),
    recipient: String(row.recipient),
    status: Number(row.status),
    parts: Number(row.parts),
    charge: Number(row.charge),
    attempts: Number(row.attempts),
    inDoubt: Number(row.in_doubt),
    taken: Number(row.taken),
  }));
}

/** Every acknowledged message is stored and has the final status that its recipient's number implies. */
export function expectNothingLost(messages: readonly Message[], accepted: ReadonlyMap<string, string>): void {
  const stored = new Map(messages.map((message) => [message.id, message]));
  expect([...accepted.keys()].filter((id) => !stored.has(id))).toEqual([]);
  const wrong = messages.filter(({ recipient, status }) => status !== Load.endOf(recipient));
  expect(wrong.slice(0, 5)).toEqual([]);
}

/**
 * A claim hands over each open part once, and every claim is counted. So a message that is not in doubt must have been claimed
 * at most once, and each of its parts must exist once, under one id.
 */
export async function expectNothingTwice(app: WholeApp, messages: readonly Message[]): Promise<void> {
  const again = messages.filter(({ attempts, inDoubt }) => attempts > 1 && inDoubt === 0);
  expect(again.slice(0, 5)).toEqual([]);
  await expectEachPartOnce(app, messages);
}

/** According to what the carrier itself saw, a message that is not in doubt was handed over at most once. */
export function expectHandedOnce(messages: readonly Message[], ledger: CarrierLedger): void {
  const handed = ledger.read();
  const twice = messages.filter(({ id, inDoubt }) => inDoubt === 0 && (handed.get(id)?.times ?? 0) > 1);
  expect(twice.slice(0, 5)).toEqual([]);
}

/** If a carrier may give messages back, for example when it stops, only the parts can show duplicates. */
export async function expectEachPartOnce(app: WholeApp, messages: readonly Message[]): Promise<void> {
  const wrong = messages.filter(
    ({ status, taken, parts }) => status >= sent && status !== 4 && taken !== parts,
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  const twice = await query(
    app,
    'SELECT carrier_message_id FROM message_parts GROUP BY carrier_id, carrier_message_id HAVING COUNT(*) > 1',
  );
  expect(twice.slice(0, 5)).toEqual([]);
}

/** The quota used and the usage counts equal what the messages cost, to the part. */
export async function expectBooksInOrder(app: WholeApp, messages: readonly Message[]): Promise<void> {
  const paid = messages.filter(({ charge }) => charge !== refunded);
  const parts = paid.reduce((sum, message) => sum + message.parts, 0);
  const [used] = await query(
    app,
    `SELECT (SELECT COALESCE(SUM(quota_used), 0) FROM users) AS users,
            (SELECT COALESCE(SUM(quota_used), 0) FROM companies) AS companies,
            (SELECT COALESCE(SUM(parts), 0) FROM usage_counts) AS counted,
            (SELECT COALESCE(SUM(messages), 0) FROM usage_counts) AS messages`,
  );
  expect(Object.values(used ?? {}).map(Number)).toEqual([parts, parts, parts, paid.length]);
}

/** Runs SQLite's own integrity check. */
export async function expectSoundFile(app: WholeApp): Promise<void> {
  if (app.env.DATABASE_URL !== undefined) return;
  expect(await query(app, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}
