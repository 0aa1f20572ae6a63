/** The attacked server: the attacker's company has a large amount of data, and the probe calls as another company. */
import { type ChildProcess, fork } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startMailSink } from '../../bench/mail-sink-process.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import type { EngineName } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { keyPath, sendPath, statusPath } from '../harness/messaging.ts';
import type { ProbePlan, ProbeReport } from './probe.ts';

export interface Stock {
  /** The attacker's messages, all unread and in one batch. */
  readonly messages: number;
  readonly conversations: number;
  readonly contacts: number;
  /** Other users of the attacker's company, who may all do what the attacker may. */
  readonly colleagues: number;
}

/** A trusted relay delivers mail from the first address; a trusted proxy at the second forwards calls from anywhere. */
export const relayAddress = '127.0.0.2';
export const proxyAddress = '127.0.0.3';

export const mallory = { username: 'mallory', password: "mallory's very long password" };
/** Starts jobs that ask people by mail. */
const mallet = { username: 'mallet', password: "mallet's very long password" };
/** A user who has set a password in the portal and may set it again there. */
export const matt = { username: 'matt', password: "matt's very long password" };
const alice = { username: 'alice', password: "alice's very long password" };
export const probed = '46701740699';
/** The tag types of the book in which each contact has one tag per type, with a value from v0 to v9. */
export const tagTypes = Array.from({ length: 20 }, (_, place) => `f${place}`);
/** Matches every contact of that book. */
export const everybody = tagTypes.map((type) => `${type}:v0|v1|v2|v3|v4|v5|v6|v7|v8|v9`).join(';');
export const [jobToSome, jobToAll] = [1, 2] as const;

const colleaguesPassword = 'a very long password of all colleagues';
const passwordOfMatt = `password: "${matt.password}", `;

const provisioningFor = (colleagues: number) => `
companies:
  - name: Mallory and Sons
    defaultSender: Mallory
    allowedDomainEndings: [mallory.example]
    emailSenders: [{ email: "@mallory.example", payinguser: mallory }]
    templates: [{ id: 1, name: One, text: "Dear {Text:a}, {Text:b} {DateTime:c}" }]
    addressBooks: [{ id: 11, name: Crowd }, { id: 12, name: Tagged }]
    users:
      - { username: mallory, password: "${mallory.password}", roles: [send, companyAdmin], replaceCharacters: true, defaultAddressBook: Crowd }
      - { username: mallet, password: "${mallet.password}", roles: [send, jobs], defaultAddressBook: Tagged, systemUser: mallory-jobs }
      - { username: ${matt.username}, ${passwordOfMatt}roles: [send] }
${Array.from({ length: colleagues }, (_, index) => `      - { username: mal${index}, password: "${colleaguesPassword}", roles: [send, companyAdmin] }\n`).join('')}    systemUsers: [{ username: mallory-jobs }]
    savedJobs:
      - { id: ${jobToSome}, owner: mallory-jobs, name: To some, type: MonitoredMessage, message: "Come?", recipients: { tagFilter: "f0:v0" } }
      - { id: ${jobToAll}, owner: mallory-jobs, name: To all, type: MonitoredMessage, message: "Come?", recipients: { tagFilter: "${everybody}" } }
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "${alice.password}", roles: [send] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731239001", pool: true }
`;

export interface Site {
  readonly app: WholeApp;
  readonly engine: EngineName;
  readonly port: number;
  readonly smtpPort: number;
  readonly malloryKey: string;
  /** The key of the attacker's colleague, who may start jobs. */
  readonly jobsKey: string;
  readonly colleagueKeys: readonly string[];
  readonly customerKey: string;
  readonly batchId: string;
  readonly stock: Stock;
  /** Reports on the time since the previous report; the first call starts the probe. */
  probe(): Promise<ProbeReport>;
  close(): Promise<void>;
}

export async function openSite(
  engine: EngineName,
  stock: Stock,
  env: Record<string, string> = {},
): Promise<Site> {
  const [relay, names] = await Promise.all([startMailSink(), openSilentNameServer()]);
  const closePeers = () => {
    relay.child.kill();
    names.close();
  };
  const nameServer = `127.0.0.1:${names.address().port}`;
  const silent = { NODE_OPTIONS: `--import=${silentNames}`, SILENT_NAME_SERVER: nameServer };
  try {
    const site = await fillSite(engine, relay.port, stock, { ...silent, ...env });
    return {
      ...site,
      close: async () => {
        await site.close();
        closePeers();
      },
    };
  } catch (error) {
    closePeers();
    throw error;
  }
}

const silentNames = new URL('./silent-names.mjs', import.meta.url).href;

