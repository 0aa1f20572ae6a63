import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectNothingLost,
  expectNothingTwice,
  expectSoundFile,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { eachEngine } from '../harness/engines.ts';
import { Load } from '../harness/load.ts';

/** Messages that a node may have claimed at once: the window of the simulator and as many ahead. */
const mostInFlight = 400;

const provisioning = standardProvisioning.replace(
  'submitDelayMs: 0, receiptDelayMs: 20',
  'submitDelayMs: 15, receiptDelayMs: 60, window: 200',
);

eachEngine('a server killed under load', (engine) => {
  let app: WholeApp | undefined;
  afterEach(() => app?.close());

  test('[DLV-6] [SEND-5] three times: nothing acknowledged is lost, nothing undoubted is sent twice, and the books are right to the part', async () => {
    app = await startWholeApp({ engine, provisioning });
    const accepted = new Map<string, string>();
    const lives = [1_700, 900, 1_300];
    for (const lifeMs of lives) {
      const load = new Load(app.baseUrl, alice);
      load.start();
      await delay(lifeMs);
      await app.kill();
      await load.stop();
      for (const [id, to] of load.accepted) accepted.set(id, to);
      // Refused or unanswered it may have been, but not answered wrongly.
      expect(load.refusals.filter(({ status }) => status !== 503)).toEqual([]);
      await app.restart();
    }
    await untilAllEnded(app, 40_000);
    const messages = await allMessages(app);
    expect(accepted.size).toBeGreaterThan(500);
    expectNothingLost(messages, accepted);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
    await expectSoundFile(app);
    // Killed under load, it had something in hand: that and no more is in doubt.
    const doubtful = messages.filter(({ inDoubt }) => inDoubt === 1).length;
    expect(doubtful).toBeGreaterThan(0);
    expect(doubtful).toBeLessThanOrEqual(lives.length * mostInFlight);
  }, 90_000);
});
