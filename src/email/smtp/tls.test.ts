/** Tests which TLS settings the SMTP server accepts, as seen by OpenSSL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { mailRoom } from '../../../test/harness/mail-room.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import { handshake, weakOffers } from '../../../test/harness/tls-handshake.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/carillon-smtp-tls-`);
});
afterAll(() => rmSync(folder, { recursive: true }));

sqliteStore('STARTTLS', (engine) => {
  const room = mailRoom(engine);

  test('[AUTH-8] [MAIL-2] STARTTLS agrees only on cipher suites with forward secrecy', async () => {
    const { port } = await room.start({ tls: makeCertificate(folder, 'rsa', 'rsa') });
    const agreed = (...offer: readonly string[]) => handshake(port, '-starttls', 'smtp', ...offer);
    for (const offer of weakOffers) expect(await agreed(...offer), offer.join(' ')).toBeUndefined();
    expect(await agreed('-tls1_3')).toMatch(/^TLSv1\.3 TLS_/);
    expect(await agreed('-tls1_2')).toMatch(/^TLSv1\.2 ECDHE-RSA-.*(GCM|POLY1305)/);
  }, 300_000);
});
