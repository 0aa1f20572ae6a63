/** A first start listens before its demo company exists, and does not point anyone to it until then. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { startApp } from '../src/app/app.ts';
import { readConfig } from '../src/config/config.ts';
import { databasePath, openDatabase } from '../src/storage/sqlite/database.ts';
import { pause, until } from './harness/awake.ts';
import { freePort } from './harness/free-port.ts';

/**
 * Starts a server on a new store and blocks writes to the store as soon as the server listens. Returns what `/readyz` says
 * meanwhile and afterwards, or undefined if the demo company was created too soon.
 */
async function startHeldUp() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-first-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { headers: { connection: 'close' } });
    return { status: answer.status, text: await answer.text() };
  };
  const dataFolder = join(folder, 'data');
  const config = readConfig({
    CARILLON_HTTP: `127.0.0.1:${port}`,
    CARILLON_SECRET: 'a secret of the tests, long enough to be one',
    CARILLON_DATA: dataFolder,
    CARILLON_SMTP: 'off',
  });
  const starting = startApp(config, { log: pino({ level: 'silent' }), lostLines: () => 0 });
  try {
    while ((await ask('/healthz').catch(() => undefined)) === undefined) await pause(1);
    const database = openDatabase(databasePath(dataFolder));
    database.exec('BEGIN IMMEDIATE');
    const isMissed = database.prepare('SELECT id FROM companies').all().length > 0;
    const meanwhile = await ask('/readyz');
    database.exec('ROLLBACK');
    database.close();
    const { demo } = await starting;
    // The server retries a write that was refused meanwhile.
    await until(async () => (await ask('/readyz')).status === 200);
    return isMissed ? undefined : { meanwhile, demo };
  } finally {
    await (await starting).stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('[RUN-1] [RUN-2] A first start is not ready before its demo company is made, and then is', async () => {
  let found: Awaited<ReturnType<typeof startHeldUp>>;
  for (let tries = 0; found === undefined && tries < 10; tries += 1) found = await startHeldUp();
  expect(found?.meanwhile.status).toBe(503);
  expect(found?.meanwhile.text).toContain('the first start is not finished');
  expect(found?.demo).toMatchObject({ username: 'demo' });
});
