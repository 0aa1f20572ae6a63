import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { describePostgres } from './harness/engines.ts';
import { createDatabase, type PostgresServer, startPostgres } from './harness/postgres.ts';

describePostgres('a server whose PostgreSQL is away', () => {
  let postgres: PostgresServer;
  let app: WholeApp;

  beforeAll(async () => {
    postgres = await startPostgres();
    const env = { DATABASE_URL: await createDatabase(postgres.url) };
    app = await startWholeApp({ engine: 'sqlite', env, provisioning: standardProvisioning });
  });
  afterAll(async () => {
    await app?.close();
    await postgres?.close();
  });

  const message = { to: ['46701234567'], message: 'Hello' };
  const send = () => app.as(alice).post('/restsms/svcrest/send', message);

  test('[DLV-7] [CONV-11] refuses with 503 and Retry-After, and works again by itself', async () => {
    expect((await send()).status).toBe(200);
    for (const how of ['fast', 'immediate'] as const) {
      const { pid } = app;
      await postgres.stop(how);
      const refused = await Promise.all(Array.from({ length: 10 }, send));
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 503, body: { result: 'ERROR', code: 'store_unavailable' } });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await postgres.start();
      const deadline = Date.now() + 10_000;
      while ((await send()).status !== 200) {
        if (Date.now() > deadline) throw new Error(`no recovery:\n${app.stdout.slice(-2_000)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(app.pid).toBe(pid);
    }
  });
});
