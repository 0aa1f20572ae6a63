/** Customers' programs at the SMPP server, by clients that share no code with ours: npm's `smpp`, Perl's Net::SMPP, Kannel. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Kannel, kannelVersion } from '../carriers/kannel.ts';
import { hasNetSmpp } from '../carriers/net-smpp.ts';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { makeCertificate } from '../harness/certificate.ts';
import { describePostgres } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { recipient, simulateIncoming, storedMessages } from '../harness/messaging.ts';

const password = 'eight-ch';
const logins = {
  alice: `{ systemId: alice, password: "${password}", binds: 3, window: 20 }`,
  bob: `{ systemId: perl, password: secret, networks: [127.0.0.0/8] }`,
  carol: `{ systemId: far, password: "${password}", networks: [192.0.2.0/24] }`,
};

/** Gives the users of the standard provisioning these logins. */
function withLogins(some: Partial<typeof logins>): string {
  return Object.entries(some).reduce(
    (file, [user, login]) =>
      file.replace(new RegExp(`(${user}'s long password", roles: \\[.*?\\])`), `$1, smpp: ${login}`),
    `${standardProvisioning}  - { number: "46731230002", rentedBy: bob }
`,
  );
}

const bound = { system_id: 'alice', password };
const address = '46731230001';
const [statusOk, alreadyBound, bindFailed, wrongPassword, notBound, throttled] = [
  0, 0x05, 0x0d, 0x0e, 0x04, 0x58,
];

