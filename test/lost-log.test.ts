/** Whatever happens to its log or its output, the server neither stops nor slows down, and sends nothing twice. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import {
  alice,
  standardProvisioning,
  startWholeApp,
  type WholeApp,
  type WholeAppOptions,
} from './harness/app.ts';
import { until } from './harness/awake.ts';
import { CarrierLedger } from './harness/carrier-ledger.ts';
import { allMessages, expectHandedOnce, expectNothingLost, untilAllEnded } from './harness/delivery-books.ts';
import { Load } from './harness/load.ts';
import { query, sendOne } from './harness/messaging.ts';

async function start({ onTestFinished }: TestContext, options: WholeAppOptions): Promise<WholeApp> {
  const app = await startWholeApp(options);
  onTestFinished(() => app.close());
  return app;
}

async function linesLost(app: WholeApp): Promise<number> {
  const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
  return Number(/^carillon_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

/** At this level every call logs a line. */
const chatty = { CARILLON_LOG: 'debug' };

const calls = 2_000;
/** More than a pipe on Linux and Node's own buffer hold for a stalled reader, but less than the server keeps for it. */
const moreThanAPipeHolds = 280_000;

/** A full file system; undefined if this user may not mount one. */
function fullFileSystem({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', [folder]));
  const ballast = join(folder, 'ballast');
  const fill = () => {
    try {
      for (;;) writeFileSync(ballast, 'x'.repeat(1_000), { flag: 'a' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  };
  return { log: join(folder, 'log'), fill, empty: () => writeFileSync(ballast, '') };
}

describe('a server whose log cannot be written', () => {
  test('[RUN-4] On a full disk the server goes on serving, counts the log lines that are lost, and logs how many when there is room', async (context) => {
    const disk = fullFileSystem(context);
    const log = disk?.log ?? '/dev/full';
    const app = await start(context, {
      engine: 'sqlite',
      provisioning: standardProvisioning,
      env: chatty,
      stderrFile: log,
    });
    disk?.fill();
    for (let call = 0; call < 60; call++) await sendOne(app.as(alice));
    expect(await linesLost(app)).toBeGreaterThan(30);
    if (disk !== undefined) {
      disk.empty();
      const lostLine = () =>
        /\n.*"lostLines":(\d+),"msg":"lines of the log could not be written"/.exec(readFileSync(log, 'utf8'));
      await until(() => lostLine() !== null);
      expect(Number(lostLine()?.[1])).toBeGreaterThan(30);
      const answered = () => readFileSync(log, 'utf8').split('"msg":"answered"}\n').length;
      const before = answered();
      await sendOne(app.as(alice));
      await until(() => answered() > before);
      disk.fill();
    }
    expect(await app.stop()).toBe(0);
  });

  test('[RUN-4] While its log reader stands still the server goes on serving, and loses no line that there was room for', async (context) => {
    const app = await start(context, { engine: 'sqlite', provisioning: standardProvisioning, env: chatty });
    app.stopReading('there');
    const callNothing = async () => (await fetch(`${app.baseUrl}/nothing`)).arrayBuffer();
    for (let call = 0; call < calls; call += 10) await Promise.all(Array.from({ length: 10 }, callNothing));
    expect(await linesLost(app)).toBe(0);
    app.readOn();
    const answered = () => app.stderr.match(/"path":"other","status":404,.*"msg":"answered"/g)?.length;
    await until(() => answered() === calls);
    expect(app.stderr.length).toBeGreaterThan(moreThanAPipeHolds);
    app.stopReading('there');
    const stopped = app.stop();
    app.readOn();
    expect(await stopped).toBe(0);
  });

  test('[RUN-4] [DLV-6] When its log readers are gone the server ends in order, with nothing in doubt and nothing sent twice', async (context) => {
    const ledger = new CarrierLedger();
    context.onTestFinished(() => ledger.remove());
    const app = await start(context, {
      engine: 'sqlite',
      env: { ...chatty, ...ledger.env },
      provisioning: standardProvisioning.replace('submitDelayMs: 0', 'submitDelayMs: 200'),
    });
    const load = new Load(app.baseUrl, alice, { connections: 4 });
    load.start();
    await load.accepting(50);
    app.stopReading('gone');
    await load.accepting(50);
    expect(await linesLost(app)).toBeGreaterThan(0);
    const stopping = app.stop();
    await load.stop();
    expect(await stopping).toBe(0);
    expect(await query(app, 'SELECT id FROM messages WHERE stage = 1 OR in_doubt > 0')).toEqual([]);
    await app.restart();
    await untilAllEnded(app, 180_000);
    const messages = await allMessages(app);
    expectNothingLost(messages, load.accepted);
    expectHandedOnce(messages, ledger);
  });
});
