import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { eachEngine } from './harness/engines.ts';

const send = '/restsms/svcrest/send';
const status = '/restsms/svcrest/status';

/** Sends one SMS after the other until the server is gone, and collects the acknowledged ids. */
async function sendUntilGone(app: WholeApp, ids: string[]): Promise<void> {
  const client = app.as(alice);
  for (;;) {
    try {
      const answer = await client.post(send, {
        to: ['46701234567', '46701234568'],
        message: 'Are you there?',
      });
      expect(answer.status).toBe(200);
      ids.push(...answer.body.accepted.map(({ id }: { id: string }) => id));
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function statusesOf(app: WholeApp, ids: readonly string[]): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  for (let from = 0; from < ids.length; from += 1_000) {
    const answer = await app.as(alice).post(status, { id: ids.slice(from, from + 1_000) });
    expect(answer).toMatchObject({ status: 200, body: { notfound: [] } });
    for (const one of answer.body.statuses) statuses.set(one.id, one.status);
  }
  return statuses;
}

eachEngine(
  'a server that is killed again and again',
  (engine) => {
    let app: WholeApp;
    beforeAll(async () => {
      app = await startWholeApp({ engine, provisioning: standardProvisioning });
    });
    afterAll(() => app.close());

    test.sequential('[DLV-6] [SEND-5] A server that is killed again and again still has every message that it acknowledged, and delivers them all', async () => {
      const ids: string[] = [];
      // Waits for an amount of work rather than time, since a busy machine does less in the same time.
      for (const acknowledged of [60, 20, 100]) {
        const before = ids.length;
        const sending = Promise.all(Array.from({ length: 8 }, () => sendUntilGone(app, ids)));
        while (ids.length - before < acknowledged) await new Promise((resolve) => setTimeout(resolve, 5));
        await app.kill();
        await sending;
        await app.restart();
      }
      expect(new Set(ids).size).toBe(ids.length);
      let undelivered: readonly string[] = ids;
      // The messages of a dead node are taken over when its lease has ended.
      await until(async () => {
        const statuses = await statusesOf(app, undelivered);
        expect(statuses.size).toBe(undelivered.length);
        undelivered = undelivered.filter((id) => statuses.get(id) !== 'DELIVERED');
        return undelivered.length === 0;
      }, 300_000);
    }, 300_000);

    test.sequential('[RUN-4] A server told to stop ends in order, after finishing what it was doing', async () => {
      const ids: string[] = [];
      const sending = Promise.all(Array.from({ length: 4 }, () => sendUntilStopping(app, ids)));
      while (ids.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await app.stop()).toBe(0);
      await sending;
      await app.restart();
      expect((await statusesOf(app, ids)).size).toBe(ids.length);
    });
  },
  // The PostgreSQL block waits for the lease of the server that was killed last.
  { concurrent: true },
);

/**
 * A server that is stopping may refuse with 503, and then closes its port. Each call uses a new connection, since the server
 * may close an idle one at the very moment of a call (decision 56).
 */
async function sendUntilStopping(app: WholeApp, ids: string[]): Promise<void> {
  for (;;) {
    const answer = await app
      .as(alice)
      .post(send, { to: ['46701234567'], message: 'Still there?' }, { connection: 'close' })
      .catch((error: Error) => {
        expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
        return undefined;
      });
    if (answer?.status !== 200) {
      if (answer !== undefined)
        expect(answer).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
      return;
    }
    ids.push(answer.body.accepted[0].id);
  }
}