describe('the SMPP server', () => {
  let app: WholeApp;
  let port: number;
  const open: NpmEsme[] = [];

  beforeAll(async () => {
    port = await freePort();
    const env = { CARILLON_SMPP_SERVER: `127.0.0.1:${port}` };
    app = await startWholeApp({ engine: 'sqlite', provisioning: withLogins(logins), env });
  });
  afterAll(() => app?.close());
  afterEach(async () => {
    for (const esme of open.splice(0)) esme.close();
  });

  async function client(role: 'transceiver' | 'transmitter' | 'receiver' = 'transceiver') {
    const esme = await NpmEsme.bound(port, role, bound);
    open.push(esme);
    return esme;
  }

  async function stranger() {
    const esme = await NpmEsme.connect(port);
    open.push(esme);
    return esme;
  }

  test('[ESME-1] A login binds within its number of binds and its networks; what is wrong is answered alike', async () => {
    const refused = async (fields: object) =>
      (await (await stranger()).bind('transceiver', { ...bound, ...fields })).command_status;
    expect(await refused({ password: 'wrong' })).toBe(wrongPassword);
    expect(await refused({ system_id: 'nobody' })).toBe(wrongPassword);
    expect(await refused({ password: alice.password })).toBe(wrongPassword);
    expect(await refused({ system_id: 'far' })).toBe(bindFailed);
    const unbound = await stranger();
    expect(await unbound.submit({ destination_addr: recipient(1), short_message: 'Hi' })).toMatchObject({
      command_status: notBound,
    });
    const receiver = await stranger();
    expect(await receiver.bind('receiver', bound)).toMatchObject({
      command_status: statusOk,
      system_id: 'carillon',
    });
    expect(await receiver.bind('receiver', bound)).toMatchObject({ command_status: alreadyBound });
    expect(await receiver.submit({ destination_addr: recipient(1), short_message: 'Hi' })).toMatchObject({
      command_status: notBound,
    });
    await client();
    const third = await client();
    expect(await refused({})).toBe(alreadyBound);
    expect(await third.unbind()).toMatchObject({ command_status: statusOk });
    await client();
  });

  test('[ESME-2] [ESME-3] A message is answered with its id once it is stored; its receipt and incoming SMS wait for a receiver, over a restart', async () => {
    const transmitter = await client('transmitter');
    const submitted = await Promise.all(
      [1, 2, 3].map((index) =>
        transmitter.submit({
          destination_addr: recipient(index),
          dest_addr_ton: 1,
          short_message: `Hello ${index}`,
          user_message_reference: index,
        }),
      ),
    );
    const ids = submitted.map(({ message_id }) => String(message_id));
    const { body } = await app.as(alice).get(`/api/v1/messages/${ids[0]}`);
    expect(body).toMatchObject({ to: recipient(1), message: 'Hello 1' });
    await simulateIncoming(app, { to: address, from: '46701740699', text: 'Åh, ja' });
    const long = 'Ж'.repeat(150);
    await simulateIncoming(app, { to: address, from: '46701740699', text: long });
    await app.restart();
    await until(() => transmitter.isClosed);
    const receiver = await client('receiver');
    receiver.heldAnswers = [];
    await until(() => receiver.heard.length === 5);
    const receipts = receiver.heard.filter(({ pdu }) => pdu.esm_class === 4);
    for (const [index, id] of ids.entries()) {
      const receipt = receipts.find(({ pdu }) => pdu.receipted_message_id === id);
      expect(receipt?.text).toMatch(
        new RegExp(
          `^id:${id} sub:001 dlvrd:001 submit date:\\d{10} done date:\\d{10} stat:DELIVRD err:000 text:Hello ${index + 1}$`,
        ),
      );
      expect(receipt?.pdu).toMatchObject({
        message_state: 2,
        source_addr: recipient(index + 1),
        user_message_reference: index + 1,
      });
    }
    receiver.close();
    // What was not acknowledged comes again.
    const other = await client();
    await until(() => other.heard.length === 5);
    const [short, parted] = other.heard.filter(({ pdu }) => pdu.esm_class === 0);
    expect(short).toMatchObject({
      text: 'Åh, ja',
      pdu: { source_addr: '46701740699', destination_addr: address },
    });
    expect(parted?.pdu.message_payload).toMatchObject({ message: long });
    // What was acknowledged does not.
    await other.unbind();
    const last = await client();
    const answer = await last.submit({
      destination_addr: recipient(4),
      short_message: 'Last',
      registered_delivery: 0x11,
    });
    await until(() => last.heard.length === 1);
    expect(last.heard[0]?.pdu.receipted_message_id).toBe(answer.message_id);
  });

  test('[ESME-2] [ESME-4] What can’t be sent gets the standard’s status, and a full window is told to slow down', async () => {
    const esme = await client();
    const status = async (fields: object) =>
      (
        await esme.submit({
          destination_addr: recipient(5),
          dest_addr_ton: 1,
          short_message: 'Hello',
          registered_delivery: 0,
          ...fields,
        })
      ).command_status;
    expect(await status({ destination_addr: '12' })).toBe(0x0b);
    expect(await status({ source_addr: 'not a sender id' })).toBe(0x0a);
    expect(await status({ short_message: '' })).toBe(0x01);
    expect(await status({ esm_class: 0x08 })).toBe(0x43);
    expect(await status({ replace_if_present_flag: 1 })).toBe(0x54);
    expect(await status({ validity_period: 'tomorrow' })).toBe(0x62);
    expect(await status({ schedule_delivery_time: '991301000000000+' })).toBe(0x61);
    expect(await status({ data_coding: 4, short_message: Buffer.from([1, 2, 250]) })).toBe(0x104);
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, index) => status({ destination_addr: recipient(index) })),
    );
    expect(new Set(many)).toEqual(new Set([statusOk, throttled]));
    await until(async () => (await status({})) === statusOk);
  });

  test('[ESME-4] Who goes on submitting beyond the window is not read for a while, and others are served meanwhile', async () => {
    const [flooder, other] = [await client(), await stranger()];
    expect(await other.bind('transmitter', { system_id: 'perl', password: 'secret' })).toMatchObject({
      command_status: statusOk,
    });
    const flood = 5_000;
    let answered = 0;
    const message = { destination_addr: recipient(7), short_message: 'Flood', registered_delivery: 0 };
    for (let index = 0; index < flood; index++)
      flooder.session.submit_sm(message, () => {
        answered += 1;
      });
    await until(() => answered > 100);
    // While the store is late, this one is asked to slow down too.
    const served = { ...message, short_message: 'Served' };
    await until(async () => (await other.submit(served)).command_status === statusOk);
    expect(answered).toBeLessThan(flood);
  });

  test('[ESME-4] Octets that are no SMPP end their connection only', async () => {
    const esme = await client();
    const ended = (octets: Buffer) =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(octets));
        socket
          .on('error', () => undefined)
          .on('data', () => undefined)
          .on('close', () => resolve());
      });
    await ended(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    await ended(Buffer.alloc(70_000, 0xff));
    const nonsense = Buffer.from('00000010000000ff0000000000000001', 'hex');
    await ended(nonsense);
    expect(await esme.submit({ destination_addr: recipient(6), short_message: 'Still here' })).toMatchObject({
      command_status: statusOk,
    });
  });

  test('[RUN-4] [ESME-4] The metrics tell what was refused, what waits for clients, and how far windows are used', async () => {
    const figure = async (name: string) => {
      const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return Number(line?.split(' ')[1]);
    };
    await (await stranger()).bind('transceiver', { ...bound, password: 'wrong' });
    const esme = await client();
    esme.heldAnswers = [];
    await esme.submit({ destination_addr: '12', dest_addr_ton: 1, short_message: 'To nobody' });
    await simulateIncoming(app, { to: address, from: '46701740699', text: 'Unanswered' });
    // What an earlier connection left unanswered may come, and be answered, before it is held.
    await until(() => (esme.heldAnswers?.length ?? 0) > 0);
    const refused = (request: string, status: string) =>
      figure(`carillon_smpp_refused_total{request="${request}",status="${status}"}`);
    expect(await refused('bind', 'ESME_RINVPASWD')).toBeGreaterThan(0);
    expect(await refused('submit', 'ESME_RINVDSTADR')).toBeGreaterThan(0);
    expect(await figure('carillon_smpp_window_requests')).toBeGreaterThanOrEqual(20);
    expect(await figure('carillon_smpp_window_used_requests{of="deliveries"}')).toBeGreaterThan(0);
    await until(async () => (await figure('carillon_smpp_deliveries_waiting')) > 0);
    expect(await figure('carillon_smpp_deliveries_oldest_seconds')).toBeGreaterThanOrEqual(0);
    for (const answer of esme.heldAnswers) answer();
    esme.heldAnswers = undefined;
    await until(async () => (await figure('carillon_smpp_deliveries_waiting')) === 0);
  });

  test('[ESME-1] A changed password ends the binds within a second or so, and another holds from then on', async () => {
    const esme = await client();
    const changed = { ...logins, alice: logins.alice.replace(password, 'other-pw') };
    expect(await app.apply(withLogins(changed))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('~ user alice in Nordic Care: smppPassword changed\n'),
    });
    await until(() => esme.isClosed);
    const again = await stranger();
    expect(await again.bind('transceiver', { ...bound, password: 'other-pw' })).toMatchObject({
      command_status: statusOk,
    });
    const taken = { ...logins, bob: logins.bob.replace('perl', 'alice') };
    const { exitCode, stderr } = await app.apply(withLogins(taken));
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('the system id alice belongs to the user'),
    ]);
    expect(await app.apply(withLogins(logins))).toMatchObject({ exitCode: 0 });
  });

  test.runIf(hasNetSmpp)(
    '[ESME-2] [ESME-3] Perl’s Net::SMPP binds, submits and gets its receipts',
    async () => {
      const { stdout } = await promisify(execFile)('perl', [
        'test/carriers/net-smpp-esme.pl',
        String(port),
        '2',
      ]);
      expect(stdout.split('\n')).toEqual([
        'bound 0 carillon',
        expect.stringMatching(/^answer 0 \d+$/),
        expect.stringMatching(/^answer 0 \d+$/),
        expect.stringMatching(/^delivered 4 467017406(99|11) id:\d+ .* text:Hello from Perl$/),
        expect.stringMatching(/^delivered 4 467017406(99|11) id:\d+ .* text:Hello from Perl$/),
        'alive 0',
        'left 0',
        '',
      ]);
    },
  );

  test.runIf(kannelVersion)(
    '[ESME-2] [ESME-3] Kannel submits, its parts of a long text become one message, and it gets its receipts and incoming SMS',
    async () => {
      const { stdout } = await app.run('user', 'smpp-passwd', 'bob', '--json');
      const made = JSON.parse(stdout) as { readonly systemId: string; readonly password: string };
      expect(made).toMatchObject({ systemId: 'perl', password: expect.stringMatching(/^\w{8}$/) });
      const heard: URLSearchParams[] = [];
      const listener = createServer((request, response) => {
        heard.push(new URL(request.url ?? '/', 'http://localhost').searchParams);
        response.end();
      });
      const [told, sendsms] = [await freePort(), await freePort()];
      await new Promise<void>((resolve) => listener.listen(told, '127.0.0.1', resolve));
      const incomingUrl = `http://127.0.0.1:${told}/`;
      const kannel = await Kannel.start({ smsc: port, sendsms, incomingUrl, login: made });
      try {
        const send = async (to: string, text: string, coding: 0 | 2) => {
          const dlr = { 'dlr-mask': '3', 'dlr-url': `${incomingUrl}?state=%d` };
          const what = { from: address, to, text, charset: 'UTF-8', coding: String(coding), ...dlr };
          const asked = new URLSearchParams({ username: 'carillon', password: 'secret', ...what });
          expect((await fetch(`http://127.0.0.1:${sendsms}/cgi-bin/sendsms?${asked}`)).status).toBe(202);
        };
        const long = 'Räksmörgås '.repeat(40).trim();
        await send(recipient(308), long, 0);
        await send(recipient(309), 'Привет €', 2);
        await until(() => heard.filter((one) => one.get('state') === '1').length === 2);
        const sent = (await storedMessages(app)).filter(({ recipient: to }) =>
          [recipient(308), recipient(309)].includes(to),
        );
        expect(sent.map(({ text }) => text).sort()).toEqual([long, 'Привет €'].sort());
        await simulateIncoming(app, { to: '46731230002', from: '46701740699', text: 'Ja' });
        await until(() => heard.some((one) => one.get('from')?.endsWith('46701740699')));
      } finally {
        await kannel.close();
        listener.close();
      }
    },
  );
});