/** Receives queries and never responds. */
async function openSilentNameServer(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function fillSite(
  engine: EngineName,
  relayPort: number,
  stock: Stock,
  env: Record<string, string>,
): Promise<Site> {
  const smtpPort = await freePort();
  const provisioning = provisioningFor(stock.colleagues);
  const app = await startWholeApp({
    engine,
    provisioning,
    env: {
      CARILLON_SMTP: `127.0.0.1:${smtpPort}`,
      CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${relayPort}`,
      CARILLON_MAIL_DOMAIN: 'sms.localhost',
      CARILLON_MAIL_TRUSTED: `${relayAddress}/32`,
      CARILLON_TRUSTED_PROXIES: `${proxyAddress}/32`,
      CARILLON_LOG: 'warn',
      ...env,
    },
  });
  const keyOf = async (user: typeof alice) =>
    String((await app.as(user).get(keyPath, { name: 'hostile' })).body);
  // The file of an operator who lets a user choose another password; the current one stays until then.
  const applied = await app.apply(provisioning.replace(passwordOfMatt, ''));
  if (applied.exitCode !== 0) throw new Error(`apply: ${applied.stdout}${applied.stderr}`);
  const malloryKey = await keyOf(mallory);
  const colleagueKeys: string[] = [];
  for (let index = 0; index < stock.colleagues; index++)
    colleagueKeys.push(await keyOf({ username: `mal${index}`, password: colleaguesPassword }));
  await fillBooks(app, stock.contacts);
  const batchId = await fillStore(app, malloryKey, stock);
  const { port: portText } = new URL(app.baseUrl);
  const port = Number(portText);
  const [jobsKey, customerKey] = [await keyOf(mallet), await keyOf(alice)];
  let prober: ChildProcess | undefined;
  return {
    app,
    engine,
    port,
    smtpPort,
    malloryKey,
    jobsKey,
    colleagueKeys,
    customerKey,
    batchId,
    stock,
    probe: async () => {
      prober ??= startProbe(port, customerKey);
      prober.send('report');
      const [report] = (await once(prober, 'message')) as [ProbeReport];
      return report;
    },
    close: async () => {
      prober?.disconnect();
      await app.close();
    },
  };
}

/** Probes by key and by password, reading and writing. */
function startProbe(port: number, key: string): ChildProcess {
  const json = { 'content-type': 'application/json' };
  const basic = `Basic ${Buffer.from(`${alice.username}:${alice.password}`).toString('base64')}`;
  const send = JSON.stringify({ to: [probed], message: 'Is anybody there?' });
  const status = JSON.stringify({ maxnum: 10 });
  const plan: ProbePlan = {
    port,
    everyMs: 10,
    calls: [
      { method: 'POST', path: sendPath, headers: { ...json, 'x-api-key': key }, body: send },
      { method: 'POST', path: statusPath, headers: { ...json, 'x-api-key': key }, body: status },
      { method: 'POST', path: statusPath, headers: { ...json, authorization: basic }, body: status },
    ],
  };
  const script = fileURLToPath(new URL('./probe.ts', import.meta.url));
  return fork(script, [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env.PATH },
  });
}

/** One large book, and one whose contacts have a tag of each type, so that all these contacts match any query. */
async function fillBooks(app: WholeApp, contacts: number): Promise<void> {
  const rows = Array.from(
    { length: contacts },
    (_, index) => `${index + 1};Person ${index};+4673${5_000_000 + index};t${index % 50}`,
  );
  await importFile(app, 'Crowd', `id;name;phone;tag:team\n${rows.join('\n')}\n`);
  const types = tagTypes.map((type) => `tag:${type}`).join(';');
  const tagged = Array.from({ length: Math.min(contacts, 10_000) }, (_, index) =>
    [
      `${index + 1};Person ${index};p${index}@mallory.example`,
      ...tagTypes.map((_, place) => `v${(7 * index + place) % 10}`),
    ].join(';'),
  );
  await importFile(app, 'Tagged', `id;name;email;${types}\n${tagged.join('\n')}\n`);
}

async function importFile(app: WholeApp, book: string, content: string): Promise<void> {
  const file = join(String(app.env.CARILLON_DATA), '..', `${book}.csv`);
  writeFileSync(file, content);
  const done = await app.run('contacts', 'import', file, '--book', book);
  if (done.exitCode !== 0) throw new Error(`contacts import: ${done.stdout}${done.stderr}`);
}

/** Stores unread statuses in many conversations, and waits until none of them changes any more. */
async function fillStore(app: WholeApp, key: string, { messages, conversations }: Stock): Promise<string> {
  const batch = Array.from({ length: messages }, (_, index) => ({
    t: `4673${6_000_000 + index}99`,
    i: `c${index % conversations}`,
  }));
  const client = app.as({ key });
  const sent = await client.post('/restsms/svcrest/batchsend/json', { message: 'Stock', batch });
  if (sent.status !== 200) throw new Error(`the batch was refused: ${sent.text}`);
  const batchid = String(sent.body.batchid);
  for (;;) {
    const { body } = await client.post('/restsms/svcrest/batchstatuscount', { batchid });
    if (body.statuses?.[0]?.counts?.DELIVERED === messages) return batchid;
    await delay(200);
  }
}
