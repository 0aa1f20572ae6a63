/** Self-signed certificates, made by OpenSSL for one test. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TlsFiles } from '../../src/http/connections/tls-files.ts';

/** Makes a certificate that expired yesterday. */
export function makeExpiredCertificate(folder: string, name: string): TlsFiles {
  const files = makeCertificate(folder, name);
  const { certificateFile, keyFile } = files;
  const request = ['-x509toreq', '-in', certificateFile, '-signkey', keyFile];
  const asked = execFileSync('openssl', ['x509', ...request], { stdio: ['ignore', 'pipe', 'ignore'] });
  const signed = ['-req', '-signkey', keyFile, '-days', '-1', '-out', certificateFile];
  execFileSync('openssl', ['x509', ...signed], { input: asked, stdio: ['pipe', 'ignore', 'ignore'] });
  return files;
}

/** Writes `name.crt` and `name.key` to the folder. An RSA key supports cipher suites that others do not. */
export function makeCertificate(folder: string, name: string, keyType: 'ec' | 'rsa' = 'ec'): TlsFiles {
  const [certificateFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const key = keyType === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['rsa:2048'];
  const options = ['-newkey', ...key, '-days', '2', '-nodes', '-subj', `/CN=${name}`];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
  return { certificateFile, keyFile };
}
