import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';
import { StartError } from '../foundation/errors.ts';

let folder: string;
let demo: DemoServer;
const file = (name: string) => join(folder, name);

function makeCertificate(name: string): void {
  const options = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-days',
    '2',
    '-nodes',
    '-subj',
    `/CN=${name}`,
  ];
  execFileSync(
    'openssl',
    ['req', '-x509', ...options, '-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)],
    {
      stdio: 'ignore',
    },
  );
}

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

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
  for (const name of ['first', 'second']) makeCertificate(name);
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
  test('[AUTH-8] the server ends TLS itself, and takes credentials over it', async () => {
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

  test('[AUTH-8] plain HTTP on its port gets no answer', async () => {
    expect(await demo.raw('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).not.toContain('200');
  });

  test('[AUTH-8] a new certificate is used without a restart; a bad one leaves the old one in use', async () => {
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

  test('[AUTH-8] at the start, files that cannot be used are named', async () => {
    const tls = { certificateFile: file('first.crt'), keyFile: file('second.key') };
    await expect(startDemoServer({ config: { tls } })).rejects.toThrow(StartError);
    const missing = { certificateFile: file('none.crt'), keyFile: file('first.key') };
    await expect(startDemoServer({ config: { tls: missing } })).rejects.toThrow(
      /CARILLON_TLS_CERT.*none\.crt/,
    );
  });
});

test('[RUN-1] an address that is in use stops the start with a sentence', async () => {
  const http = { host: '127.0.0.1', port: demo.port };
  await expect(startDemoServer({ config: { http } })).rejects.toThrow(
    /another program listens there already/,
  );
});
