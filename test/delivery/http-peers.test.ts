/** Sends through services that are really there: Kannel with the SMSC `carillon smsc` behind it, and another Carillon. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallbackUrls } from '../../src/carriers/http/request.ts';
import { type CarillonSmsc, startCarillonSmsc } from '../carriers/carillon-smsc.ts';
import { Kannel, kannelVersion } from '../carriers/kannel.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import {
  incomingPath,
  keyPath,
  sendOne,
  simulateIncoming,
  statusesOf,
  whenAllAre,
} from '../harness/messaging.ts';

function provisioning(carrier: string): string {
  return standardProvisioning
    .replace(/^ {2}- \{ name: sim, .*$/m, `  - { name: service, type: http, ${carrier} }`)
    .replace('[sim]', '[service]');
}

async function addressesOf(app: WholeApp): Promise<CallbackUrls> {
  const { stdout } = await app.run('carriers', 'addresses', 'service', '--json');
  // Posts of webhooks go to no name that is only in the hosts file.
  return JSON.parse(stdout.replaceAll('localhost', '127.0.0.1')) as CallbackUrls;
}

async function nextIncoming(app: WholeApp): Promise<{ readonly from: string; readonly message: string }> {
  let read: readonly { readonly from: string; readonly message: string }[] = [];
  await until(async () => {
    read = (await app.as(alice).post(incomingPath, {})).body.incoming;
    return read.length > 0;
  });
  expect(read).toHaveLength(1);
  return read[0] as (typeof read)[number];
}

const texts = ['Hello @ £ {to} & 100 % + é', 'Blåbär & grädde 😀 '.repeat(10), 'Long '.repeat(60)];

describe.skipIf(!kannelVersion)('a carrier by HTTP to Kannel', () => {
  let folder: string;
  let smsc: CarillonSmsc;
  let app: WholeApp;
  let kannel: Kannel;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-kannel-'));
    const behaviour = join(folder, 'behaviour.yaml');
    const rules = [
      '{ prefix: "46738", stat: UNDELIV, err: "027" }',
      '{ prefix: "46739", error: ESME_RINVDSTADR }',
    ];
    writeFileSync(behaviour, `receiptMs: 50\nrules:\n  - ${rules.join('\n  - ')}\n`);
    smsc = await startCarillonSmsc('--behaviour', behaviour);
    const sendsms = await freePort();
    const carrier = `preset: kannel, baseUrl: "http://127.0.0.1:${sendsms}", username: carillon, password: secret, receipts: { errors: { "027": ABSENTSUBSCRIBER } }`;
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(carrier), isNamed: true });
    const { incomingUrl } = await addressesOf(app);
    kannel = await Kannel.start({ smsc: smsc.port, sendsms, incomingUrl });
  });
  afterAll(async () => {
    await app?.close();
    await kannel?.close();
    smsc?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[HTTPC-1] [HTTPC-3] What Kannel takes is DELIVERED by its reports: short, long and in Unicode', async () => {
    const client = app.as(alice);
    const ids = await Promise.all(texts.map((message) => sendOne(client, { message })));
    await whenAllAre(client, ids, 'DELIVERED');
    for (const text of texts) expect(smsc.stdout).toContain(JSON.stringify(text));
  });

  test('[HTTPC-1] [HTTPC-3] What the SMSC behind Kannel refuses or can’t deliver ends as its code says', async () => {
    const client = app.as(alice);
    const undelivered = await sendOne(client, { to: ['46738123456'] });
    const refused = await sendOne(client, { to: ['46739123456'] });
    await whenAllAre(client, [undelivered], 'ABSENTSUBSCRIBER');
    await whenAllAre(client, [refused], 'INVALIDDESTINATION');
  });

  test('[HTTPC-1] [HTTPC-3] An SMS from a phone comes through Kannel to the user who rents its number', async () => {
    smsc.type('+46701740600 46731230001 Привет 😀 & grädde');
    expect(await nextIncoming(app)).toMatchObject({ from: '46701740600', message: 'Привет 😀 & grädde' });
  });
});

describe('a carrier by HTTP to another Carillon', () => {
  const secret = `whsec_${Buffer.from('a secret of both servers').toString('base64')}`;
  let app: WholeApp;
  let other: WholeApp;
  beforeAll(async () => {
    const env = { CARILLON_CALLBACK_ALLOW: '127.0.0.1' };
    other = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning, env });
    const key = (await other.as(alice).get(keyPath, { name: 'upstream' })).body;
    const carrier = `preset: carillon, baseUrl: "${other.baseUrl}", password: ${key}, secrets: { webhookSecret: ${secret} }`;
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(carrier), isNamed: true });
    const { receiptUrl, incomingUrl } = await addressesOf(app);
    const webhooks = `    webhooks:
      - { id: receipts, user: alice, url: "${receiptUrl}", secrets: [${secret}], events: [message.status] }
      - { id: incoming, user: alice, url: "${incomingUrl}", secrets: [${secret}], events: [message.incoming], text: full }
`;
    const { exitCode, stderr } = await other.apply(
      standardProvisioning.replace(/^ {4}users:$/m, `${webhooks}    users:`),
    );
    expect(stderr + exitCode).toMatch(/0$/);
  });
  afterAll(async () => {
    await app?.close();
    await other?.close();
  });

  test('[HTTPC-1] [HTTPC-3] What another Carillon takes ends as its webhooks say', async () => {
    const client = app.as(bob);
    const ids = await Promise.all(texts.map((message) => sendOne(client, { message, from: 'NordicCare' })));
    const absent = await sendOne(client, { to: ['46730100008'] });
    await whenAllAre(client, ids, 'DELIVERED');
    await whenAllAre(client, [absent], 'ABSENTSUBSCRIBER');
    expect(await statusesOf(client, ids)).toHaveLength(texts.length);
  });

  test('[HTTPC-1] [HTTPC-3] An SMS that comes to a number at another Carillon comes here by its webhook', async () => {
    await simulateIncoming(other, { to: '46731230001', from: '46701740600', text: 'Привет 😀' });
    expect(await nextIncoming(app)).toMatchObject({ from: '46701740600', message: 'Привет 😀' });
  });

  test('[HTTPC-3] [RUN-3] A command shows where a service may call, or says why none can', async () => {
    const { stdout } = await app.run('carriers', 'addresses', 'service');
    const address = `${app.baseUrl}/carriers/service/[\\w-]{32}`;
    expect(stdout).toMatch(new RegExp(`^receipts +${address}/receipts\nincoming +${address}/incoming\n$`));
    const faults = ['none', 'sim'].map((name) => other.run('carriers', 'addresses', name));
    expect((await Promise.all(faults)).map(({ exitCode, stderr }) => `${exitCode} ${stderr.trim()}`)).toEqual(
      [
        '1 There is no carrier none.',
        '1 sim is of the type simulator; only carriers of the type http are called.',
      ],
    );
  });
});
