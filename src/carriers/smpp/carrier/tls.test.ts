import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CarrierRecorder, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { RawSmsc } from '../../../../test/carriers/raw-smsc.ts';
import { smppCarrier } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import type { SmppSettings } from '../settings.ts';
import type { SmppCarrier } from './smpp-carrier.ts';

let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-smpp-tls-'));
  for (const [name, alternative] of [
    ['right', 'IP:127.0.0.1'],
    ['wrong', 'DNS:smsc.example'],
  ] as const) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${alternative}`];
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
    execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...out], { stdio: 'ignore' });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let smsc: RawSmsc;
let carrier: SmppCarrier;
afterEach(async () => {
  await carrier.stop(0);
  await smsc.close();
});

/**
 * Retries until the carrier is up, or down for this reason: when this process is held up, an attempt may also end in a
 * time-out.
 */
async function bind(
  certificate: 'right' | 'wrong' | 'none',
  changes: Partial<SmppSettings>,
  end: 'up' | RegExp = /./,
) {
  const server =
    certificate === 'none'
      ? undefined
      : createServer({
          key: readFileSync(file(`${certificate}.key`)),
          cert: readFileSync(file(`${certificate}.crt`)),
        }).on('tlsClientError', () => undefined);
  smsc = await RawSmsc.listen(server);
  carrier = smppCarrier(smsc.port, {
    tls: true,
    connectTimeoutMs: 2_000,
    responseTimeoutMs: 500,
    ...changes,
  });
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  await until(() => {
    const { state, reason } = carrier.status();
    return end === 'up' ? state === 'up' : state === 'down' && end.test(reason ?? '');
  });
  return { heard, ...carrier.status() };
}

describe('a bind over TLS', () => {
  test('[DLV-1] A bind over TLS to a certificate of the configured authority carries submissions', async () => {
    const { heard, state } = await bind('right', { tlsCa: file('right.crt') }, 'up');
    expect(state).toBe('up');
    carrier.submit(messages(50));
    await until(() => heard.ofKind('accepted').length === 50);
  });

  test('[DLV-1] A bind over TLS to a certificate of no known authority fails, unless the operator allows it', async () => {
    await bind('right', {}, /can't be reached: .*self-signed certificate/);
    await carrier.stop(0);
    await smsc.close();
    expect(await bind('right', { tlsVerify: false }, 'up')).toMatchObject({ state: 'up' });
  });

  test('[DLV-1] A bind over TLS to a certificate of another host fails', async () => {
    await bind('wrong', { tlsCa: file('wrong.crt') }, /127\.0\.0\.1.*is not in the cert/);
  });

  test('[DLV-1] A bind over TLS with an authority file that cannot be read fails, and says so', async () => {
    await bind('right', { tlsCa: file('none.crt') }, /can't be reached: ENOENT.*none\.crt/);
  });

  test('[DLV-1] TLS on one side only fails the bind and does no other harm', async () => {
    expect(await bind('right', { tls: false })).toMatchObject({ state: 'down' });
    await carrier.stop(0);
    await smsc.close();
    expect(await bind('none', { tls: true })).toMatchObject({ state: 'down' });
  });
});
