/** Claim: the list that each portal page opens with loads at once, on a store of a million messages. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/app/open-store.ts';
import { raw, sql } from '../src/storage/sql.ts';
import { startWholeApp, type WholeApp } from '../test/harness/app.ts';
import { type BrowserSession, beginSession } from '../test/harness/browser-session.ts';
import { startPostgres } from '../test/harness/postgres.ts';
import { big, firstBatchId, messages, now, stocking } from '../test/plans/stock.ts';
import { openDirectly } from './database.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';

const clockHook = new URL('../test/harness/clock-hook.mjs', import.meta.url);
const username = `user${big.userId}`;
const maxMs = 200;

/** The page's filter for failed messages. There are none, so the search covers the whole store. */
const failed = 'EXPIRED,REJECTED,UNDELIVERABLE,ABSENTSUBSCRIBER,UNKNOWNSUBSCRIBER,INVALIDDESTINATION,ERROR';

/** The first call of each page. */
const calls: readonly string[] = [
  '/api/v1/messages?limit=50',
  `/api/v1/messages?status=${failed}`,
  '/api/v1/messages?status=DELIVERED&since=2023-10-28T00:00:00Z',
  '/api/v1/messages?from=Other',
  '/api/v1/messages?to=46701500000',
  '/api/v1/messages?conversation=c7',
  `/api/v1/messages?batchId=${firstBatchId}`,
  '/api/v1/messages/500001',
  '/api/v1/conversations',
  '/api/v1/conversations?unread=true',
  '/api/v1/conversations?archived=true',
  '/api/v1/conversations?search=467012',
  '/api/v1/conversations/1000003?limit=40',
  '/api/v1/unrouted',
  '/api/v1/batches',
  `/api/v1/batches/${firstBatchId}`,
  `/api/v1/batches/${firstBatchId}/failed`,
  '/api/v1/scheduled',
  '/api/v1/usage',
  '/api/v1/quota',
  '/api/v1/templates',
  '/api/v1/addressbooks',
  '/api/v1/addressbooks/1/contacts?limit=50',
  '/api/v1/addressbooks/1/contacts?limit=50&q=anna',
  '/api/v1/addressbooks/1/contacts?limit=50&filter=skill:v2',
  '/api/v1/addressbooks/1/contacts?limit=50&filter=skill:v1',
  '/api/v1/addressbooks/1/groups',
  '/api/v1/addressbooks/1/tags?limit=200',
  '/api/v1/addressbooks/1/filters?limit=200',
  '/api/v1/simulator/phones?limit=50',
  '/api/v1/apikeys',
  '/api/v1/audit',
  '/api/v1/numbers',
  '/portal/api/sessions',
];

export async function portal(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 3 : 15 } = options;
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, rounds)));
  return {
    name: 'portal',
    claim: `Over ${messages.toLocaleString('en')} messages, the first page of each list of the portal is answered within ${maxMs} ms.`,
    method: [
      'The store of `test/plans`: nearly everything belongs to one company and one user, its administrator, who makes the calls. The engine has no statistics of the tables yet.',
      'One call at a time, in a portal session, timed from the first byte sent to the last byte read; the first round has a figure of its own.',
      'Nothing is sent meanwhile (`--roles http`).',
    ],
    figures,
  };
}

async function measure(engine: Engine, rounds: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const place = { dataFolder: folder, databaseUrl: postgres?.url };
  try {
    await fill(place);
    const app = await startWholeApp({
      engine: 'sqlite',
      provisioning: 'companies: []',
      serve: ['--roles', 'http'],
      env: {
        CARILLON_DATA: folder,
        ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }),
        ...clockAtStock(folder),
      },
    });
    try {
      return await timesOf(engine, await signedIn(app), rounds);
    } finally {
      await app.close();
    }
  } finally {
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Place = Parameters<typeof openDirectly>[0];

/** Uses the schema of this version, with a user who may see everything. */
async function fill(place: Pick<Place, 'dataFolder' | 'databaseUrl'>): Promise<void> {
  const store = await openStore(place, { warn: console.error, fatal: console.error }, { schema: 'migrate' });
  await store.close();
  const database = await openDirectly(place);
  if (database.engine === 'sqlite') await database.all(sql`PRAGMA synchronous = OFF`);
  for (const text of stocking(database.engine)) await database.all(sql`${raw(text)}`);
  // The server that is about to start gets the first id of a node.
  await database.all(sql`DELETE FROM nodes`);
  const roles = JSON.stringify(['send', 'jobs', 'companyAdmin', 'batchAdmin']);
  await database.all(sql`UPDATE users SET roles = ${roles} WHERE id = ${big.userId}`);
  await database.close();
}

/** Sets the clock to the time of the stock, at which nothing in it is old enough to be purged. */
function clockAtStock(folder: string): Readonly<Record<string, string>> {
  const file = join(folder, 'clock');
  writeFileSync(file, String(now - Date.now()));
  return { NODE_OPTIONS: `--import=${clockHook.href}`, TEST_CLOCK_FILE: file };
}

async function signedIn(app: WholeApp): Promise<BrowserSession> {
  const { stdout } = await app.run('user', 'link', username);
  const token = /#(\S+)/.exec(stdout)?.[1];
  return beginSession(app, { token }, '/portal/api/session/link');
}

async function timesOf(engine: Engine, session: BrowserSession, rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const path of calls) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const startedAt = performance.now();
      const { status, text } = await session.get(path);
      times.push(performance.now() - startedAt);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    }
    const [first = 0, ...others] = times;
    figures.push(medianOf(others, { engine, what: `GET ${path}`, unit: 'ms' }, { atMost: maxMs }));
    if (first > maxMs) figures.push({ engine, what: `GET ${path}, first call`, value: first, unit: 'ms' });
  }
  return figures;
}

await runWhenMain(import.meta, portal);
