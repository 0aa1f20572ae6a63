/** What a start, a stop and a command do with the data folder, and what they report about it. */
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../src/storage/sqlite/database.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { describePostgres, eachEngine, freshDatabase } from './harness/engines.ts';
import { sendOne } from './harness/messaging.ts';

const locks = ['control.lock', 'serve.lock'];
const readingCommands = [
  ['keys', 'list', 'alice'],
  ['message', '1000000001'],
  ['batch', '100001'],
  ['batch', 'list'],
  ['carriers'],
  ['routes'],
  ['routes', 'explain', '46701740699'],
  ['numbers'],
  ['usage'],
  ['receipts', 'unmatched'],
  ['unrouted'],
  ['contacts', 'export', '--book', 'Staff'],
  ['user', 'list'],
  ['user', 'show', 'alice'],
];

eachEngine('a server that was stopped', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning: standardProvisioning });
    await sendOne(app.as(alice));
    expect(await app.stop()).toBe(0);
  });
  afterAll(() => app.close());

  test('[RUN-4] A server that was stopped leaves a store of one file, and so do commands', async () => {
    const files = () => readdirSync(app.env.CARILLON_DATA as string).sort();
    const expected = engine === 'sqlite' ? ['carillon.db', ...locks] : ['control.lock'];
    expect(files()).toEqual(expected);
    expect((await app.run('usage')).exitCode).toBe(0);
    expect(files()).toEqual(expected);
  });

  test('[RUN-4] The log says when a server started, was ready, was stopping and had stopped', () => {
    const messages = app.stderr
      .split('\n')
      .flatMap((line) => /"msg":"(Carillon[^"]*)"/.exec(line)?.[1] ?? []);
    expect(messages).toEqual([
      'Carillon starts',
      'Carillon is ready',
      'Carillon is stopping',
      'Carillon has stopped',
    ]);
  });

  test('[RUN-4] A server that was stopped starts again without a log line that suggests a crash', async () => {
    const before = app.stderr.length;
    await app.restart();
    await sendOne(app.as(alice));
    expect(await app.stop()).toBe(0);
    const lines = app.stderr
      .slice(before)
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(0);
    // Clients that poll a starting server, as this harness does, are told that it is not ready.
    const worrying = lines.filter(
      (line) =>
        (!line.includes('"level":"info"') && !line.includes('"code":"not_ready"')) ||
        line.includes('took over'),
    );
    expect(worrying).toEqual([]);
  });
});

describe('a data folder without its store', () => {
  let folder = '';
  let app: WholeApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-lost-'));
    // The server generates its own secret.
    app = await startWholeApp({ engine: 'sqlite', env: { CARILLON_DATA: folder, CARILLON_SECRET: '' } });
    await until(() => app.stdout.includes('a demo company was created'));
    await app.stop();
    rmSync(join(folder, 'carillon.db'));
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[RUN-1] A data folder that has a secret but no store gets no demo company, at this start or any later one', async () => {
    const before = app.stdout.length;
    for (let start = 1; start <= 2; start++) {
      await app.restart();
      const warnings = () => app.stderr.match(/the store is empty, though it was in use before/g)?.length;
      await until(() => warnings() === start);
    }
    expect(app.stdout.slice(before)).not.toContain('demo company');
    expect((await app.run('user', 'list')).stdout).toBe(
      'There are no users. Apply a provisioning file that has some.\n',
    );
  });
});

describe('a first start that breaks off', () => {
  test('[RUN-1] A first start that fails leaves no secret without a store, so the next start makes the demo company', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-broken-off-'));
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const app = await startWholeApp({ engine: 'sqlite' });
    context.onTestFinished(() => app.close());
    await app.stop();
    Object.assign(app.env, { CARILLON_DATA: folder, CARILLON_SECRET: '' });
    const database = join(folder, 'carillon.db');
    const provisioning = join(folder, 'provisioning.yaml');
    writeFileSync(database, 'this is no database. '.repeat(500));
    writeFileSync(provisioning, 'companies: [{ name: A }]');
    for (const command of [['serve'], ['apply', provisioning]]) {
      expect(await app.run(...command)).toMatchObject({ exitCode: 1, stdout: '' });
      expect(existsSync(join(folder, 'secret')), command.join(' ')).toBe(false);
    }
    rmSync(database);
    const before = app.stdout.length;
    await app.restart();
    await until(() => app.stdout.slice(before).includes('a demo company was created'));
    expect(existsSync(join(folder, 'secret'))).toBe(true);
  });
});

describe('a place without a store', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
    await app.stop();
  });
  afterAll(() => app.close());

  async function expectNone(commands: readonly (readonly string[])[]): Promise<void> {
    const folder = join(tmpdir(), `carillon-nowhere-${process.pid}`);
    Object.assign(app.env, { CARILLON_DATA: folder });
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await app.run(...command);
      expect([exitCode, stdout], command.join(' ')).toEqual([1, '']);
      expect(stderr).toMatch(/^There is no store in .*\n$/);
    }
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  }

  test('[RUN-3] Commands say when there is no store, and make neither store nor folder', () =>
    expectNone(readingCommands));

  describePostgres('in a database', () => {
    test('[RUN-3] Commands say when the database is empty, and make no store in it', async (context) => {
      const database = await freshDatabase('empty');
      context.onTestFinished(() => database.drop());
      Object.assign(app.env, { DATABASE_URL: database.url });
      await expectNone(readingCommands.slice(0, 2));
    });
  });
});

const pageSize = 4_096;

