import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { makeCertificate, makeExpiredCertificate } from '../../test/harness/certificate.ts';
import { certificateEnd, type TlsFiles } from '../http/connections/tls-files.ts';
import { tellCertificateEnd } from './certificate-expiry.ts';
import { createMetrics } from './metrics.ts';
import { StopStack } from './stop-stack.ts';

const dayMs = 24 * 60 * 60 * 1_000;

async function warningsOf(files: TlsFiles, at: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);
  let checks = 0;
  const clock = {
    now: () => {
      checks += 1;
      return at;
    },
  };
  const metrics = createMetrics();
  const stack = new StopStack();
  tellCertificateEnd(files, { clock, metrics, log: { warn: note, error: note } }, stack);
  await until(() => checks > 0);
  await stack.unwind();
  const seconds = certificateEnd(files) / 1_000;
  expect(await metrics.http.text()).toContain(`\ncarillon_tls_certificate_end_seconds ${seconds}\n`);
  return lines;
}

describe('the expiry of a certificate', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-certificate-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('[RUN-4] The log warns at the start when the TLS certificate has expired or expires within fourteen days', async () => {
    const files = makeCertificate(folder, 'valid');
    const end = certificateEnd(files);
    expect(await warningsOf(files, end)).toEqual(['the TLS certificate has expired: clients refuse it']);
    expect(await warningsOf(files, end - 1)).toEqual(['the TLS certificate expires soon: renew it']);
    expect(await warningsOf(files, end - 14 * dayMs + 1)).toEqual([
      'the TLS certificate expires soon: renew it',
    ]);
    expect(await warningsOf(files, end - 14 * dayMs)).toEqual([]);
  });

  test('[RUN-4] The expiry of the TLS certificate is read from the file as it is now', async () => {
    const files = makeCertificate(folder, 'renewed');
    const before = certificateEnd(files);
    makeExpiredCertificate(folder, 'renewed');
    expect(certificateEnd(files)).toBeLessThan(before);
  });
});
