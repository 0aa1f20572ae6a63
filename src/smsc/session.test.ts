import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NpmEsme } from '../../test/carriers/npm-esme.ts';
import { command, deliverBody, octets } from '../../test/carriers/raw-smsc.ts';
import { startSmsc, stopSmscs } from '../../test/carriers/smsc-setup.ts';
import { pause, until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../test/harness/held-time.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';

const closing: { close(): void }[] = [];
beforeEach(holdTime);
afterEach(async () => {
  for (const one of closing.splice(0)) one.close();
  await passDuring(stopSmscs());
  letTimeGo();
});

async function connected(port: number): Promise<NpmEsme> {
  const esme = await NpmEsme.connect(port);
  closing.push(esme);
  return esme;
}

/** A client that sends arbitrary bytes and collects what arrives. */
function rawClient(port: number): { socket: Socket; heard: () => Buffer; isClosed: () => boolean } {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket
    .on('error', () => undefined)
    .on('close', () => {
      isClosed = true;
    });
  closing.push({ close: () => socket.destroy() });
  return { socket, heard: () => Buffer.concat(chunks), isClosed: () => isClosed };
}

describe('a bind', () => {
  test('[DLV-3] A bind to the SMSC for tests needs the system id and the password, if these are configured', async () => {
    const { port } = await startSmsc('{ systemId: carillon, password: secret }');
    const bind = async (system_id: string, password: string) =>
      (await (await connected(port)).bind('transceiver', { system_id, password })).command_status;
    expect(await bind('carillon', 'secret')).toBe(0);
    expect(await bind('other', 'secret')).toBe(commandStatus.ESME_RINVSYSID);
    expect(await bind('carillon', 'guess')).toBe(commandStatus.ESME_RINVPASWD);
  });

  test('[DLV-3] The SMSC for tests refuses a bind if the operator wants it, and ends the connection', async () => {
    const { port, journal } = await startSmsc('refuseBind: ESME_RBINDFAIL');
    const esme = await connected(port);
    expect((await esme.bind('receiver')).command_status).toBe(commandStatus.ESME_RBINDFAIL);
    await until(() => esme.isClosed);
    expect(journal.counts()[0]).toEqual(['binds', '0 (refused 1)']);
  });

  test('[DLV-3] The SMSC for tests limits the number of binds, and allows only one per connection', async () => {
    const { port } = await startSmsc('maxBinds: 1');
    const first = await connected(port);
    expect((await first.bind('transceiver')).command_status).toBe(0);
    expect((await first.bind('transceiver')).command_status).toBe(commandStatus.ESME_RALYBND);
    expect((await (await connected(port)).bind('transceiver')).command_status).toBe(
      commandStatus.ESME_RALYBND,
    );
    expect((await first.submit({ destination_addr: '46701740699', short_message: 'x' })).command_status).toBe(
      0,
    );
    await first.unbind();
    expect((await (await connected(port)).bind('transceiver')).command_status).toBe(0);
  });

  test('[DLV-3] The SMSC for tests refuses submissions before a bind and on the bind of a receiver', async () => {
    const { port } = await startSmsc();
    const esme = await connected(port);
    const submit = async () =>
      (await esme.submit({ destination_addr: '46701740699', short_message: 'x' })).command_status;
    expect(await submit()).toBe(commandStatus.ESME_RINVBNDSTS);
    await esme.bind('receiver');
    expect(await submit()).toBe(commandStatus.ESME_RINVBNDSTS);
  });
});

describe('TLS', () => {
  test('[DLV-1] The SMSC for tests speaks TLS with a certificate and its key, and reports files that it cannot read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-smsc-tls-'));
    const [key, cert] = [join(folder, 'smsc.key'), join(folder, 'smsc.crt')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=localhost', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject], { stdio: 'ignore' });
    const { port } = await startSmsc('', { tlsCert: cert, tlsKey: key });
    const esme = await NpmEsme.connect(port, true);
    closing.push(esme);
    expect((await esme.bind('transceiver')).command_status).toBe(0);
    const plain = rawClient(port);
    plain.socket.write(octets(command.enquireLink, 0, 1));
    await until(plain.isClosed);
    rmSync(folder, { recursive: true });
    await expect(startSmsc('', { tlsCert: cert, tlsKey: key })).rejects.toThrow(
      /^TLS cannot start with .*ENOENT/,
    );
  });
});

