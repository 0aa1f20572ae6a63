import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CarillonSmsc, startCarillonSmsc } from '../carriers/carillon-smsc.ts';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { acceptedOf, incomingPath, sendPath, statusesOf, whenAllAre } from '../harness/messaging.ts';

/** The event loop, the writer, a reader and the thread of SMPP carriers. */
const watchedThreads = 4;
const unpackedSets = new URL('../harness/unpacked-sets.mjs', import.meta.url);

let folder: string;
let app: WholeApp | undefined;
let smsc: CarillonSmsc | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-smsc-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  await app?.close();
  smsc?.kill();
  app = undefined;
  smsc = undefined;
});

/** The carrier entry that the SMSC prints for the provisioning file, with extra settings. */
function provisioningOf({ stdout }: CarillonSmsc, settings: readonly string[] = []): string {
  const begin = stdout.indexOf('carriers:\n');
  const advice = stdout.slice(begin, stdout.indexOf('\n\n', begin));
  const [before = '', after = ''] = standardProvisioning.split(/^carriers:[\s\S]*(?=^numbers:)/m);
  const further = settings.map((setting) => `    ${setting}\n`).join('');
  return `${before}${advice.replace('    type: smpp\n', `    type: smpp\n${further}`)}\n${after}`;
}

async function startServer(running: CarillonSmsc, settings: readonly string[] = []): Promise<WholeApp> {
  const env = { NODE_OPTIONS: `--import=${unpackedSets.href}` };
  return startWholeApp({ engine: 'sqlite', provisioning: provisioningOf(running, settings), env });
}

