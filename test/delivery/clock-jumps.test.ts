import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { revokeKey } from '../../src/accounts/api-keys.ts';
import { type App, startApp } from '../../src/app/app.ts';
import { withStore } from '../../src/app/open-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { listOtherNodes } from '../../src/messages/nodes/store.ts';
import { inspectMessage } from '../../src/messages/operator/inspect.ts';
import type { Store } from '../../src/storage/store.ts';
import { type ApiClient, apiClient } from '../harness/api-client.ts';
import { alice, standardProvisioning } from '../harness/app.ts';
import { pause, until } from '../harness/awake.ts';
import { type EngineName, eachEngine, freshDatabase } from '../harness/engines.ts';
import { acceptedOf, keyPath, recipient, sendOne, sendPath, whenAllAre } from '../harness/messaging.ts';

const hourMs = 3_600_000;
/** Validity, in minutes, that is longer than the clock's jump. */
const lasting = { validminutes: 10_080 };
/** Longer than a node's heartbeat interval, and than the interval between two checks for dead nodes. */
const beatsMs = 5_500;

/** The servers run in this process, so that the test can set the time of day for all of them. */
async function startServers(engine: EngineName) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-clock-'));
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  const provisioningFile = join(folder, 'provisioning.yaml');
  writeFileSync(provisioningFile, standardProvisioning);
  const config = readConfig({
    CARILLON_HTTP: '127.0.0.1:0',
    CARILLON_SECRET: 'a secret of the tests, long enough to be one',
    CARILLON_DATA: join(folder, 'data'),
    CARILLON_PROVISION: provisioningFile,
    CARILLON_SMTP: 'off',
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
  });
  const apps: App[] = [];
  const log = { log: pino({ level: 'silent' }), lostLines: () => 0 };
  for (let count = engine === 'postgres' ? 2 : 1; count > 0; count--) apps.push(await startApp(config, log));
  return {
    clients: (credentials: Parameters<typeof apiClient>[1]) =>
      apps.map(({ url }) => apiClient((url as string).replace(/\/$/, ''), credentials)),
    inStore: <Result>(work: (store: Store) => Promise<Result>) => withStore(config, work),
    async stop() {
      for (const app of apps) await app.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

eachEngine('servers whose clock is set', (engine) => {
  let setByMs = 0;
  let servers: Awaited<ReturnType<typeof startServers>>;
  beforeEach(async () => {
    setByMs = 0;
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + setByMs);
    servers = await startServers(engine);
  });
  afterEach(async () => {
    await servers.stop();
    vi.restoreAllMocks();
  });

  const nodes = () =>
    servers.inStore(async (store) =>
      (await store.read(listOtherNodes, -1))
        .map(({ id, ended }) => ({ id, ended }))
        .sort((a, b) => a.id - b.id),
    );

  async function sendScheduled(client: ApiClient): Promise<string> {
    const scheduletime = new Date(Date.now() + 1_000).toISOString();
    const answer = await client.post(sendPath, {
      to: [recipient(1)],
      message: 'Later',
      scheduletime,
      ...lasting,
    });
    return acceptedOf(answer)[0]?.id as string;
  }

  test('[SEND-12] [DLV-6] [RUN-2] [AUTH-5] Servers whose clock is changed deliver everything once, take no node for dead, and refuse a revoked key', async () => {
    const [first] = servers.clients(alice) as [ApiClient];
    const key = (await first.get(keyPath, { name: 'till' })).body as string;
    const clients = servers.clients({ key });
    const before = await nodes();
    expect(before).toHaveLength(clients.length);
    const ids: string[] = [];
    for (const hours of [2, 72, -5]) {
      const soon = await sendScheduled(first);
      const onTheWay = await sendOne(first, lasting);
      const setBefore = setByMs;
      setByMs = hours * hourMs;
      ids.push(onTheWay, ...(hours > 0 ? [soon] : []));
      for (const client of clients) ids.push(await sendOne(client), await sendScheduled(client));
      // No other node is there to declare a lone node dead.
      const beats = engine === 'postgres' ? pause(beatsMs) : undefined;
      await Promise.all([whenAllAre(first, ids, 'DELIVERED'), beats]);
      expect(await nodes()).toEqual(before);
      if (hours > 0) continue;
      // Messages scheduled before the jump are still sent at their time, which is now hours away.
      setByMs = setBefore;
      ids.push(soon);
      await whenAllAre(first, ids, 'DELIVERED');
      setByMs = hours * hourMs;
    }
    await servers.inStore(async (store) => {
      for (const id of ids) {
        const message = await store.read(inspectMessage, Number(id));
        expect(message).toMatchObject({ attempts: 1, inDoubt: 0 });
      }
      await revokeKey(store, { username: 'alice', name: 'till' });
      const refused = async (client: ApiClient) => (await client.post(sendPath, { to: [] })).status === 401;
      await until(async () => (await Promise.all(clients.map(refused))).every(Boolean));
    });
    expect(await nodes()).toEqual(before);
  }, 300_000);
});