describe('a link', () => {
  test('[DLV-3] The SMSC for tests sends enquire_link, and drops a client that does not answer', async () => {
    const { port, lines } = await startSmsc('enquireLinkMs: 50');
    const esme = await connected(port);
    await esme.bind('transceiver');
    const silent = rawClient(port);
    const bind = Buffer.from('raw\0secret\0\0\x34\0\0\0', 'latin1');
    silent.socket.write(octets(command.bindTransceiver, 0, 1, bind));
    await passUntil(silent.isClosed);
    expect(lines()).toContain('closed #2  it did not answer enquire_link');
    expect(esme.isClosed).toBe(false);
    expect(esme.commands.filter((one) => one === 'enquire_link').length).toBeGreaterThan(0);
  });

  test('[DLV-3] The SMSC for tests can leave enquire_link unanswered, so that the link seems dead', async () => {
    const { port } = await startSmsc('answersEnquireLink: false');
    const esme = await connected(port);
    await esme.bind('transceiver');
    esme.session.enquire_link();
    await passDuring(esme.unbind());
    expect(esme.commands).toEqual(['bind_transceiver_resp', 'unbind_resp']);
  });

  test('[DLV-3] The SMSC for tests can break the connection at intervals', async () => {
    const { port } = await startSmsc('dropEveryMs: 100');
    const esme = await connected(port);
    await esme.bind('transceiver');
    pass(100);
    await until(() => esme.isClosed);
  });

  test('[DLV-3] A stop of the SMSC for tests sends the responses that are due and an unbind', async () => {
    const { smsc, port, lines } = await startSmsc('answerMs: 10000', { receiptMs: 10_000 });
    const esme = await connected(port);
    await esme.bind('transceiver');
    const answer = esme.submit({ destination_addr: '46701740699', short_message: 'x' });
    await until(() => lines().some((line) => line.startsWith('submit')));
    // The stop waits for neither of these delays, because no time passes.
    expect(await smsc.stop()).toBe(1);
    expect((await answer).command_status).toBe(0);
    expect(esme.commands.at(-1)).toBe('unbind');
    expect(lines().at(-1)).toBe('unbind #1  the SMSC is stopping');
  });

  test('[DLV-3] A stop of the SMSC for tests waits for responses to what it delivered, and delivers nothing more', async () => {
    const { smsc, port, journal } = await startSmsc();
    const esme = await connected(port);
    await esme.bind('transceiver');
    esme.heldAnswers = [];
    const sms = { from: '46701740699', to: '46701740605', text: 'Early' };
    smsc.originate(sms);
    await until(() => esme.commands.includes('deliver_sm'));
    const stopped = smsc.stop();
    smsc.originate(sms);
    esme.session.enquire_link();
    await until(() => esme.commands.includes('enquire_link_resp'));
    expect(esme.commands).not.toContain('unbind');
    for (const answer of esme.heldAnswers) answer();
    expect(await stopped).toBe(1);
    expect(esme.commands.filter((name) => name === 'deliver_sm')).toHaveLength(1);
    expect(journal.counts()).toContainEqual(['taken by clients', '1']);
  });
});

/** Bytes that are a PDU, almost one, or random. */
const number = fc.oneof(
  fc.constantFrom(0, 1, 15, 16, 17, 0x7fffffff, 0x80000000, 0xffffffff, ...Object.values(command)),
  fc.nat(0xffff),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((any) => Buffer.from(any)),
  fc
    .tuple(number, number, number, number, fc.uint8Array({ maxLength: 100 }), fc.boolean())
    .map(([length, id, status, sequence, body, isRight]) => {
      const pdu = octets(id, status, sequence, Buffer.from(body));
      if (!isRight) pdu.writeUInt32BE(length, 0);
      return pdu;
    }),
);