test('[DLV-1] [DLV-5] [DLV-8] [INC-1] [INC-4] With `carillon smsc` a message is DELIVERED, and an SMS from a phone is read', async () => {
  smsc = await startCarillonSmsc('--receipt-ms', '50', '--reply', 'YES', '--reply-ms', '0');
  app = await startServer(smsc);
  const client = app.as(alice);
  const text = 'Blåbär & grädde 😀 '.repeat(10);
  const sent = await client.post(sendPath, { to: ['46701740699'], from: '46731230001', message: text });
  await whenAllAre(client, [acceptedOf(sent)[0]?.id ?? ''], 'DELIVERED');
  // Each set on the way of a message crosses between the threads packed (`foundation/packing.ts`).
  await until(() => (app?.stderr.match(/sets are watched/g)?.length ?? 0) >= watchedThreads);
  expect(app.stderr).not.toContain('unpacked');
  const parts = smsc.stdout.match(
    / submit {4}#1 {2}46731230001 to 46701740699: .*\(part \d of 3, reference \d+, data_coding 8\)/g,
  );
  expect(parts).toHaveLength(3);
  expect(smsc.stdout).toContain(` whole     #1  3 parts: ${JSON.stringify(text)}`);
  const long = 'Привет 😀 '.repeat(20).trim();
  smsc.type(`+46701740600 46731230001 ${long}`);
  await until(() => smsc?.stdout.includes('part 3 of 3\n') === true);
  const read: { readonly from: string; readonly message: string }[] = [];
  while (read.length < 2) read.push(...(await client.post(incomingPath, {})).body.incoming);
  expect(read.map(({ from, message }) => [from, message]).sort()).toEqual([
    ['46701740600', long],
    ['46701740699', 'YES'],
  ]);
  expect(await smsc.stop()).toBe(0);
  expect(smsc.stdout).toMatch(/ unbind {4}#1 {2}the SMSC is stopping\n/);
  const counts = smsc.stdout.slice(smsc.stdout.lastIndexOf('\nbinds')).trim().split('\n');
  expect(counts.map((line) => line.split(/ {2,}/))).toEqual([
    ['binds', '1'],
    ['submissions', '3 (accepted 3)'],
    ['receipts', '3 (DELIVRD 3)'],
    ['incoming SMS', '2'],
    ['taken by clients', '7'],
    ['never delivered', '0'],
  ]);
});

test('[DLV-5] [STAT-7] A long message is DELIVERED by one receipt for all its parts, even if that comes before the submit responses', async () => {
  smsc = await startCarillonSmsc('--receipts-per-message', 'last', '--receipt-early', '--answer-ms', '100');
  app = await startServer(smsc, ['receiptsPerMessage: one']);
  const client = app.as(alice);
  const message = 'The ferry at nine is full. '.repeat(12);
  const delivered = acceptedOf(await client.post(sendPath, { to: ['46701740699', '46701740601'], message }));
  await whenAllAre(
    client,
    delivered.map(({ id }) => id),
    'DELIVERED',
  );
  await smsc.stop();
  expect(smsc.stdout).toMatch(/^submissions +6 \(accepted 6\)$/m);
  expect(smsc.stdout).toMatch(/^receipts +2 \(DELIVRD 2\)$/m);
});

const badDay = `
seed: 5
systemId: carillon
password: secret
messageId: hexToDecimal
maxSubmits: 300
dropAfter: 200
answerMs: 5-30
error: { ESME_RSYSERR: 3, ESME_RMSGQFUL: 2 }
lostAnswers: 1
receiptMs: 50-400
rules:
  - { prefix: "46739", error: ESME_RINVDSTADR }
  - { prefix: "46738", stat: UNDELIV, err: "027" }
  - { prefix: "46737", stat: EXPIRED, receiptForm: tlv }
  - { prefix: "46736", receiptEarly: true, receiptTimes: 2 }
  - { prefix: "46735", receiptForm: text, receiptBind: other, intermediate: true }
`;

test('[DLV-3] [DLV-5] On a bad day of the SMSC, every message ends as the SMSC says', async () => {
  const file = join(folder, 'bad-day.yaml');
  writeFileSync(file, badDay);
  smsc = await startCarillonSmsc('--behaviour', file, '--quiet');
  app = await startServer(smsc, [
    'binds: 2',
    'window: 20',
    'responseTimeoutMs: 4000',
    // No message is given up for being in doubt too often, however slow this machine is.
    'inDoubtTries: 8',
    'throttlePauseMs: 50',
    'reconnectMinMs: 50',
    'receiptErrors: { "027": ABSENTSUBSCRIBER }',
  ]);
  const client = app.as(alice);
  const ends = {
    9: 'INVALIDDESTINATION',
    8: 'ABSENTSUBSCRIBER',
    7: 'EXPIRED',
    6: 'DELIVERED',
    5: 'DELIVERED',
    4: 'DELIVERED',
  };
  const to = Array.from(
    { length: 600 },
    (_, index) => `4673${4 + (index % 6)}${String(index).padStart(4, '0')}20`,
  );
  const accepted = acceptedOf(await client.post(sendPath, { to, message: 'Hello' }));
  const ids = accepted.map(({ id }) => id);
  const isOver = async () =>
    (await statusesOf(client, ids)).every(({ status }) => status !== 'QUEUED' && status !== 'SENT');
  // A message that is in doubt four times, as some are when answers are late as well, waits for 156 s.
  await until(isOver, 250_000);
  const wrong = (await statusesOf(client, ids)).filter(
    (item) => item.status !== ends[Number(item.to[4]) as keyof typeof ends],
  );
  expect(wrong.map(({ to: number, status }) => `${number} ${status}`)).toEqual([]);
  expect(await smsc.stop()).toBe(0);
  expect(smsc.stdout).toMatch(/^To repeat this run: --seed 5$/m);
  expect(smsc.stdout).toMatch(/^binds +\d+$/m);
  // With --quiet, nothing is printed between the welcome and the counts.
  expect(smsc.stdout).not.toMatch(/ submit /);
});

test('[RUN-3] A wrong behaviour file, or a port that is taken, ends `carillon smsc` with an explanation', async () => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'rules:\n  - { prefix: "46", stat: UNDELIVERD }\n');
  await expect(startCarillonSmsc('--behaviour', file)).rejects.toThrow(
    /ended with 1: rules\[0\]\.stat \(line 2, column 27\): must be one of ENROUTE, .*; did you mean /,
  );
  await expect(startCarillonSmsc('--behaviour', join(folder, 'none.yaml'))).rejects.toThrow(
    /ended with 1: The behaviour file .* cannot be read: ENOENT/,
  );
  smsc = await startCarillonSmsc();
  await expect(startCarillonSmsc('--port', String(smsc.port))).rejects.toThrow(
    /ended with 1: The SMSC cannot listen on 127\.0\.0\.1:\d+: another program uses this port; choose a different one with --port\.\n$/,
  );
  // The SMSC that was already there still works, whatever is typed or sent to it.
  smsc.type('drop');
  smsc.type('nonsense');
  const esme = await NpmEsme.bound(smsc.port);
  expect((await esme.submit({ destination_addr: '46701740699', short_message: 'x' })).command_status).toBe(0);
  expect(smsc.stdout).toContain('Not understood. You can type:\nFROM TO TEXT');
  esme.close();
  expect(await smsc.stop()).toBe(0);
});
