/**
 * Mail to a phone becomes an SMS of the paying account, with the settings of its mail sender. Runs whole servers over TCP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { defaultPath, setPath } from '../harness/email.ts';
import { eachEngine } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { query, storedMessages, whenAllAre } from '../harness/messaging.ts';
import { htmlMail, plainMail } from '../harness/raw-mail.ts';
import { deliverMail, type SmtpReply } from '../harness/smtp-client.ts';

const password = 'a long password';
const alice = { username: 'alice', password };
const mailer = { username: 'mailer', password };
const provisioning = `companies:
  - name: Nordic Care
    id: 7
    allowedDomainEndings: [.care.example, care.example]
    defaultSender: NordicCare
    emailSenders:
      - { email: "@care.example", payinguser: alice, sender: Care, defaultCountryCode: "46", costCenter: Wards }
      - { email: blocked@care.example, payinguser: alice, blocked: true }
      - { email: own@care.example, payinguser: alice }
      - { email: bank@care.example, payinguser: alice, sender: BankID }
      - { email: "@mobile.care.example", payinguser: alice, checkMobile: true }
      - { email: "@short.care.example", payinguser: alice, maxSms: 2, includeSubject: true }
      - { email: "@lab.care.example", payinguser: alice, sender: Care, senderLogic: true }
      - { email: "@other.care.example", payinguser: alice, sender: Care, senderLogic: true }
      - { email: "@split.care.example", payinguser: alice, sender: Care, splitCallback: true, origMsg: true }
      - { email: "@poor.care.example", payinguser: poor }
      - { email: "@slow.care.example", payinguser: slow }
      - { email: "@idle.care.example", payinguser: bob }
      - { email: "@plain.care.example", payinguser: plain, maxSms: 1 }
    senderRules:
      - { domain: lab.care.example, sender: CareLab }
    users:
      - { username: alice, password: ${password}, roles: [send], smtpSplit: true, senders: [NordicCare, Care] }
      - { username: poor, roles: [send], quotaParts: 2 }
      - { username: slow, roles: [send], limits: { partsPerDay: 2, countries: [SE] } }
      - { username: plain, roles: [send], replaceCharacters: true, defaultSender: Care }
      - { username: bob, id: 502, roles: [send] }
      - { username: mailer, password: ${password}, roles: [emailAdmin] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;
/** Senders and numbers that the next provisioning file assigns to other companies. */
const stale = `companies:
  - name: Nordic Care
    allowedDomainEndings: [.care.example, care.example]
    defaultSender: NordicCare
    emailSenders:
      - { email: rival@care.example, payinguser: plain, sender: RIVAL }
      - { email: number@care.example, payinguser: plain, sender: "46731230101" }
      - { email: pool@care.example, payinguser: plain, sender: "46731230100" }
      - { email: lost@care.example, payinguser: lost }
      - { email: ruled@rule.care.example, payinguser: alice, senderLogic: true }
    senderRules:
      - { domain: rule.care.example, sender: Rival }
    users: [{ username: lost, roles: [send], defaultSender: "46731230101" }]
numbers:
  - { number: "46731230100", rentedBy: plain }
  - { number: "46731230101", rentedBy: plain }
`;
const ofOthers = `companies:
  - name: Rival Care
    senders: [Rival]
    users: [{ username: rita, roles: [send] }]
numbers:
  - { number: "46731230100", pool: true, rentedBy: null }
  - { number: "46731230101", rentedBy: rita }
`;
const withoutBob = provisioning.replace('id: 502,', 'id: 502, active: false,');