describePostgres('SMPP clients at two nodes, the second with TLS', () => {
  const ports = { plain: 0, tls: 0 };
  const folder = mkdtempSync(join(tmpdir(), 'carillon-esme-'));
  const nodes: WholeApp[] = [];
  beforeAll(async () => {
    [ports.plain, ports.tls] = [await freePort(), await freePort()];
    const { certificateFile, keyFile } = makeCertificate(folder, 'server');
    const first = await startWholeApp({
      engine: 'postgres',
      provisioning: withLogins(logins),
      env: { CARILLON_SMPP_SERVER: `127.0.0.1:${ports.plain}` },
    });
    nodes.push(first);
    const second = await startWholeApp({
      engine: 'postgres',
      besides: first,
      serve: ['--roles', 'http'],
      ready: false,
      env: {
        CARILLON_SMPP_SERVER_TLS: `127.0.0.1:${ports.tls}`,
        CARILLON_TLS_CERT: certificateFile,
        CARILLON_TLS_KEY: keyFile,
      },
    });
    nodes.push(second);
  });
  afterAll(async () => {
    for (const node of nodes.reverse()) await node.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[ESME-1] [ESME-3] [ESME-4] A receiver at one node gets what was submitted at the other, binds count together, and another node takes over', async () => {
    const sender = await NpmEsme.bound(ports.plain, 'transceiver', bound);
    const there = await NpmEsme.connect(ports.tls, true);
    expect(await there.bind('receiver', bound)).toMatchObject({ command_status: statusOk });
    const third = await NpmEsme.bound(ports.plain, 'transmitter', bound);
    const fourth = await NpmEsme.connect(ports.tls, true);
    expect(await fourth.bind('receiver', bound)).toMatchObject({ command_status: alreadyBound });
    const ids: string[] = [];
    const submit = async () => {
      const answer = await third.submit({
        destination_addr: recipient(1),
        dest_addr_ton: 1,
        short_message: 'Hi',
      });
      ids.push(String(answer.message_id));
    };
    const heard = () =>
      [sender, there].flatMap((esme) => esme.heard.map(({ pdu }) => String(pdu.receipted_message_id)));
    await submit();
    await until(() => heard().length === 1);
    // The receiver that gets them leaves, so the other one does from now on.
    await (sender.heard.length === 1 ? sender : there).unbind();
    await submit();
    await until(() => heard().length === 2);
    expect(heard().sort()).toEqual([...ids].sort());
    for (const esme of [sender, there, third, fourth]) esme.close();
  });
});
