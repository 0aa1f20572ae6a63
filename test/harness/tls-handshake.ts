/** Shows what OpenSSL's own client negotiates with a server, or that it is refused. */
import { execFile } from 'node:child_process';

/**
 * The protocol version and cipher suite, such as `TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256`; undefined if the handshake failed.
 */
export function handshake(port: number, ...options: readonly string[]): Promise<string | undefined> {
  // At level 0 OpenSSL offers everything it supports, so a refusal comes from the server.
  const all = ['s_client', '-connect', `127.0.0.1:${port}`, ...options];
  return new Promise((resolve) => {
    const client = execFile('openssl', all, { timeout: 100_000 }, (_error, stdout) => {
      const [, version, suite] = /^New, (\S+), Cipher is (\S+)$/m.exec(stdout) ?? [];
      resolve(version === undefined || suite === '(NONE)' ? undefined : `${version} ${suite}`);
    });
    client.stdin?.end();
  });
}

/** Offers that a server has to refuse: no forward secrecy, no authenticated encryption, or too old a version. */
export const weakOffers: readonly (readonly string[])[] = [
  ['-tls1_2', '-cipher', 'AES128-GCM-SHA256'],
  ['-tls1_2', '-cipher', 'AES256-SHA256'],
  ['-tls1_2', '-cipher', 'ECDHE-RSA-AES128-SHA256'],
  ['-tls1_2', '-cipher', 'ECDHE-RSA-AES256-SHA'],
  ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'],
  ['-tls1', '-cipher', 'ALL:@SECLEVEL=0'],
];
