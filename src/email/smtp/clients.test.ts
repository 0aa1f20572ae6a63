/** Tests that clients can't harm a mail server, whatever happens to their e-mails. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { plainMail } from '../../../test/harness/raw-mail.ts';
import { deliverMail, SmtpClient } from '../../../test/harness/smtp-client.ts';
import type { Caller } from '../../accounts/caller.ts';
import { taken } from '../gateway/mail-answer.ts';
import type { IncomingMail } from '../gateway/receive-mail.ts';
import { standardMailConnectionLimits } from './connections.ts';
import { standardMailGateLimits } from './gate.ts';
import { MailServer, type MailServerOptions } from './server.ts';

const to = ['46701740699@sms.example'];
const octets = plainMail('Hi');
const login = { username: 'alice', password: 'x' };
const quick = { ...standardMailGateLimits, maxWaitMs: Number.POSITIVE_INFINITY };
/** An address of this machine that the server treats as remote. */
const localAddress = '127.0.0.2';
const elsewhere = { isLocal: (address: string) => address === '127.0.0.1' };

describe('a server for mail', () => {
  let server: MailServer;
  let received: IncomingMail[];
  const open: { close(): void }[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    await server.stop();
  });

  async function start(options: Partial<MailServerOptions> = {}): Promise<number> {
    received = [];
    server = new MailServer({
      address: { host: '127.0.0.1', port: 0 },
      domains: ['sms.example'],
      maxOctets: 1024 * 1024,
      tls: undefined,
      isTrustedRelay: () => false,
      storeWaitMs: () => 0,
      limits: quick,
      authenticate: () =>
        ({ userId: 11, username: 'alice', companyId: 1, roles: new Set(['send']) }) as unknown as Caller,
      receive: async (mail) => {
        received.push(mail);
        return taken('sent', 'Sending.');
      },
      record: () => undefined,
      metrics: { taken: () => undefined, refused: () => undefined },
      log: pino({ level: 'silent' }),
      ...options,
    });
    return server.listen();
  }

  function client(port: number, localAddress?: string): SmtpClient {
    const opened = new SmtpClient(port, localAddress);
    open.push(opened);
    return opened;
  }

  /** A remote client at the start of its data. */
  async function sending(port: number): Promise<SmtpClient> {
    const sender = client(port, localAddress);
    await sender.begin();
    await sender.command('MAIL FROM:<a@care.example>');
    await sender.command(`RCPT TO:<${to[0]}>`);
    expect(await sender.command('DATA')).toMatchObject({ code: 354 });
    return sender;
  }

  describe('of many small pieces', () => {
    test('[DLV-8] [MAIL-2] A client whose e-mail consists only of tiny pieces is disconnected long before its end', async () => {
      const sender = await sending(await start());
      sender.write(`a: b\r\n${'..\n'.repeat(300_000)}`);
      expect(await sender.reply()).toMatchObject({ code: 421, text: expect.stringContaining('pieces') });
      expect(await sender.reply()).toMatchObject({ code: 0 });
      expect(received).toEqual([]);
    });

    test('[MAIL-2] An e-mail with thousands of dot lines is accepted', async () => {
      const dotted = plainMail('.\n..\nof a list of dots, beside others\n'.repeat(4_000));
      expect(await deliverMail(await start(), { octets: dotted, to })).toMatchObject({ code: 250 });
      expect(Buffer.from(received[0]?.octets ?? []).equals(dotted)).toBe(true);
    });

    test('[MAIL-2] An e-mail twice as large as allowed is not read to its end', async () => {
      const sender = await sending(await start({ maxOctets: 65_536 }));
      sender.write(`${'a'.repeat(76)}\r\n`.repeat(2_000));
      expect(await sender.reply()).toMatchObject({ code: 421 });
    });
  });

  describe('filled by strangers', () => {
    test('[DLV-8] [MAIL-2] A mail server full of mail from unauthenticated clients still accepts mail from users who log in', async () => {
      const releases: (() => void)[] = [];
      const port = await start({
        ...elsewhere,
        limits: { ...quick, network: { maxMails: 1, maxOctets: 1_000_000 } },
        receive: async ({ user }) => {
          if (user === undefined) await new Promise<void>((resolve) => releases.push(resolve));
          return taken('sent', 'Sending.');
        },
      });
      const first = deliverMail(port, { octets, to, localAddress });
      while (releases.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await deliverMail(port, { octets, to, localAddress })).toMatchObject({ code: 451 });
      expect(await deliverMail(port, { octets, to, login })).toMatchObject({ code: 250 });
      for (const release of releases) release();
      expect(await first).toMatchObject({ code: 250 });
    });

    test('[DLV-8] [MAIL-2] A mail server whose memory for unauthenticated clients is full still accepts mail from users', async () => {
      const strangers = { maxMails: 10, maxOctets: 1_000 };
      const port = await start({ ...elsewhere, limits: { ...quick, strangers } });
      const slow = await sending(port);
      slow.write('a'.repeat(950));
      const codes: number[] = [];
      while (codes.at(-1) !== 451) codes.push((await deliverMail(port, { octets, to, localAddress })).code);
      expect(await deliverMail(port, { octets, to, login })).toMatchObject({ code: 250 });
      slow.close();
      while (codes.at(-1) !== 250) codes.push((await deliverMail(port, { octets, to, localAddress })).code);
    });

    test('[DLV-8] [MAIL-2] A mail server full of unauthenticated clients has connections for trusted relays and other networks', async () => {
      const port = await start({
        ...elsewhere,
        isTrustedRelay: (address) => address === '127.0.0.9',
        connectionLimits: {
          ...standardMailConnectionLimits,
          maxConnections: 5,
          maxUnauthenticated: 3,
          maxPerNetwork: 3,
        },
      });
      const greedy = Array.from({ length: 4 }, () => client(port, localAddress));
      const greetings = await Promise.all(greedy.map((one) => one.reply()));
      // Connections are counted as they arrive, before anything is said.
      expect(greetings.map(({ code }) => code).sort()).toEqual([220, 220, 220, 421]);
      expect(await client(port, '127.0.0.3').reply()).toMatchObject({ code: 220 });
      const left = await Promise.race(
        greedy.filter((_, at) => greetings[at]?.code === 220).map((one) => one.reply()),
      );
      expect(left).toMatchObject({ code: 0 });
      const relays = [client(port, '127.0.0.9'), client(port, '127.0.0.9'), client(port, '127.0.0.9')];
      const codes = (await Promise.all(relays.map((one) => one.reply()))).map(({ code }) => code);
      expect(codes.sort()).toEqual([220, 220, 421]);
      expect(server.connections).toBe(5);
    });
  });

  test('[RUN-4] [MAIL-2] A stop of the mail server does not wait for an e-mail that has not come to its end', async () => {
    const port = await start();
    const half = await new Promise<Socket>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const lines = ['EHLO a', 'MAIL FROM:<a@care.example>', `RCPT TO:<${to[0]}>`, 'DATA'];
      socket.on('error', () => undefined);
      socket.on('data', () => {
        const line = lines.shift();
        socket.write(line === undefined ? 'From: a@care.example\r\n' : `${line}\r\n`);
        if (line === undefined) resolve(socket);
      });
    });
    open.push({ close: () => half.destroy() });
    // No timer ever fires, so a stop that waits for one would never end.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      await server.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\r\n\0.\r\n', '\r\r\n.\r\r\n'])(
    '[MAIL-3] An e-mail ends only at CR LF, a dot, CR LF, and not at %j',
    async (end) => {
      const sender = await sending(await start());
      const inner = `MAIL FROM:<b@care.example>\r\nRCPT TO:<${to[0]}>\r\nDATA\r\nFrom: b@care.example\r\n\r\nHi\r\n`;
      sender.write(`From: a@care.example\r\n\r\nHi${end}${inner}.\r\n`);
      expect(await sender.reply()).toMatchObject({ code: 250 });
      expect(await sender.command('QUIT')).toMatchObject({ code: 221 });
      expect(received.map((mail) => mail.envelopeSender)).toEqual(['a@care.example']);
      expect(Buffer.from(received[0]?.octets ?? []).toString('latin1')).toContain('RCPT TO:');
    },
  );

  describe('passwords', () => {
    test('[AUTH-8] [MAIL-3] Without TLS the mail server accepts passwords from this machine and trusted relays only', async () => {
      const near = await client(await start()).begin();
      expect(near.text).toContain('AUTH');
      await server.stop();
      const isTrustedRelay = (address: string) => address === '127.0.0.9';
      const port = await start({ ...elsewhere, isTrustedRelay });
      const stranger = client(port, localAddress);
      expect((await stranger.begin()).text).not.toContain('AUTH');
      expect(await stranger.command('AUTH PLAIN AGFsaWNlAHg=')).toMatchObject({ code: 500 });
      expect((await client(port, '127.0.0.9').begin()).text).toContain('AUTH');
    });

    test('[AUTH-8] [MAIL-3] Over TLS the mail server accepts passwords from all, and ignores what was said before TLS', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'carillon-smtp-'));
      const [certificateFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
      const files = ['-subj', '/CN=localhost', '-keyout', keyFile, '-out', certificateFile];
      execFileSync('openssl', ['req', '-x509', ...kind, ...files], { stdio: 'ignore' });
      const port = await start({ ...elsewhere, tls: { certificateFile, keyFile } });
      open.push({ close: () => rmSync(folder, { recursive: true, force: true }) });
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      open.push({ close: () => socket.destroy() });
      const answer = (from: NodeJS.EventEmitter) =>
        new Promise<string>((resolve) => {
          from.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
        });
      await answer(socket);
      socket.write('EHLO a\r\n');
      const offers = await answer(socket);
      expect([offers.includes('STARTTLS'), offers.includes('AUTH')]).toEqual([true, false]);
      socket.write('STARTTLS\r\nMAIL FROM:<a@care.example>\r\n');
      expect(await answer(socket)).toMatch(/^220 .*\r\n$/);
      const secure = connectTls({ socket, rejectUnauthorized: false });
      secure.write('EHLO a\r\n');
      expect(await answer(secure)).toContain('AUTH PLAIN LOGIN');
      secure.write(`RCPT TO:<${to[0]}>\r\n`);
      expect(await answer(secure)).toMatch(/^503 /);
      secure.destroy();
    });
  });
});
