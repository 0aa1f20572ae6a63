/** A real Postfix as our relay: it requires TLS and a login, signs with opendkim and forwards to an independent server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutgoingMail } from '../../src/email/outgoing/outgoing-mail.ts';
import { Relay } from '../../src/email/outgoing/relay.ts';
import { fieldValue } from '../../src/wire/mail/header-fields.ts';
import { until } from '../harness/awake.ts';
import { makeCertificate } from '../harness/certificate.ts';
import { startPasswordCheck } from '../harness/dovecot-auth.ts';
import { freePort } from '../harness/free-port.ts';
import { type MailReceiver, startMailReceiver } from '../harness/mail-receiver.ts';
import { memoryDns } from '../harness/memory-dns.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../harness/postfix.ts';
import { key } from '../harness/signed-mail.ts';

const missing = whyNoPostfix();
const login = { user: 'carillon', password: 'p/ss word' };

const mail: OutgoingMail = {
  messageId: '<1@sms.example>',
  companyId: 1,
  kind: 'answer',
  content: {
    from: { name: '+46701740699', address: '46701740699@sms.example' },
    to: { name: '', address: 'ward7@care.example' },
    subject: 'Re: Nattskift',
    text: 'På väg 👍🏽\n',
    html: '<p>På väg 👍🏽</p>',
    references: ['<1@care.example>'],
    autoSubmitted: 'auto-replied',
  },
};

describe.skipIf(missing !== undefined)(`Postfix as the relay (${missing ?? 'with opendkim'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-relay-'));
  const opened: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  let receiver: MailReceiver;
  let postfix: Postfix;
  let ca: string;
  beforeAll(async () => {
    const { certificateFile, keyFile } = makeCertificate(folder, 'localhost');
    ca = readFileSync(certificateFile, 'utf8');
    receiver = await startMailReceiver();
    opened.push(() => receiver.close());
    const port = await freePort();
    const passwords = await startPasswordCheck(port, login.user, login.password);
    opened.push(() => passwords.close());
    const settings = {
      transport_maps: '',
      relayhost: `[127.0.0.1]:${receiver.port}`,
      smtpd_tls_security_level: 'encrypt',
      smtpd_tls_cert_file: certificateFile,
      smtpd_tls_key_file: keyFile,
      smtpd_sasl_auth_enable: 'yes',
      smtpd_sasl_type: 'dovecot',
      smtpd_sasl_path: `inet:127.0.0.1:${port}`,
      smtpd_sasl_security_options: 'noanonymous',
      smtpd_relay_restrictions: 'permit_sasl_authenticated, reject',
      smtpd_recipient_restrictions: 'check_recipient_access inline:{gone@care.example=REJECT}, permit',
    };
    const signing = { domain: 'sms.example', key: key.privateKey };
    postfix = await startPostfix({ gatewayPort: receiver.port, settings, signing });
    opened.push(() => postfix.stop());
  });
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  async function send(to = 'ward7@care.example', user: typeof login | null = login, trusted?: string) {
    const address = {
      host: 'localhost',
      port: postfix.port,
      tls: 'starttls' as const,
      login: user ?? undefined,
    };
    const relay = new Relay({ address, name: 'sms.example', ...(trusted && { ca: trusted }) });
    const content = { ...mail.content, to: { name: '', address: to } };
    const answer = await relay.send({ ...mail, content }, new Date());
    relay.close();
    return answer;
  }

  test('[MAIL-5] A Postfix relay takes our mail after TLS and login and signs it, and the receiver finds the signature valid', async () => {
    expect(await send('ward7@care.example', login, ca)).toMatchObject({
      outcome: 'taken',
      reason: expect.stringMatching(/^250 .*queued as/),
    });
    await until(() => receiver.taken.length > 0);
    const [{ octets, from, to, header } = {} as never] = receiver.taken;
    expect({ from, to }).toEqual({ from: '', to: ['ward7@care.example'] });
    expect(fieldValue(header, 'auto-submitted')?.trim()).toBe('auto-replied');
    const { resolve } = memoryDns({ 's1._domainkey.sms.example': [key.record] });
    const resolver = async (name: string, type: string) => (await resolve(name, type as 'TXT')) as string[][];
    const { results } = await dkimVerify(octets, { resolver });
    expect(results).toMatchObject([{ signingDomain: 'sms.example', status: { result: 'pass' } }]);
  });

  test.each([
    ['whose certificate nobody vouches for', login, undefined, /certificate/],
    ['that gets a wrong password', { ...login, password: 'wrong' }, 'trusted', /^535/],
    ['that gets no login', null, 'trusted', /^5[0-9]{2}/],
  ])('[MAIL-5] A relay %s gets none of our mail', async (_, user, trust, reason) => {
    const before = receiver.offered.length;
    const answer = await send('ward7@care.example', user, trust && ca);
    expect(answer.reason).toMatch(reason);
    expect(answer.outcome).not.toBe('taken');
    expect(receiver.offered.length).toBe(before);
  });

  test('[MAIL-5] A recipient that the relay refuses is refused for good', async () => {
    expect(await send('gone@care.example', login, ca)).toMatchObject({ outcome: 'refused' });
  });
});
