import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';

describe.skipIf(process.platform === 'win32')('a data folder that is open to all, without a umask', () => {
  let app: WholeApp;
  let folder = '';
  let umask = 0;
  beforeAll(async () => {
    umask = process.umask(0);
    folder = mkdtempSync(join(tmpdir(), 'carillon-open-'));
    chmodSync(folder, 0o777);
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: standardProvisioning,
      // The server generates its own secret.
      env: { CARILLON_DATA: folder, CARILLON_SECRET: '' },
    });
  });
  afterAll(async () => {
    process.umask(umask);
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const files = () => readdirSync(folder).map((name) => join(folder, name));
  const modes = () => new Set(files().map((path) => (statSync(path).mode & 0o777).toString(8)));

  test('[RUN-4] Every file in the data folder is accessible to its owner only', async () => {
    const answer = await app.as(alice).post('/restsms/svcrest/send', { to: ['46701740699'], message: 'Hi' });
    expect(answer.status).toBe(200);
    const names = readdirSync(folder).sort();
    expect(names).toEqual(
      expect.arrayContaining(['carillon.db', 'carillon.db-wal', 'control.sock', 'secret']),
    );
    expect(modes()).toEqual(new Set(['600']));
  });

  test('[RUN-4] Files that were open to others are closed to them at the next start', async () => {
    await app.kill();
    for (const path of files()) chmodSync(path, 0o666);
    await app.restart();
    expect(modes()).toEqual(new Set(['600']));
    expect(app.stderr).not.toContain('users other than its owner');
  });
});
