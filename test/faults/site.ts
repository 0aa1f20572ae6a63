/** The site of a fault trial: a server with its own store, which can fail, and a clock that can be set. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from '../../bench/process-usage.ts';
import { type ApiClient, apiClient } from '../harness/api-client.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import type { EngineName } from '../harness/engines.ts';
import { statusPath } from '../harness/messaging.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { mountSmallDisk, unmount } from '../harness/small-disk.ts';
import type { Line } from './line.ts';

const clockHook = new URL('../harness/clock-hook.mjs', import.meta.url);
const diskMiB = 256;

export interface Site {
  readonly engine: EngineName;
  /** The nodes; the first one owns the store they share. */
  readonly apps: readonly WholeApp[];
  /** One client per running node. */
  clients(): readonly ApiClient[];
  /** The database server of a PostgreSQL site. */
  readonly postgres: PostgresServer | undefined;
  /** The disk of an SQLite site, if one can be mounted; it holds nothing but the store. */
  readonly disk: string | undefined;
  /** Sets the clock of all nodes ahead of real time by this much. */
  setClock(byMs: number): void;
  addNode(): Promise<WholeApp>;
  /** The memory of the first node, in MiB. */
  memory(): number;
  close(): Promise<void>;
}

export async function openSite(engine: EngineName, lines: readonly Line[]): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-faults-'));
  const clockFile = join(folder, 'clock');
  const disk = join(folder, 'disk');
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const hasDisk = engine === 'sqlite' && makeDisk(disk);
  const apps: WholeApp[] = [];
  const env = {
    NODE_OPTIONS: `--import=${clockHook.href}`,
    TEST_CLOCK_FILE: clockFile,
    CARILLON_LOG: 'warn',
    // Services by HTTP are told where they may call.
    CARILLON_PUBLIC_URL: 'https://sms.example',
  };
  const start = async (more: Readonly<Record<string, string>>, besides?: WholeApp) => {
    const options = besides === undefined ? { provisioning: provisioningOf(lines) } : { besides };
    // The site provides the database, so the harness must not create one.
    const app = await startWholeApp({ engine: 'sqlite', env: { ...env, ...more }, ...options });
    apps.push(app);
    // The first call verifies the password, so it is cached from now on.
    await app.as(alice).get(statusPath);
    return app;
  };
  const close = async () => {
    for (const app of [...apps].reverse()) await app.close();
    await postgres?.close();
    if (hasDisk) unmount(disk);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start({
      ...(postgres && { DATABASE_URL: await createDatabase(postgres.url) }),
      ...(hasDisk && { CARILLON_DATA: disk }),
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    engine,
    apps,
    postgres,
    disk: hasDisk ? disk : undefined,
    // None asks again by itself: the traffic goes on past a refusal.
    clients: () =>
      apps
        .filter((app, index) => index === 0 || app.pid !== undefined)
        .map((app) => apiClient(app.baseUrl, alice)),
    setClock(byMs) {
      // Replaces the file atomically, so that readers never see half of it.
      writeFileSync(`${clockFile}.next`, String(byMs));
      renameSync(`${clockFile}.next`, clockFile);
    },
    addNode: () => start({}, apps[0]),
    memory: () => memoryOf(apps[0]?.pid as number).total,
    close,
  };
}

function makeDisk(folder: string): boolean {
  mkdirSync(folder);
  return mountSmallDisk(folder, diskMiB);
}

function provisioningOf(lines: readonly Line[]): string {
  const user = { username: alice.username, password: alice.password, roles: ['send'] };
  // JSON is also valid YAML.
  return JSON.stringify({
    companies: [{ name: 'Nordic Care', defaultSender: 'NordicCare', users: [user] }],
    carriers: lines.map(({ carrier }) => carrier),
    routes: lines.map(({ route }) => route),
  });
}
