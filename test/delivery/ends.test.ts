import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statusNames } from '../../src/messages/message.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { allMessages, expectBooksInOrder, expectNothingTwice } from '../harness/delivery-books.ts';
import { eachEngine } from '../harness/engines.ts';
import {
  acceptedOf,
  query,
  sendOne,
  sendPath,
  statusesOf,
  stepsOf,
  whenAllAre,
} from '../harness/messaging.ts';
import { expectWithin } from '../harness/on-time.ts';

eachEngine('the way of a message', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());

  test('[DLV-1] leads to the end that the simulator gives its number: 01 to 13, and DELIVERED for all others', async () => {
    const to = Array.from({ length: 100 }, (_, ending) => `467017406${String(ending).padStart(2, '0')}`);
    for (const message of ['One part', 'Three parts '.repeat(30)]) {
      const accepted = acceptedOf(await app.as(alice).post(sendPath, { to, message }));
      const wanted = new Map(
        accepted.map(({ id, to: recipient }) => {
          const ending = Number(recipient.slice(-2));
          return [id, statusNames[ending >= 1 && ending <= 13 ? ending : 2]];
        }),
      );
      const deadline = Date.now() + 40_000;
      for (;;) {
        const statuses = await statusesOf(app.as(alice), [...wanted.keys()]);
        const open = statuses.filter(({ id, status }) => status !== wanted.get(id));
        if (open.length === 0) break;
        if (Date.now() > deadline) expect(open).toEqual([]);
        await delay(20);
      }
    }
    // A number that ends in 01 has no receipt: it stays SENT.
    await delay(300);
    const messages = await allMessages(app);
    expect(messages.filter(({ status }) => status === 1)).toHaveLength(2);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
  });

  test('[DLV-1] takes next to no time where nothing is before it: no step waits for a clock', async () => {
    await sendOne(app.as(alice));
    const { acceptMs, sentMs } = await stepsOf(app, app.as(alice), 15, 150);
    // A sweep every 250 ms would give a median above 100 ms. A few milliseconds are usual, more on a busy machine.
    expect(sentMs).toBeLessThan(80 + 3 * acceptMs);
  });

  /** Of messages scheduled together: how long after the later of their time and this moment the last was claimed. */
  async function latestMs(ids: readonly string[], upAt = 0): Promise<number> {
    await whenAllAre(app.as(alice), ids, 'DELIVERED');
    // The moment of its claim stands in the part that the carrier took.
    const rows = await query(
      app,
      `SELECT messages.expires_at - 86400000 AS due, message_parts.changed_at AS sent FROM messages
       JOIN message_parts ON message_parts.company_id = messages.company_id AND message_parts.message_id = messages.id
       WHERE messages.id IN (${ids})`,
    );
    expect(rows).toHaveLength(ids.length);
    for (const { due, sent } of rows) expect(Number(sent)).toBeGreaterThanOrEqual(Number(due));
    return Math.max(...rows.map(({ due, sent }) => Number(sent) - Math.max(Number(due), upAt)));
  }

  const scheduled = (inMs: number) =>
    sendOne(app.as(alice), { scheduletime: new Date(Date.now() + inMs).toISOString() });

  test('[SEND-12] begins within a second of its send time, not before, also across restarts and kills', async () => {
    const statuses = async (ids: readonly string[]) =>
      (await statusesOf(app.as(alice), ids)).map(({ status }) => status);
    await expectWithin(1_000, async () => latestMs([await scheduled(700)]));
    // Long enough that its time comes after the server is up again.
    let awayMs = 600;
    for (const end of ['stop', 'kill'] as const) {
      await expectWithin(1_000, async () => {
        const [far, near] = [await scheduled(3_600_000), await scheduled(500 + 1.5 * awayMs)];
        expect(await statuses([far])).toEqual(['SCHEDULED']);
        const startedAt = Date.now();
        await app[end]();
        await app.restart();
        awayMs = Date.now() - startedAt;
        const upAt = Date.now();
        const tookMs = await latestMs([near], upAt);
        expect(await statuses([far])).toEqual(['SCHEDULED']);
        return tookMs;
      });
    }
  });

  test('[SEND-12] a send time that went by while the server was away: it leaves as soon as the server is back', async () => {
    await expectWithin(2_000, async () => {
      const id = await scheduled(700);
      await app.kill();
      await delay(900);
      await app.restart();
      return latestMs([id], Date.now());
    });
  });
});