describe('a damaged store', () => {
  let app: WholeApp;
  let firstOfTemplates: Buffer;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app.close());

  const folder = () => app.env.CARILLON_DATA as string;
  const files = () => readdirSync(folder());
  const wholeAfterCrash = '"because":"a crash","msg":"checked the store: it is intact"';
  const readiness = async () => (await fetch(`${app.baseUrl}/readyz`)).text();
  /** Read from the table itself: a list of none is read from an index. */
  const template = () => app.as(alice).get('/api/v1/templates/1');
  const metric = async () =>
    /^carillon_store_damaged (\d)$/m.exec(await (await fetch(`${app.baseUrl}/metrics`)).text())?.[1];

  test('[RUN-4] [RUN-9] [DLV-7] After a crash the server checks its store for damage, and logs that it is whole', async () => {
    await app.kill();
    await app.restart();
    await until(() => app.stderr.includes(wholeAfterCrash));
    expect(await metric()).toBe('0');
  });

  test('[RUN-4] [RUN-9] After a crash the server checks its store for damage, even if a command has opened it since', async () => {
    await app.kill();
    // A command merges the write-ahead log into the store, as a stop does.
    expect((await app.run('usage')).exitCode).toBe(0);
    expect(files()).not.toContain('carillon.db-wal');
    const before = app.stderr.length;
    await app.restart();
    await until(() => app.stderr.slice(before).includes(wholeAfterCrash));
  });

  test('[RUN-4] [RUN-9] After a stop the server does not check its store for damage, even if it was being read just then', async () => {
    const reading = openDatabase(databasePath(folder()), { readOnly: true });
    reading.prepare('SELECT COUNT(*) FROM users').get();
    expect(await app.stop()).toBe(0);
    reading.close();
    expect(files()).toContain('carillon.db-wal');
    expect(files()).not.toContain('carillon.dirty');
    const before = app.stderr.length;
    await app.restart();
    await sendOne(app.as(alice));
    expect(await app.stop()).toBe(0);
    expect(app.stderr.slice(before)).not.toContain('checked the store');
  });

  test('[RUN-4] [RUN-9] [DLV-7] The log, a metric and /readyz report damage once a call meets it, and so does `carillon check`', async () => {
    await app.stop();
    firstOfTemplates = exchangePage(Buffer.alloc(pageSize, 0xff));
    await app.restart();
    await sendOne(app.as(alice));
    expect((await template()).body.code).toBe('store_damaged');
    expect(await metric()).toBe('1');
    expect(await readiness()).toContain('the store is damaged');
    expect(app.stderr).toMatch(/"level":"fatal".*the store is damaged: restore it/);
    const { exitCode, stdout } = await app.run('check');
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^The store is damaged\. .*\ntable templates: /),
    ]);
  });

  test('[RUN-4] [RUN-9] A damaged store that is not repaired is reported by /readyz after a restart, whether after a stop or a crash', async () => {
    for (const end of ['stop', 'kill'] as const) {
      await app[end]();
      await app.restart({ ready: false });
      expect(await readiness()).toContain('the store is damaged');
      expect(await metric()).toBe('1');
      // Work that does not need the damaged part continues.
      await sendOne(app.as(alice));
    }
  });

  test('[RUN-4] [RUN-9] A repaired store is ready again once a check has found it whole', async () => {
    await app.stop();
    exchangePage(firstOfTemplates);
    const before = app.stderr.length;
    await app.restart();
    await until(() =>
      app.stderr.slice(before).includes('earlier damage","msg":"checked the store: it is intact'),
    );
    expect([(await template()).status, await metric()]).toEqual([404, '0']);
    expect(await app.stop()).toBe(0);
    expect(files()).not.toContain('carillon.dirty');
  });

  /** Replaces the first page of the templates table. Returns its former content. */
  function exchangePage(page: Buffer): Buffer {
    const path = databasePath(folder());
    const database = openDatabase(path);
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'templates'").get();
    database.close();
    const start = ((root as { rootpage: number }).rootpage - 1) * pageSize;
    const file = openSync(path, 'r+');
    const before = Buffer.alloc(pageSize);
    readSync(file, before, 0, pageSize, start);
    writeSync(file, page, 0, pageSize, start);
    closeSync(file);
    return before;
  }
});

test('[AUTH-5] [RUN-4] Neither a start nor a command makes a new secret for a store that has another secret', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-strange-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { CARILLON_DATA: folder, CARILLON_SECRET: '' };
  const app = await startWholeApp({ engine: 'sqlite', env, provisioning: standardProvisioning });
  context.onTestFinished(() => app.close());
  await app.stop();
  rmSync(join(folder, 'secret'));
  const refusal = 'The store belongs to another secret than this process has';
  await expect(app.restart()).rejects.toThrow(refusal);
  const provisioning = join(folder, 'provisioning.yaml');
  writeFileSync(provisioning, 'companies: [{ name: A }]');
  const settings = ['--url', 'https://desk.example/sms', '--events', 'message.status'];
  for (const command of [
    ['apply', provisioning],
    ['apply', '--dry-run', provisioning],
    ['webhooks', 'add', 'desk', '--company', 'Nordic Care', ...settings],
    ['user', 'link', 'alice'],
  ]) {
    const { exitCode, stdout, stderr } = await app.run(...command);
    expect([command, exitCode, stdout, stderr]).toEqual([command, 1, '', expect.stringContaining(refusal)]);
    expect(readdirSync(folder)).not.toContain('secret');
  }
  expect(await app.run('user', 'list')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('alice'),
  });
});