describe('whatever bytes come', () => {
  test('[DLV-8] Arbitrary bytes may end their own connection, but never the SMSC for tests or other connections', async () => {
    const { port } = await startSmsc();
    const esme = await connected(port);
    await esme.bind('transceiver');
    const bind = octets(command.bindTransceiver, 0, 1, Buffer.from('raw\0secret\0\0\x34\0\0\0', 'latin1'));
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 8 }), fc.boolean(), async (all, isBound) => {
        const { socket } = rawClient(port);
        if (isBound) socket.write(bind);
        for (const some of all) socket.write(some);
        await pause(2);
        socket.destroy();
      }),
      { numRuns: 200 },
    );
    const answer = await esme.submit({ destination_addr: '46701740699', short_message: 'Still there' });
    expect(answer.command_status).toBe(0);
  });

  test('[DLV-8] The SMSC for tests reports what it could not deliver, and goes on serving', async () => {
    const { port, lines } = await startSmsc('{ receiptForm: tlv, reply: "YES", replyMs: 0 }');
    const esme = await connected(port);
    await esme.bind('transceiver');
    const fields = { destination_addr: '4'.repeat(60), source_addr: '46701740605', registered_delivery: 1 };
    const status = await new Promise((resolve) => {
      esme.session.data_sm({ ...fields, message_payload: { message: 'Hej' } }, (pdu) =>
        resolve(pdu.command_status),
      );
    });
    expect(status).toBe(0);
    await until(() => lines().filter((line) => line.startsWith('fault')).length === 2);
    expect(lines().at(-1)).toMatch(/^fault .*sourceAddr.* Discarded: 4{60} to 46701740605: "YES"$/);
    expect((await esme.submit({ destination_addr: '46701740699', short_message: 'x' })).command_status).toBe(
      0,
    );
  });

  test('[DLV-3] The SMSC for tests answers bytes that are not a PDU with generic_nack, and reads nothing more', async () => {
    const { port, lines } = await startSmsc();
    const { socket, heard, isClosed } = rawClient(port);
    socket.write('GET / HTTP/1.1\r\nHost: smsc\r\n\r\n');
    await until(isClosed);
    expect(heard()).toEqual(octets(command.genericNack, commandStatus.ESME_RINVCMDLEN, 0));
    expect(lines()).toEqual([
      'fault #1  A PDU cannot have 1195725856 octets: it must have 16 to 73728.',
      'closed #1  it sent data that is not SMPP',
    ]);
  });

  test('[DLV-3] The SMSC for tests accepts a submission or a bind with a stray NUL at its end, and reports the fault', async () => {
    const { port, lines } = await startSmsc();
    const { socket, heard } = rawClient(port);
    socket.write(octets(command.bindTransceiver, 0, 5, 'me\0\0\0\x34\0\0\0\0'));
    socket.write(
      octets(command.submitSm, 0, 6, Buffer.concat([deliverBody('46', '47', 'Hej'), Buffer.of(0)])),
    );
    await until(() => heard().includes(Buffer.from('8000000400000000', 'hex')));
    expect(heard().subarray(4, 12).toString('hex')).toBe('8000000900000000');
    expect(lines().filter((line) => line.startsWith('fault'))).toEqual([
      'fault #1  bindTransceiver: A NUL follows the mandatory part. The rest was accepted.',
      'fault #1  submitSm: A NUL follows the mandatory part. The rest was accepted.',
    ]);
  });

  test('[DLV-3] The SMSC for tests refuses commands that it does not serve, or that do not exist, with their own responses', async () => {
    const { port } = await startSmsc();
    const { socket, heard } = rawClient(port);
    socket.write(octets(command.querySm, 0, 5, Buffer.from('1\0\0\0\0', 'latin1')));
    socket.write(octets(0x77, 0, 6));
    socket.write(octets(command.submitSm, 0, 7, 'too short'));
    await until(() => heard().length >= 16 * 3);
    expect(heard().readUInt32BE(4)).toBe(command.querySm + 0x8000_0000);
    expect(heard().readUInt32BE(8)).toBe(commandStatus.ESME_RINVCMDID);
    expect(heard().includes(octets(command.genericNack, commandStatus.ESME_RINVCMDID, 6))).toBe(true);
    const last = heard().subarray(-17);
    expect([last.readUInt32BE(4), last.readUInt32BE(12)]).toEqual([command.submitSmResp, 7]);
  });
});
