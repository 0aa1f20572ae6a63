import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../../test/harness/awake.ts';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { handshake, weakOffers } from '../../../test/harness/tls-handshake.ts';
import { StartError } from '../../foundation/errors.ts';

let folder: string;
let demo: DemoServer;
const file = (name: string) => join(folder, name);

function servedName(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { port: demo.port, host: '127.0.0.1', rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

/** Resolves when the server ends a connection that receives these octets one by one, with the number sent by then. */
function endOf(port: number, octets: Buffer, firstOctets = 0): Promise<number> {
  return new Promise((resolve) => {
    let sent = firstOctets;
    const socket = connectTcp(port, '127.0.0.1');
    if (firstOctets > 0) socket.write(octets.subarray(0, firstOctets));
    const timer = setInterval(() => {
      socket.write(octets.subarray(sent, sent + 1));
      sent = Math.min(sent + 1, octets.length);
    }, 50);
    socket.on('error', () => {}).resume();
    socket.on('close', () => {
      clearInterval(timer);
      resolve(sent);
    });
  });
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
  for (const name of ['first', 'second']) makeCertificate(folder, name);
  copyFileSync(file('first.crt'), file('server.crt'));
  copyFileSync(file('first.key'), file('server.key'));
  const tls = { certificateFile: file('server.crt'), keyFile: file('server.key') };
  demo = await startDemoServer({ config: { tls } });
});

afterAll(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true });
});

describe('HTTPS', () => {
  test('[AUTH-8] The server ends TLS itself and accepts credentials over it', async () => {
    const body = await new Promise<string>((resolve, reject) => {
      const headers = { 'x-api-key': 'key-of-alice' };
      const sent = request(
        `${demo.url}/demo/echo?M8=x`,
        { headers, rejectUnauthorized: false },
        (response) => {
          response.setEncoding('utf8').on('data', resolve);
        },
      );
      sent.on('error', reject).end();
    });
    expect(JSON.parse(body)).toMatchObject({ caller: 'alice', input: { message: 'x' } });
  });

  test('[AUTH-8] Plain HTTP on the HTTPS port is not served', async () => {
    expect(await demo.raw('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).not.toContain('200');
  });

  test('[AUTH-8] A new certificate is used without a restart, and a bad one leaves the old one in use', async () => {
    expect(await servedName()).toBe('first');
    copyFileSync(file('second.crt'), file('server.crt'));
    await waitFor(() =>
      demo.log.some(({ msg }) => String(msg).startsWith('the new TLS certificate cannot be used')),
    );
    expect(await servedName()).toBe('first');
    copyFileSync(file('second.key'), file('server.key'));
    await waitFor(async () => (await servedName()) === 'second');
    writeFileSync(file('server.crt'), 'no PEM');
    const faults = () => demo.log.filter(({ msg }) => String(msg).includes('cannot be used')).length;
    await waitFor(() => faults() === 2);
    expect(await servedName()).toBe('second');
  });

  test('[AUTH-8] Only cipher suites with forward secrecy are negotiated, even with a certificate that is loaded later', async () => {
    const server = await startDemoServer({ config: { tls: makeCertificate(folder, 'rsa', 'rsa') } });
    const check = async () => {
      for (const offer of weakOffers)
        expect(await handshake(server.port, ...offer), offer.join(' ')).toBeUndefined();
      expect(await handshake(server.port, '-tls1_3')).toMatch(/^TLSv1\.3 TLS_/);
      expect(await handshake(server.port, '-tls1_2')).toMatch(/^TLSv1\.2 ECDHE-RSA-.*(GCM|POLY1305)/);
    };
    await check();
    makeCertificate(folder, 'rsa', 'rsa');
    await waitFor(() => server.log.some(({ msg }) => msg === 'the new TLS certificate is in use'));
    await check();
    await server.stop();
  }, 300_000);

  test('[AUTH-8] [DLV-8] A client that does not finish its TLS handshake in time is cut off', async () => {
    const tls = { certificateFile: file('first.crt'), keyFile: file('first.key') };
    const server = await startDemoServer({ config: { tls }, handshakeMs: 400 });
    // The start of a greeting of 512 bytes.
    const greeting = Buffer.alloc(400);
    Buffer.from('1603010200010001fc0303', 'hex').copy(greeting);
    const [silent, broken, slow] = await Promise.all([
      endOf(server.port, Buffer.alloc(0)),
      endOf(server.port, greeting.subarray(0, 4), 4),
      endOf(server.port, greeting),
    ]);
    expect([silent, broken]).toEqual([0, 4]);
    // The client was cut off while it was still sending.
    expect(slow).toBeLessThan(greeting.length);
    await server.stop();
  });

  test('[AUTH-8] TLS files that cannot be used stop the start, and a missing one is named', async () => {
    const tls = { certificateFile: file('first.crt'), keyFile: file('second.key') };
    await expect(startDemoServer({ config: { tls } })).rejects.toThrow(StartError);
    const missing = { certificateFile: file('none.crt'), keyFile: file('first.key') };
    await expect(startDemoServer({ config: { tls: missing } })).rejects.toThrow(
      /CARILLON_TLS_CERT.*none\.crt/,
    );
  });
});

test('[RUN-1] An address already in use stops the start with a clear sentence', async () => {
  const http = { host: '127.0.0.1', port: demo.port };
  await expect(startDemoServer({ config: { http } })).rejects.toThrow(
    /another program is already listening there/,
  );
});
