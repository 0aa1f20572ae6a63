/** `carillon mail check` on e-mails from real programs, with a file in place of DNS. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandResult, startWholeApp, type WholeApp } from '../harness/app.ts';
import { storedMessages } from '../harness/messaging.ts';
import { crlf } from '../harness/raw-mail.ts';
import { runHere } from '../harness/run-here.ts';
import { key, signed } from '../harness/signed-mail.ts';

const provisioning = `companies:
  - name: Nordic Care
    allowedDomainEndings: [care.example]
    defaultSender: NordicCare
    emailSenders:
      - { email: "@care.example", payinguser: alice, includeSubject: true, maxSms: 2, costCenter: Wards }
    users: [{ username: alice, roles: [send] }, { username: tom, roles: [] }]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;

const mails = join(import.meta.dirname, 'mails');
const records = join(mails, 'records.txt');

describe('an e-mail in a file', () => {
  let app: WholeApp;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-check-'));
    const env = { CARILLON_MAIL_DOMAIN: 'sms.example', CARILLON_MAIL_TRUSTED: '198.51.100.0/24' };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Unless the test says otherwise, the e-mail was sent by the server that SPF permits. */
  function check(name: string, ...more: readonly string[]): Promise<CommandResult> {
    const path = name.includes('/') ? name : join(mails, name);
    return runHere(app.env, 'mail', 'check', path, '--dns', records, '--client', '192.0.2.25', ...more);
  }

  async function judged(name: string, ...more: readonly string[]) {
    const { exitCode, stdout, stderr } = await check(name, '--json', ...more);
    expect(stderr).toBe('');
    return { exitCode, ...(JSON.parse(stdout) as Record<string, unknown>) };
  }

  test('[MAIL-4] The mail check command shows in full what a reply from Thunderbird would become', async () => {
    expect(await check('thunderbird-reply.eml')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `Envelope  kari@care.example, delivered by 192.0.2.25
From      kari@care.example
Proof     SPF of care.example, aligned with From (DMARC)
Entry     @care.example, paid by alice
To        46701740620
Sender    NordicCare
Text      Re: Night shift
          Kan du komme kl. 22? Vi er på avdeling 7.
Encoding  GSM-7, 1 part
Cost      1 part in 1 SMS, cost centre Wards
Answer    250 Sending 1 SMS.

It would be sent. Nothing was sent or stored.
`,
    });
  });

  test('[MAIL-4] The mail check command reads a reply from Outlook to two numbers and one from Gmail in HTML', async () => {
    const text =
      'SV: Nattskift på avdeling 7\nVi trenger én til i natt. Ring meg.\n\nMed vennlig hilsen\nKari Nordmann';
    expect(await judged('outlook-reply.eml')).toMatchObject({
      exitCode: 0,
      wouldBeSent: true,
      encoding: 'GSM-7',
      parts: 2,
      messages: [
        { recipient: '46701740621', text, parts: 1 },
        { recipient: '46701740622', text, parts: 1 },
      ],
    });
    expect(await judged('gmail-html.eml', '--client', '192.0.2.26')).toMatchObject({
      exitCode: 0,
      encoding: 'UCS-2',
      parts: 1,
      messages: [{ text: 'Re: Night shift\nCome at ten, please 🙏\nDoor & key: code 4711', parts: 1 }],
    });
  });

  test('[MAIL-4] The mail check command ignores what programs wrote, and its exit code says that nothing would be sent', async () => {
    const ignored = { exitCode: 2, wouldBeSent: false, outcome: 'ignored', reason: null, messages: [] };
    expect(await judged('absence-note.eml')).toMatchObject({
      ...ignored,
      answer: '250 Nothing is sent: the e-mail is marked Auto-Submitted.',
    });
    expect(await judged('bounce.eml')).toMatchObject({
      ...ignored,
      envelope: { from: '', client: '192.0.2.25' },
      answer: '250 Nothing is sent: the e-mail has an empty return path, as bounces have.',
    });
  });

  test('[MAIL-3] The mail check command reports a forged From as unproven, and an unlisted sender as proven but refused', async () => {
    const { exitCode, stdout } = await check('forged-from.eml');
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^Proof {5}none$/m);
    expect(stdout).toMatch(
      /^Answer {4}550 \(unproven\) Nothing proves that the e-mail is from care\.example/m,
    );
    expect(stdout).toMatch(/\n\nNothing would be sent\.\n$/);
    expect(await judged('unlisted-sender.eml')).toMatchObject({
      exitCode: 2,
      outcome: 'refused',
      reason: 'not_listed',
      entry: null,
      from: { address: 'per@garden.example', isProven: true },
    });
  });

  test('[MAIL-3] The mail check command checks SPF for the given server, and takes a trusted relay or a login as proof without SPF', async () => {
    const name = 'thunderbird-reply.eml';
    expect(await judged(name, '--client', '203.0.113.9')).toMatchObject({ exitCode: 2, reason: 'unproven' });
    expect(await judged(name, '--from', 'x@stranger.example')).toMatchObject({ reason: 'unproven' });
    expect(await judged(name, '--client', '198.51.100.7')).toMatchObject({
      exitCode: 0,
      from: { proof: 'the trusted relay 198.51.100.7' },
    });
    expect(await judged(name, '--client', '203.0.113.9', '--user', 'alice')).toMatchObject({
      exitCode: 0,
      from: { proof: 'the login of alice' },
    });
    expect(await judged(name, '--user', 'tom')).toMatchObject({ exitCode: 2, reason: 'not_of_user' });
  });

  test('[MAIL-3] The mail check command looks up a signature in a file, by an alias as well', async () => {
    const octets = await signed(Buffer.from(crlf(readFileSync(join(mails, 'gmail-html.eml'), 'utf8'))), {
      signTime: new Date(),
    });
    writeFileSync(join(folder, 'signed.eml'), octets);
    const dns = join(folder, 'records.txt');
    const pieces = key.record
      .match(/.{1,200}/g)
      ?.map((piece) => `"${piece}"`)
      .join(' ');
    writeFileSync(
      dns,
      `s1._domainkey.care.example CNAME s1.keys.example.\ns1.keys.example. 60 IN TXT ${pieces}\n`,
    );
    const path = join(folder, 'signed.eml');
    expect(await judged(path, '--dns', dns)).toMatchObject({
      exitCode: 0,
      from: { proof: 'DKIM of care.example (selector s1), aligned with From (DMARC); SPF: fail' },
    });
    const blindCopy = await judged(path, '--dns', dns, '--to', '46701740699@sms.example');
    expect(blindCopy).toMatchObject({ exitCode: 2, reason: 'not_addressed' });
  });

  test('[MAIL-2] The mail check command reports that an e-mail beyond all bounds is refused or cut', async () => {
    const head = 'From: kari@care.example\nTo: 46701740620@sms.example\nMessage-ID: <9@care.example>\n';
    const path = join(folder, 'large.eml');
    writeFileSync(path, `${head}\n${'Come at once. '.repeat(1_000_000)}`);
    expect(await judged(path)).toMatchObject({ exitCode: 2, reason: 'too_large' });
    writeFileSync(path, `${head}\n${'Come at once. '.repeat(50_000)}`);
    expect(await judged(path)).toMatchObject({ exitCode: 0, parts: 2, encoding: 'GSM-7' });
    writeFileSync(
      path,
      `${head}Cc: ${Array.from({ length: 100 }, (_, n) => `4670174${1_000 + n}@sms.example`)}\n\nHi`,
    );
    expect(await judged(path)).toMatchObject({ exitCode: 2, reason: 'recipient' });
    writeFileSync(path, 'Subject: nobody\n\nHi');
    expect(await judged(path)).toMatchObject({
      exitCode: 2,
      answer: expect.stringContaining('no recipient'),
    });
    writeFileSync(path, `${head}X-Mixed: a\r\nX-Other: b\n\nHi`);
    expect(await judged(path)).toMatchObject({ exitCode: 2, reason: 'malformed' });
  });

  test('[MAIL-1] The mail check command sends nothing, and says in one sentence what it cannot check', async () => {
    expect(await storedMessages(app)).toEqual([]);
    const bad = async (...parameters: readonly string[]) => {
      const { exitCode, stdout, stderr } = await app.run('mail', 'check', ...parameters);
      expect([exitCode, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await bad(join(folder, 'none.eml'))).toMatch(/^The file .*none\.eml can't be read: ENOENT/);
    const mail = join(mails, 'bounce.eml');
    expect(await bad(mail, '--client', 'mx.example')).toBe('"mx.example" is not an IP address.\n');
    expect(await bad(mail, '--dns', mail)).toMatch(/^.*bounce\.eml: Line 1 is not a record/);
    expect(await bad(mail, '--dns', records, '--user', 'nobody')).toBe('There is no user nobody.\n');
  });
});
