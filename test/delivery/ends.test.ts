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
      const deadline = Date.now() + 10_000;
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
    const { acceptMs, sentMs } = await stepsOf(app.as(alice), 15, 150);
    // A sweep every 250 ms would give a median above 100 ms. A few milliseconds are usual, more on a busy machine.
    expect(sentMs).toBeLessThan(80 + 3 * acceptMs);
  });

  test('[SEND-12] begins within a second of its send time, not before, also across restarts and kills', async () => {
    const client = app.as(alice);
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    const times = [1_500, 4_000, 6_500];
    const ids: string[] = [];
    for (const ms of times) ids.push(await sendOne(client, { scheduletime: inMs(ms) }));
    expect((await statusesOf(client, ids)).map(({ status }) => status)).toEqual(Array(3).fill('SCHEDULED'));
    const [first = '', second = '', third = ''] = ids;
    await whenAllAre(client, [first], 'DELIVERED');
    expect((await statusesOf(client, [second, third])).map(({ status }) => status)).toEqual([
      'SCHEDULED',
      'SCHEDULED',
    ]);
    const upAt: number[] = [Date.now()];
    await app.restart();
    upAt.push(Date.now());
    await whenAllAre(app.as(alice), [second], 'DELIVERED');
    await app.kill();
    await app.restart();
    upAt.push(Date.now());
    await whenAllAre(app.as(alice), [third], 'DELIVERED');
    // The moment of its claim stands in the part that the carrier took.
    const rows = await query(
      app,
      `SELECT messages.id, messages.expires_at - 86400000 AS due, message_parts.changed_at AS sent FROM messages
       JOIN message_parts ON message_parts.company_id = messages.company_id AND message_parts.message_id = messages.id
       WHERE messages.id IN (${ids.join(', ')}) ORDER BY messages.id`,
    );
    expect(rows).toHaveLength(3);
    for (const [index, { sent, due }] of rows.entries()) {
      expect(Number(sent)).toBeGreaterThanOrEqual(Number(due));
      // On a busy machine a restart may have lasted beyond it.
      const possibleAt = Math.max(Number(due), upAt[index] as number);
      expect(Number(sent) - possibleAt).toBeLessThan(1_000);
    }
  });

  test('[SEND-12] a send time that went by while the server was away: it leaves as soon as the server is back', async () => {
    const id = await sendOne(app.as(alice), { scheduletime: new Date(Date.now() + 700).toISOString() });
    await app.kill();
    await delay(900);
    await app.restart();
    const startedAt = Date.now();
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });
});
