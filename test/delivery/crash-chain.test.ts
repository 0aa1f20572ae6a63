/** Two servers, the second of which is the SMPP carrier of the first, are killed in turn under load. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { status } from '../../src/messages/message.ts';
import { between, seeded } from '../crash/random.ts';
import { untilAllEnded } from '../crash/verdict.ts';
import { apiClient } from '../harness/api-client.ts';
import { alice, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { startChain } from '../harness/carillon-chain.ts';
import { CarrierLedger } from '../harness/carrier-ledger.ts';
import { acceptedOf, query, recipient, sendPath } from '../harness/messaging.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';

const killsOfEach = 2 * runsFactor;
const leastAccepted = 50;
const senders = 8;
const endTimeoutMs = 120_000;

interface Traffic {
  /** Texts of acknowledged messages, by id. */
  readonly accepted: Map<string, string>;
  stop(): Promise<void>;
}

/** Each text is sent once: a call without an answer is repeated with its key. */
function begin({ baseUrl }: WholeApp): Traffic {
  const accepted = new Map<string, string>();
  let [goesOn, texts] = [true, 0];
  async function send(): Promise<void> {
    texts += 1;
    const message = `text ${texts}`;
    const body = { to: [recipient(texts)], message };
    while (goesOn) {
      const answer = await apiClient(baseUrl, alice)
        .post(sendPath, body, { 'idempotency-key': message })
        .catch(() => undefined);
      if (answer?.status === 200) {
        for (const { id } of acceptedOf(answer)) accepted.set(id, message);
        return;
      }
      await delay(25);
    }
  }
  const all = Promise.all(
    Array.from({ length: senders }, async () => {
      while (goesOn) await send();
    }),
  );
  return {
    accepted,
    async stop() {
      goesOn = false;
      await all;
    },
  };
}

async function messagesOf(app: WholeApp) {
  const rows = await query(app, 'SELECT id, text, status, in_doubt, attempts FROM messages');
  return rows.map((row) => ({
    id: String(row.id),
    text: String(row.text),
    status: Number(row.status),
    isDoubtful: Number(row.in_doubt) > 0,
    attempts: Number(row.attempts),
  }));
}

test(
  '[ESME-2] [ESME-3] [DLV-6] Two servers in a chain that are killed in turn lose nothing they acknowledged, and repeat only what is in doubt',
  async () => {
    const ledger = new CarrierLedger();
    const chain = await startChain(ledger.env);
    const { first, second } = chain;
    try {
      const random = seeded(7);
      const traffic = begin(first);
      const live = async () => {
        const enough = traffic.accepted.size + leastAccepted;
        await until(() => traffic.accepted.size >= enough);
        await delay(between(random, 0, 100));
      };
      for (let kill = 0; kill < 2 * killsOfEach; kill++) {
        await live();
        const app = kill % 2 === 0 ? second : first;
        await app.kill();
        // The other one goes on meanwhile.
        await delay(between(random, 0, 500));
        await app.restart();
      }
      await live();
      await traffic.stop();
      expect(await untilAllEnded(first, endTimeoutMs)).toBe(true);
      expect(await untilAllEnded(second, endTimeoutMs)).toBe(true);

      const sent = await messagesOf(first);
      const known = new Map(sent.map((message) => [message.id, message]));
      const lost = [...traffic.accepted].filter(([id, text]) => known.get(id)?.text !== text);
      expect(lost).toEqual([]);
      const odd = sent.filter(
        (one) => one.status !== status.DELIVERED && !(one.status === status.UNKNOWN && one.isDoubtful),
      );
      expect(odd).toEqual([]);

      const taken = await messagesOf(second);
      const copies = new Map<string, number>();
      for (const { text } of taken) copies.set(text, (copies.get(text) ?? 0) + 1);
      const missing = sent.filter((one) => one.status === status.DELIVERED && !copies.has(one.text));
      expect(missing).toEqual([]);
      // A message in doubt may have been taken each time it was tried.
      const most = (one: (typeof sent)[number]) => (one.isDoubtful ? one.attempts : 1);
      const doubled = sent.filter((one) => (copies.get(one.text) ?? 0) > most(one));
      expect(doubled).toEqual([]);

      const handed = ledger.read();
      expect(taken.filter((one) => one.status !== status.DELIVERED && !one.isDoubtful)).toEqual([]);
      expect(taken.filter(({ id }) => !handed.has(id))).toEqual([]);
      expect(taken.filter((one) => (handed.get(one.id)?.times ?? 0) > most(one))).toEqual([]);
      expect(sent.length).toBeGreaterThanOrEqual(leastAccepted * 2 * killsOfEach);
      if (runsFactor > 1) {
        const doubts = [sent, taken].map((all) => all.filter((one) => one.isDoubtful).length);
        process.stdout.write(
          `${JSON.stringify({ kills: 2 * killsOfEach, sent: sent.length, taken: taken.length, doubts })}\n`,
        );
      }
    } finally {
      await chain.close();
      ledger.remove();
    }
  },
  longRunMs(300_000),
);
