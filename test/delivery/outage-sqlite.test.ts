import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databasePath } from '../../src/storage/sqlite/database.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  allMessages,
  expectBooksInOrder,
  expectNothingLost,
  expectNothingTwice,
  expectSoundFile,
  untilAllEnded,
} from '../harness/delivery-books.ts';
import { Load } from '../harness/load.ts';
import { endure, outageProvisioning as provisioning } from '../harness/outage.ts';
import { program } from '../harness/program.ts';
import { fill, mountSmallDisk, unmount, works } from '../harness/small-disk.ts';

let app: WholeApp | undefined;
let folder: string;
const tidy: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-outage-'));
});
afterEach(async () => {
  for (const step of tidy.splice(0)) step();
  await app?.close();
  app = undefined;
  unmount(folder);
  rmSync(folder, { recursive: true, force: true });
});

const cannotMount = 'no file system can be mounted here: that takes root, and a container that allows it';

/**
 * Whether a file can be made immutable, and that also blocks writes through handles that are already open. This needs root and
 * a file system such as ext4.
 */
function canMakeImmutable(): boolean {
  const file = join(folder, 'probe');
  const handle = openSync(file, 'w');
  try {
    if (!works('chattr', ['+i', file])) return false;
    writeSync(handle, 'x');
    return false;
  } catch {
    return true;
  } finally {
    closeSync(handle);
    works('chattr', ['-i', file]);
  }
}

describe('a disk that fails under SQLite, under load', () => {
  test('[DLV-7] While the disk is full calls get 503, never a false 200, and once there is room all resumes without help', async ({
    skip,
  }) => {
    if (!mountSmallDisk(folder, 96)) skip(cannotMount);
    app = await startWholeApp({ engine: 'sqlite', env: { CARILLON_DATA: folder }, provisioning });
    const ballast = join(folder, 'ballast');
    const full = {
      begin: () => fill(ballast),
      end: () => rmSync(ballast),
    };
    await endure(app, [full, full]);
    await expectSoundFile(app);
    expect(await app.stop()).toBe(0);
  }, 300_000);

  test('[DLV-7] While the store’s files cannot be written calls get 503, and once they can, all resumes without help', async ({
    skip,
  }) => {
    if (!canMakeImmutable())
      skip('files cannot be made immutable here: that takes root and a file system like ext4');
    app = await startWholeApp({ engine: 'sqlite', env: { CARILLON_DATA: folder }, provisioning });
    const files = [databasePath(folder), `${databasePath(folder)}-wal`];
    const release = () => works('chattr', ['-i', ...files]);
    tidy.push(release);
    const immutable = {
      begin: () => expect(works('chattr', ['+i', ...files])).toBe(true),
      end: () => void release(),
    };
    await endure(app, [immutable, immutable]);
    await expectSoundFile(app);
    expect(await app.stop()).toBe(0);
  }, 300_000);

  test('[DLV-7] [RUN-4] A start on a read-only folder exits with 1 and an explanation, whether or not the folder holds a store', async ({
    skip,
  }) => {
    if (!mountSmallDisk(folder, 64)) skip(cannotMount);
    const env = { PATH: process.env.PATH, CARILLON_DATA: folder, CARILLON_HTTP: '127.0.0.1:0' };
    const insistOnSentence = (secret: Record<string, string>) => {
      works('mount', ['-o', 'remount,ro', folder]);
      const options = { env: { ...env, ...secret }, encoding: 'utf8', timeout: 60_000 } as const;
      const { status, stderr } = spawnSync(process.execPath, [program(), 'serve'], options);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^The .*EROFS: read-only file system.*CARILLON_DATA.*\n$/);
      works('mount', ['-o', 'remount,rw', folder]);
    };
    const given = { CARILLON_SECRET: 'a secret of the tests, long enough to be one' };
    insistOnSentence({});
    insistOnSentence(given);
    app = await startWholeApp({ engine: 'sqlite', env: { CARILLON_DATA: folder }, provisioning });
    await app.stop();
    expect(existsSync(databasePath(folder))).toBe(true);
    insistOnSentence(given);
    await app.restart();
  }, 300_000);
});

/** Runs in each thread of the server; the writer thread ends when the file appears. */
const endingOfWriter = `
  import { existsSync } from 'node:fs';
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData?.role === 'writer')
    setInterval(() => existsSync(process.env.TEST_END_WRITER) && process.exit(9), 5);
`;

describe('a thread of the embedded store that ends unexpectedly', () => {
  test('[DLV-7] [RUN-4] When a thread of the store ends unexpectedly, the process logs it and exits with 1, and nothing is lost', async () => {
    const signal = join(folder, 'end');
    const script = join(folder, 'end-writer.mjs');
    writeFileSync(script, endingOfWriter);
    const env = { NODE_OPTIONS: `--import ${script}`, TEST_END_WRITER: signal };
    app = await startWholeApp({ engine: 'sqlite', env, provisioning });
    const pid = app.pid as number;
    const load = new Load(app.baseUrl, alice, { connections: 10 });
    load.start();
    await load.accepting(150);
    writeFileSync(signal, '');
    await until(() => app?.pid === undefined);
    await load.stop();
    rmSync(signal);
    expect(app.pid).toBeUndefined();
    expect(app.lastExitCode).toBe(1);
    expect(app.stderr).toMatch(/"level":"fatal".*a thread of the store has ended/);
    expect(load.refusals.filter(({ status }) => status !== 503)).toEqual([]);

    await app.restart();
    expect(app.pid).not.toBe(pid);
    await untilAllEnded(app, 180_000);
    const messages = await allMessages(app);
    expectNothingLost(messages, load.accepted);
    await expectNothingTwice(app, messages);
    await expectBooksInOrder(app, messages);
    await expectSoundFile(app);
  }, 300_000);
});
