/** An independent mail program, swaks (Debian: swaks), sends with and without TLS and with a login. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { freePort } from '../harness/free-port.ts';
import { storedMessages } from '../harness/messaging.ts';
import { SmtpClient } from '../harness/smtp-client.ts';

const password = "alice's long password";
const provisioning = `companies:
  - name: Care
    defaultSender: Care
    allowedDomainEndings: [care.example]
    emailSenders: [{ email: "@care.example", payinguser: alice }]
    users: [{ username: alice, password: "${password}", roles: [send] }, { username: anna, password: "${password}", roles: [companyAdmin] }]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const missing = isThere('swaks') ? undefined : 'swaks is not installed';
const title = missing === undefined ? 'swaks' : `swaks (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(title, () => {
  let folder: string;
  let port: number;
  let app: WholeApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-swaks-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const files = ['-subj', '/CN=localhost', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...files], { stdio: 'ignore' });
    port = await freePort();
    const tls = { CARILLON_TLS_CERT: cert, CARILLON_TLS_KEY: key };
    const env = {
      CARILLON_SMTP: `127.0.0.1:${port}`,
      CARILLON_MAIL_TRUSTED: '10.0.0.0/8, 127.0.0.2/32',
      ...tls,
    };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env, serve: ['--roles', 'mail,dispatch'] });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function swaks(...parameters: readonly string[]): Promise<string> {
    const common = ['--server', `127.0.0.1:${port}`, '--from', 'ward7@care.example', '--timeout', '20s'];
    return new Promise((resolve) => {
      const child = execFile('swaks', [...common, ...parameters], (_, stdout) => resolve(stdout));
      child.stdin?.end();
    });
  }

  const to = ['--to', '46701740620@sms.localhost,+46701740621@sms.localhost'];

  test('[MAIL-1] [MAIL-3] [MAIL-4] A user who logs in over TLS can send mail to phones', async () => {
    const login = ['--tls', '--auth', 'LOGIN', '--auth-user', 'alice', '--auth-password', password];
    const body = ['--header', 'Subject: Ward 7', '--body', 'Come at once\n.\n..and quickly'];
    expect(await swaks(...to, ...login, ...body)).toMatch(/^<~ {2}250 Sending 2 SMS/m);
    expect(await storedMessages(app)).toMatchObject([
      { recipient: '46701740620', text: 'Come at once\n.\n..and quickly' },
      { recipient: '46701740621', text: 'Come at once\n.\n..and quickly' },
    ]);
  });

  test('[MAIL-3] A trusted relay can send mail to phones, with TLS and without', async () => {
    for (const relay of [[], ['--tls']]) {
      const from = ['--local-interface', '127.0.0.2', ...relay];
      expect(await swaks('--to', '46701740622@sms.localhost', ...from)).toMatch(
        /^<[~-] {2}250 Sending 1 SMS/m,
      );
    }
    expect(await storedMessages(app)).toHaveLength(4);
  });

  test('[AUTH-9] [MAIL-2] [MAIL-3] An e-mail without proof, with a wrong password, without the role, or cut off sends nothing', async () => {
    expect(await swaks(...to, '--from', 'x@localhost', '--header', 'From: ward7@care.example')).toMatch(
      /^<\*\* 550 Nothing proves that the e-mail is from care\.example/m,
    );
    expect(await swaks(...to, '--auth', 'PLAIN', '--auth-user', 'alice', '--auth-password', 'x')).toMatch(
      /^<\*\* 535 The credentials are wrong/m,
    );
    expect(await swaks(...to, '--auth', 'LOGIN', '--auth-user', 'anna', '--auth-password', password)).toMatch(
      /^<\*\* 535 The account anna may not send SMS: it lacks the role `send`/m,
    );
    await swaks(...to, '--drop-after-send', 'DATA');
    expect(await storedMessages(app)).toHaveLength(4);
  });

  test('[AUTH-6] Guessing passwords by mail runs into the limit on failed logins', async () => {
    const client = new SmtpClient(port);
    await client.begin();
    const token = Buffer.from('\0nobody\0x').toString('base64');
    const codes: number[] = [];
    for (let tries = 0; tries < 12; tries += 1)
      codes.push((await client.command(`AUTH PLAIN ${token}`)).code);
    client.close();
    expect(codes.slice(0, 8)).toEqual(Array(8).fill(535));
    expect(codes.slice(8)).toEqual(Array(4).fill(454));
  });
});
