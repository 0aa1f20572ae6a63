/** Tests `carillon watch`: it reports what becomes of messages, as it happens, to those concerned. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import type { ApiClient } from '../harness/api-client.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { listPath, to } from '../harness/batch-calls.ts';
import { eachEngine } from '../harness/engines.ts';
import { sendOne, whenAllAre } from '../harness/messaging.ts';
import { program } from '../harness/program.ts';

const dora = { username: 'dora', password: "dora's long password" };
const provisioning = standardProvisioning.replace(
  'carriers:',
  `  - name: Other
    defaultSender: Other
    users:
      - { username: dora, password: "dora's long password", roles: [send] }
carriers:`,
);

interface Hint {
  readonly at: string;
  readonly company: string;
  readonly topic: string;
  readonly counts: Readonly<Record<string, number>>;
}

interface Watching {
  readonly hints: Hint[];
  /** How many messages are reported to have this status. */
  count(topic: string, name: string): number;
  stop(): Promise<number | null>;
}

/** Runs `carillon watch` beside the server; resolves once it is watching. */
async function watch(app: WholeApp, company: string): Promise<Watching> {
  const hints: Hint[] = [];
  const child: ChildProcess = spawn(process.execPath, [program(), 'watch', company, '--json'], {
    env: app.env,
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => hints.push(JSON.parse(line) as Hint));
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Watching')) resolve();
    });
  });
  return {
    hints,
    count: (topic, name) =>
      hints.reduce((sum, hint) => sum + (hint.topic === topic ? (hint.counts[name] ?? 0) : 0), 0),
    stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/**
 * A node does not report what it accepts before it has heard that somebody is watching. Sends test messages until the node
 * has heard, and resolves once it has reported everything so far. `ends` holds the last two digits of their recipients, and
 * what becomes of messages to them.
 */
async function heard(
  client: ApiClient,
  own: Watching,
  ends: readonly [first: readonly [string, string], last: readonly [string, string]],
): Promise<void> {
  const [[first, itsEnd], [last, lastEnd]] = ends;
  await until(async () => {
    const id = await sendOne(client, { to: [`467310000${first}`] });
    await whenAllAre(client, [id], itsEnd);
    return own.count('messages', itsEnd) > 0;
  });
  await sendOne(client, { to: [`467310000${last}`] });
  await until(() => own.count('messages', lastEnd) > 0);
  own.hints.length = 0;
}

const ends = [
  ['06', 'UNDELIVERABLE'],
  ['08', 'ABSENTSUBSCRIBER'],
] as const;
const endsAtOther = [
  ['05', 'REJECTED'],
  ['09', 'UNKNOWNSUBSCRIBER'],
] as const;

eachEngine('carillon watch', (engine) => {
  let app: WholeApp;
  let other: WholeApp | undefined;
  const watching = new Map<string, Watching>();
  const of = (company: string) => watching.get(company) as Watching;

  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    if (engine === 'postgres') other = await startWholeApp({ engine, besides: app });
    await Promise.all(
      ['Nordic Care', 'Other'].map(async (company) => watching.set(company, await watch(app, company))),
    );
    await Promise.all([
      heard(app.as(alice), of('Nordic Care'), ends),
      heard(app.as(dora), of('Other'), ends),
    ]);
    if (other !== undefined) await heard(other.as(dora), of('Other'), endsAtOther);
  });
  afterAll(async () => {
    for (const one of watching.values()) await one.stop();
    await other?.close();
    await app?.close();
  });

  test('[PORT-4] [HOOK-2] The watch command shows what becomes of the messages of its company, and of no other', async () => {
    const client = app.as(alice);
    const beforeMs = Math.floor(Date.now() / 1_000) * 1_000;
    const ids = [await sendOne(client), await sendOne(client)];
    await whenAllAre(client, ids, 'DELIVERED');
    const own = of('Nordic Care');
    await until(() => own.count('messages', 'DELIVERED') >= 2);
    expect(own.count('messages', 'DELIVERED')).toBe(2);
    expect([own.count('messages', 'QUEUED'), own.count('messages', 'SENT')]).toEqual([2, 2]);
    expect(own.hints[0]).toMatchObject({ company: 'Nordic Care', topic: 'messages' });
    const at = Date.parse(own.hints[0]?.at ?? '');
    expect(at).toBeGreaterThanOrEqual(beforeMs);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(of('Other').hints).toEqual([]);
  });

  test('[PORT-4] The watch command shows incoming SMS and batches', async () => {
    const incoming = { to: '46731230001', from: '46701740600', text: 'Yes' };
    await command(app.env.CARILLON_DATA as string, 'simulate-incoming', incoming);
    const own = of('Nordic Care');
    await until(() => own.count('incoming', 'RECEIVED') >= 1);
    expect(own.count('incoming', 'RECEIVED')).toBe(1);
    const body = `${to(1)}\n${to(2)}\n`;
    const answer = await app.as(alice).request('POST', `${listPath}?M8=Hello`, { body });
    expect(answer.status).toBe(200);
    await until(() => own.count('batches', 'DELIVERED') >= 2);
    expect(own.count('batches', 'DELIVERED')).toBe(2);
    expect(own.count('batches', 'batch: Ok')).toBe(1);
    expect(of('Other').hints).toEqual([]);
  });

  test('[PORT-4] The watch command shows what happens at another node', async () => {
    if (other === undefined) return;
    const client = other.as(dora);
    const id = await sendOne(client);
    await whenAllAre(client, [id], 'DELIVERED');
    await until(() => of('Other').count('messages', 'DELIVERED') >= 1);
    expect(of('Other').count('messages', 'DELIVERED')).toBe(1);
  });

  test('[PORT-4] The watch command refuses an unknown company, and ends in order when interrupted', async () => {
    const unknown = await app.run('watch', 'Nobody');
    expect(unknown).toMatchObject({ exitCode: 1, stderr: 'There is no company Nobody.\n' });
    expect(await of('Nordic Care').stop()).toBe(0);
  });
});