describe('mail to phones', () => {
  let app: WholeApp;
  let port: number;
  let mails = 0;
  beforeAll(async () => {
    port = await freePort();
    const env = {
      CARILLON_SMTP: `127.0.0.1:${port}`,
      CARILLON_MAIL_TRUSTED: '127.0.0.0/8,::1',
      CARILLON_MAIL_MAX_SIZE: '1MiB',
    };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
    for (const file of [withoutBob, stale]) expect(await app.apply(file)).toMatchObject({ exitCode: 0 });
    const defaults = await app.as(mailer).post(defaultPath, { payinguser: 'plain', sender: '46731230101' });
    expect(defaults.status).toBe(200);
    const warning = (named: string) =>
      `is no longer a sender of Nordic Care, but is still named there by ${named}@care.example: SMS from this number are refused until another is named\n`;
    const { exitCode, stderr } = await app.apply(ofOthers);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^numbers\[0\]\.pool .*\nnumbers\[1\]\.rentedBy .*\n$/),
    ]);
    expect(stderr).toContain(warning('the e-mail sender pool'));
    expect(stderr).toContain(warning('the user lost, the e-mail defaults, the e-mail sender number'));
  });
  afterAll(() => app?.close());

  interface Wanted {
    readonly header?: readonly string[];
    readonly envelope?: string;
    readonly octets?: (header: readonly string[]) => Buffer;
  }

  /** A new e-mail with its own Message-ID. */
  function mail(from: string, to: string | readonly string[], text: string, wanted: Wanted = {}) {
    mails += 1;
    const header = [`From: ${from}`, `Message-ID: <${mails}@care.example>`, ...(wanted.header ?? [])];
    const octets = wanted.octets?.(header) ?? plainMail(text, header);
    const recipients = [to].flat().map((one) => (one.includes('@') ? one : `${one}@sms.localhost`));
    return deliverMail(port, { octets, to: recipients, from: wanted.envelope ?? from });
  }

  const count = async () => (await storedMessages(app)).length;
  const last = async (many = 1) => (await storedMessages(app)).slice(-many);

  async function expectRefused(reply: Promise<SmtpReply>, code: number, text: RegExp): Promise<void> {
    const before = await count();
    expect(await reply).toEqual({ code, text: expect.stringMatching(text) });
    expect(await count()).toBe(before);
  }

  test('[MAIL-1] An e-mail to phones goes to each number, with the settings of its sender, on the paying account', async () => {
    const to = ['0701740620', '+46701740620', '46701740720'];
    const { code, text } = await mail('ward7@care.example', to, 'Come to ward 7');
    expect({ code, text }).toEqual({ code: 250, text: expect.stringMatching(/^Sending 2 SMS: \d+, \d+\.$/) });
    const common = { sender: 'Care', text: 'Come to ward 7', costCenter: 'Wards', parts: 1, flash: false };
    expect(await last(2)).toMatchObject([
      { ...common, recipient: '46701740620' },
      { ...common, recipient: '46701740720' },
    ]);
    await whenAllAre(app.as(alice), text.match(/\d{5,}/g) ?? [], 'DELIVERED');
  });

  test('[MAIL-1] The entry for the whole address alone decides about an e-mail or, without such an entry, the entry for its domain', async () => {
    expect(await mail('Own@Care.Example', '46701740621', 'Hi')).toMatchObject({ code: 250 });
    expect(await last()).toMatchObject([{ sender: 'NordicCare', costCenter: '' }]);
    await expectRefused(mail('own@care.example', '0701740621', 'Hi'), 554, /0701740621: .*begins with 0/);
    await expectRefused(mail('blocked@care.example', '46701740621', 'Hi'), 550, /may not send SMS by mail/);
    await expectRefused(mail('a@sub.care.example', '46701740621', 'Hi'), 550, /is not on the list/);
  });

  test('[MAIL-2] An e-mail to anything but phones is refused at RCPT, and an e-mail to a phone that cannot be sent to at DATA', async () => {
    await expectRefused(mail('a@care.example', 'info', 'Hi'), 550, /must be a phone number/);
    await expectRefused(mail('a@care.example', '46701740621@care.example', 'Hi'), 550, /mail to phones only/);
    const to = ['46701740621', '468123456'];
    await expectRefused(mail('a@mobile.care.example', to, 'Hi'), 554, /^Nothing was sent\. 468123456: /);
    await expectRefused(
      mail('a@idle.care.example', '46701740621', 'Hi'),
      554,
      /account that pays .* is not active/,
    );
    await expectRefused(mail('a@care.example', '46701740621', ''), 554, /contains no text/);
    await expectRefused(
      mail('a@care.example', '46701740621', 'x'.repeat(80).concat('\n').repeat(14_000)),
      552,
      /larger/,
    );
  });

  test('[MAIL-1] [SEND-15] An e-mail is refused if the paying account may not use its sender id', async () => {
    await expectRefused(mail('bank@care.example', '46701740621', 'Hi'), 554, /may not send from BankID/);
  });

  test('[MAIL-1] [SEND-15] An e-mail is refused if its sender id belongs to another company or the pool, wherever that is set', async () => {
    const refusal =
      /^The sender id .* belongs to another company or is reserved for answers\. Nothing was sent\. .*$/;
    // `late` takes its sender from the company's defaults, and `lost` from the paying account.
    const late = await app.as(mailer).post(setPath, { email: 'late@care.example' });
    expect(late).toMatchObject({ status: 200, body: { sender: '46731230101' } });
    await until(async () => (await mail('lost@care.example', '46701740621', 'Hi')).code === 554);
    for (const from of [
      'rival@care',
      'number@care',
      'pool@care',
      'ruled@rule.care',
      'late@care',
      'lost@care',
    ])
      await expectRefused(mail(`${from}.example`, '46701740621', 'Hi'), 554, refusal);
  });

  test('[MAIL-7] The numbers of an e-mail are checked to be mobile if its entry says so', async () => {
    expect(await mail('a@mobile.care.example', '46701740621', 'Hi')).toMatchObject({ code: 250 });
    await expectRefused(mail('a@mobile.care.example', '46812345678', 'Hi'), 554, /not in a mobile series/);
  });

  test('[MAIL-2] [SEND-19] An e-mail is refused when the quota does not cover all of it', async () => {
    const to = ['46701740621', '46701740622', '46701740623'];
    await expectRefused(mail('a@poor.care.example', to, 'Hi'), 554, /quota of the account that pays/);
    expect(await mail('a@poor.care.example', to.slice(1), 'Hi')).toMatchObject({ code: 250 });
  });

  test('[MAIL-2] [CONV-11] An e-mail is deferred when the day has no SMS parts left, and refused when it is too much for any day', async () => {
    const to = ['46701740621', '46701740622', '46701740623'];
    await expectRefused(mail('a@slow.care.example', to, 'Hi'), 554, /may send 2 SMS parts a day/);
    await expectRefused(mail('a@slow.care.example', '4740612345', 'Hi'), 554, /not in a country/);
    expect(await mail('a@slow.care.example', to.slice(1), 'Hi')).toMatchObject({ code: 250 });
    await expectRefused(mail('a@slow.care.example', to[0] as string, 'Hi'), 451, /try again in \d+ s/);
  });

  describe('text', () => {
    test('[MAIL-4] The subject of an e-mail is put in front of its text, and what is too long is cut', async () => {
      const from = 'a@short.care.example';
      const long = 'Come at once. '.repeat(40);
      expect(await mail(from, '46701740621', long, { header: ['Subject: =?utf-8?q?Alarm?='] })).toMatchObject(
        { code: 250 },
      );
      const [sent] = await last();
      expect(sent).toMatchObject({ parts: 2, text: expect.stringMatching(/^Alarm\nCome at once\./) });
      expect(sent?.text.length).toBeGreaterThan(300);
    });

    test('[MAIL-4] [SEND-11] Characters of an e-mail are replaced if the paying account may do so, before the text is cut', async () => {
      const from = 'a@plain.care.example';
      const text = `“Kom” – nå ${'x'.repeat(200)}`;
      expect(await mail(from, '46701740621', text)).toMatchObject({ code: 250 });
      const [sent] = await last();
      expect(sent).toMatchObject({ parts: 1, text: expect.stringMatching(/^"Kom" - nå x+$/) });
      expect(sent?.text).toHaveLength(160);
    });

    test('[MAIL-4] An e-mail in HTML becomes plain text, without quotations and signatures', async () => {
      const html =
        '<p>Kom til avdeling 7 p&aring; &laquo;Elvebredden&raquo;</p><blockquote type="cite">old</blockquote>';
      expect(
        await mail('a@care.example', '46701740621', '', { octets: (header) => htmlMail(html, header) }),
      ).toMatchObject({ code: 250 });
      expect(await last()).toMatchObject([{ text: 'Kom til avdeling 7 på «Elvebredden»' }]);
      const answer = 'Ja, klokka ti.\n\n-- \nKari\n';
      await mail('a@care.example', '46701740621', answer);
      expect(await last()).toMatchObject([{ text: 'Ja, klokka ti.' }]);
    });

    test('[MAIL-4] An e-mail that a program has sent is accepted, and sends nothing', async () => {
      const before = await count();
      const to = '46701740621';
      for (const wanted of [
        { header: ['Auto-Submitted: auto-replied'] },
        { header: ['Precedence: bulk', 'Subject: Re: Shift'] },
        { envelope: '', header: ['In-Reply-To: <1@sms.example>'] },
      ])
        expect(await mail('a@care.example', to, 'I am away', wanted)).toMatchObject({ code: 250 });
      expect(await count()).toBe(before);
      expect(app.stderr).toContain('"what":"automatic"');
      expect(app.stderr).toContain('ignored an e-mail');
      expect(app.stderr).not.toContain('a@care.example');
    });
  });

  test('[MAIL-2] The operator sees what became of each e-mail, but no part of its text', async () => {
    await mail('a@care.example', '46701740621', 'A secret');
    const [{ id = '' } = {}] = await last();
    await mail('a@care.example', '46701740621', 'A secret', { header: ['Auto-Submitted: auto-replied'] });
    await mail('unknown@else.example', '46701740621', 'A secret');
    const recent = ['mail', 'recent', '--limit', '3'];
    // The e-mails are stored slightly later than they are answered.
    const kept = "SELECT 1 FROM recent_mails WHERE sender = 'unknown@else.example'";
    await until(async () => (await query(app, kept)).length > 0);
    expect(JSON.parse((await app.run(...recent, '--json')).stdout)).toMatchObject([
      { outcome: 'refused', reason: 'not_listed', sender: 'unknown@else.example', company: null },
      { outcome: 'ignored', answer: expect.stringContaining('Auto-Submitted'), messageIds: [] },
      { outcome: 'sent', sender: 'a@care.example', company: 'Nordic Care', messageIds: [id] },
    ]);
    const { stdout } = await app.run(...recent);
    expect(stdout).toMatch(/^RECEIVED +SERVER +FROM +TO +OUTCOME +ANSWER\n/);
    expect(stdout).toContain(`Sending 1 SMS: ${id}.`);
    expect(stdout).not.toContain('secret');
    const ofCompany = await app.run(...recent, '--company', 'Nordic Care');
    expect(ofCompany.stdout).not.toContain('unknown@else.example');
  });

  test('[PORT-10] [MAIL-2] An e-mail administrator sees what became of the own company’s e-mails, page by page, and no text of them', async () => {
    const get = async (query = {}) => (await app.as(mailer).get('/api/v1/email/recent', query)).body;
    const wanted = 'recent@care.example';
    await mail(wanted, ['0701740622', '0701740631'], 'A text that nobody else may see');
    await mail('blocked@care.example', ['46701740631'], 'A text that nobody else may see');
    await until(async () => (await get({ limit: 1 })).mails[0]?.reason === 'blocked');
    const latest = await get({ limit: 1 });
    expect(latest.mails).toMatchObject([
      {
        from: 'blocked@care.example',
        outcome: 'refused',
        sms: 0,
        answer: expect.stringContaining('may not send'),
      },
    ]);
    const next = await get({ limit: 1, after: latest.next });
    expect(next.mails).toMatchObject([{ from: wanted, proven: true, outcome: 'sent', sms: 2 }]);
    expect(next.mails[0].reason).toBeUndefined();
    const all = JSON.stringify(await get({ limit: 200 }));
    expect(all).not.toContain('nobody else');
    expect(all).not.toContain('stranger');
  });

  test('[MAIL-6] A sender rule decides the sender id by the domain of the e-mail, whatever the account may use', async () => {
    expect(await mail('a@lab.care.example', '46701740621', 'Hi')).toMatchObject({ code: 250 });
    expect(await last()).toMatchObject([{ sender: 'CareLab' }]);
    expect(await mail('a@other.care.example', '46701740621', 'Hi')).toMatchObject({ code: 250 });
    expect(await last()).toMatchObject([{ sender: 'Care' }]);
  });

  test('[MAIL-1] With splitCallback an e-mail becomes a two-way SMS, and its return address is kept with it', async () => {
    const header = ['Subject: Shift'];
    expect(await mail('A@split.care.example', '46701740621', 'Can you?', { header })).toMatchObject({
      code: 250,
    });
    const [sent] = await last();
    expect(sent).toMatchObject({ sender: '46731230100' });
    const [kept] = await query(app, 'SELECT * FROM email_messages');
    expect({ ...kept, message_id: String(kept?.message_id) }).toMatchObject({
      message_id: sent?.id,
      return_address: 'a@split.care.example',
      mail_message_id: `<${mails}@care.example>`,
      subject: 'Shift',
      only_non_delivery: 0,
      orig_msg: 1,
    });
  });

  test('[RUN-4] [MAIL-2] /metrics counts the e-mails that were taken and refused', async () => {
    await mail('a@care.example', '46701740621', 'Hi');
    await mail('a@care.example', 'info', 'Hi');
    const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^carillon_mails_taken_total\{what="sent"\} [1-9]/m);
    expect(metrics).toMatch(/^carillon_mails_refused_total\{reason="no_phone"\} [1-9]/m);
    expect(metrics).toMatch(/^carillon_smtp_connections \d/m);
  });
});

eachEngine('mail to phones, and a crash', (engine) => {
  test('[MAIL-2] An e-mail that is delivered again after a crash sends nothing twice', async ({
    onTestFinished,
  }) => {
    const port = await freePort();
    const env = { CARILLON_SMTP: `127.0.0.1:${port}`, CARILLON_MAIL_TRUSTED: '127.0.0.0/8,::1' };
    const app = await startWholeApp({ engine, provisioning, env });
    onTestFinished(() => app.close());
    const octets = plainMail('Once', ['From: a@care.example', 'Message-ID: <once@care.example>']);
    const to = ['46701740630@sms.localhost', '46701740631@sms.localhost'];
    const once = { octets, to, from: 'a@care.example' };
    const count = async () => (await storedMessages(app)).length;
    const unheard = deliverMail(port, once);
    while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await app.kill();
    await unheard;
    await app.restart();
    const again = await deliverMail(port, once);
    expect(again).toMatchObject({ code: 250, text: expect.stringContaining('already') });
    expect(await count()).toBe(2);
  });
});
