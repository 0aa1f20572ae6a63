/** Receipts and replies go back by mail, and an answer to such an e-mail sends another SMS. Runs whole servers over TCP. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { command } from '../../src/app/control.ts';
import { fieldValue } from '../../src/wire/mail/header-fields.ts';
import { decodePart } from '../../src/wire/mail/mail-text.ts';
import { readParts } from '../../src/wire/mail/parts.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { type MailReceiver, type ReceivedMail, startMailReceiver } from '../harness/mail-receiver.ts';
import { storedMessages } from '../harness/messaging.ts';
import { mailOf, plainMail, runToEnd } from '../harness/raw-mail.ts';
import { deliverMail } from '../harness/smtp-client.ts';

const provisioning = (smscPort: number) => `companies:
  - name: Nordic Care
    allowedDomainEndings: [care.example]
    emailSenders:
      - { email: "@care.example", payinguser: alice, splitCallback: true, origMsg: true }
      - { email: night@care.example, payinguser: alice, splitCallback: true }
      - { email: "@failures.care.example", payinguser: alice, splitCallback: true, onlyNonDelivery: true }
      - { email: "@one.care.example", payinguser: alice, sender: Care }
    users:
      - { username: alice, password: a long password, roles: [send], smtpSplit: true }
      - { username: bob, password: a long password, roles: [send] }
  - name: Svensk Omsorg
    language: sv
    allowedDomainEndings: [omsorg.example]
    emailSenders:
      - { email: "@omsorg.example", payinguser: sven, splitCallback: true }
    users:
      - { username: sven, password: a long password, roles: [send], smtpSplit: true }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  - { name: smsc, type: smpp, host: 127.0.0.1, port: ${smscPort}, systemId: me, password: pw }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230100", pool: true }
  - { number: "46731230101", pool: true }
  - { number: "46731230102", pool: true }
`;

const patience = { timeout: 110_000, interval: 50 };

eachEngine('mail that goes back', (engine) => {
  let app: WholeApp;
  let port: number;
  let relay: MailReceiver;
  let smsc: NpmSmsc;
  let mails = 0;
  beforeAll(async () => {
    port = await freePort();
    relay = await startMailReceiver();
    smsc = await NpmSmsc.listen();
    const env = {
      CARILLON_SMTP: `127.0.0.1:${port}`,
      CARILLON_MAIL_TRUSTED: '127.0.0.0/8,::1',
      CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${relay.port}`,
      CARILLON_MAIL_DOMAIN: 'sms.example',
    };
    app = await startWholeApp({ engine, provisioning: provisioning(smsc.port), env });
  });
  afterAll(async () => {
    await app?.close();
    await relay?.close();
    await smsc?.close();
  });

  interface Wanted {
    readonly to?: readonly string[];
    readonly header?: readonly string[];
    readonly subject?: string;
    readonly id?: string;
  }

  async function send(from: string, text: string, wanted: Wanted = {}) {
    mails += 1;
    const { to, header = [], subject = 'Night shift', id = `${mails}@care.example` } = wanted;
    const messageId = `<${id}>`;
    const fields = [`From: ${from}`, `Message-ID: ${messageId}`, `Subject: ${subject}`, ...header];
    const recipients = (to ?? [`46701750${150 + mails}`]).map((number) => `${number}@sms.example`);
    const reply = await deliverMail(port, { octets: plainMail(text, fields), to: recipients, from });
    return { messageId, reply };
  }

  const answer = (from: string, to: string, text: string) =>
    command(app.env.CARILLON_DATA as string, 'simulate-incoming', { from, to, text });
  const last = async () => (await storedMessages(app)).at(-1);

  /** Waits for this many replies to an e-mail. */
  async function answersTo(messageId: string, count: number): Promise<readonly ReceivedMail[]> {
    const own = () => relay.taken.filter(({ header }) => fieldValue(header, 'in-reply-to') === messageId);
    await vi.waitFor(() => expect(own().length).toBeGreaterThanOrEqual(count), patience);
    return own();
  }
  /** The e-mail's parts: plain text and HTML. */
  const textsOf = ({ octets, header }: ReceivedMail) =>
    runToEnd(readParts(octets, header)).children.map((part) =>
      decodePart(part, octets.length).replace(/\r\n/g, '\n'),
    );
  const textOf = (mail: ReceivedMail) => (textsOf(mail)[0] ?? '').trim();
  const fieldOf = ({ header }: ReceivedMail, name: string) => fieldValue(header, name);

  test('[MAIL-5] A receipt and an answer go back in the thread of the e-mail, and a reply to the answer goes to the phone', async () => {
    const { messageId, reply } = await send('ward7@care.example', 'Can you come tonight?', {
      header: ['References: <first@care.example>'],
    });
    expect(reply).toMatchObject({ code: 250 });
    const sent = await last();
    const [receipt] = (await answersTo(messageId, 1)) as [ReceivedMail];
    expect(receipt).toMatchObject({ from: '', to: ['ward7@care.example'] });
    expect(textOf(receipt)).toMatch(
      new RegExp(`^SMS to \\+${sent?.recipient}: delivered \\(\\d{4}-.* UTC\\)$`),
    );
    expect(fieldOf(receipt, 'subject')).toBe('Re: Night shift');
    expect(fieldOf(receipt, 'references')).toBe(`<first@care.example> ${messageId}`);
    expect(fieldOf(receipt, 'auto-submitted')).toBe('auto-replied');
    expect(fieldOf(receipt, 'from')).toBe('no-reply@sms.example');

    const long = `${'Ja 👍🏽 <b>&'.repeat(70)} slut`;
    await answer(sent?.recipient as string, sent?.sender as string, long);
    const [, answered] = (await answersTo(messageId, 2)) as [ReceivedMail, ReceivedMail];
    expect(textOf(answered).split('\n')[0]).toBe(long);
    expect(textOf(answered)).toContain('Your SMS:\n> Can you come tonight?');
    expect(fieldOf(answered, 'from')).toBe(`"+${sent?.recipient}" <${sent?.recipient}@sms.example>`);
    expect(textsOf(answered)[1]).toContain('&lt;b&gt;&amp;');
    expect(textsOf(answered)[1]).not.toContain('<b>');
    // Reading the reply as incoming mail yields only the new text.
    expect(mailOf(answered.octets).text.text.split('\n')[0]).toBe(long);

    // Answers the way a mail program does.
    const own = fieldOf(answered, 'message-id');
    await send('ward7@care.example', 'Thank you', {
      to: [sent?.recipient as string],
      header: [`In-Reply-To: ${own}`, `References: ${fieldOf(answered, 'references')} ${own}`],
    });
    const again = await last();
    expect(again).toMatchObject({ recipient: sent?.recipient, sender: sent?.sender, text: 'Thank you' });
    // Another e-mail to the same phone gets its own conversation, and therefore its own number.
    await send('ward7@care.example', 'Another thing', { to: [sent?.recipient as string] });
    expect((await last())?.sender).not.toBe(sent?.sender);
  });

  // The store is not involved any further, so one engine is enough.
  if (engine === 'postgres') return;

  test('[MAIL-5] [INC-4] An answer of ten parts, split within its emoji, goes back as one e-mail', async () => {
    const { messageId } = await send('ward7@care.example', 'Who comes?');
    const { sender, recipient } = (await last()) ?? {};
    await vi.waitFor(() => expect(smsc.binds).toHaveLength(1), patience);
    const text = `${'Ja 👍🏽 <b>&'.repeat(55)} slut`;
    const taken = await smsc.originateInParts(recipient as string, sender as string, text);
    expect(taken).toEqual(Array(10).fill(0));
    const inAll = (await answersTo(messageId, 2)).filter((mail) => textOf(mail).includes('👍'));
    expect(inAll.map((mail) => textOf(mail).split('\n')[0])).toEqual([text]);
    expect(inAll.map((mail) => mailOf(mail.octets).text.text.split('\n')[0])).toEqual([text]);
  });

  test('[MAIL-5] Receipts and answers by mail look as docs/email-to-sms.md shows them', async () => {
    const manual = readFileSync(new URL('../../docs/email-to-sms.md', import.meta.url), 'utf8');
    const shown = [...manual.matchAll(/```\n(From: [^`]*?)\n```/g)].map(([, mail = '']) => withoutTime(mail));
    const to = ['46701740699'];
    const { messageId } = await send('night@care.example', 'Can you come tonight?', {
      to,
      id: 'shift.7@care.example',
    });
    await answersTo(messageId, 1);
    await answer('46701740699', (await last())?.sender as string, 'On my way');
    expect((await answersTo(messageId, 2)).map(printed)).toEqual(shown);
  });

  /** With the header names as the manual shows them. */
  function printed(mail: ReceivedMail): string {
    const names = ['From', 'To', 'In-Reply-To', 'References', 'Subject'];
    const head = names.map((name) => `${name}: ${fieldOf(mail, name.toLowerCase())?.trim()}`);
    return withoutTime(`${head.join('\n')}\n\n${textOf(mail)}`)
      .replaceAll('sms.example', 'sms.localhost')
      .replaceAll('night@', 'ward7@');
  }

  function withoutTime(text: string): string {
    return text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '… UTC');
  }

  test('[MAIL-5] Many receipts for one e-mail come back in one e-mail', async () => {
    const to = Array.from({ length: 40 }, (_, place) => `46701760${150 + place}`);
    const { messageId } = await send('ward8@care.example', 'To all', { to });
    const [receipt] = await answersTo(messageId, 1);
    const text = textOf(receipt as ReceivedMail);
    expect(text).toMatch(/^40 of 40 SMS delivered:$/m);
    for (const number of to) expect(text).toContain(`SMS to +${number}: delivered`);
  });

  test('[MAIL-5] With onlyNonDelivery only failures are mailed back, and without splitCallback nothing is', async () => {
    const { messageId } = await send('a@failures.care.example', 'Hi', {
      to: ['46701740699', '46701740604'],
    });
    const [receipt] = await answersTo(messageId, 1);
    expect(textOf(receipt as ReceivedMail)).toMatch(/^SMS to \+46701740604: not delivered/);
    expect(textOf(receipt as ReceivedMail)).not.toContain('46701740699');
    const silent = await send('b@one.care.example', 'Hi');
    expect((await last())?.sender).toBe('Care');
    const { messageId: later } = await send('ward9@care.example', 'Hi', { subject: '' });
    const [heard] = await answersTo(later, 1);
    expect(fieldOf(heard as ReceivedMail, 'subject')).toBe('Your SMS');
    expect(await answersTo(silent.messageId, 0)).toEqual([]);
  });

  test('[MAIL-5] E-mails that go back are in the language of the company', async () => {
    const { messageId } = await send('a@omsorg.example', 'Hej', { subject: 'SV: Natten' });
    const [receipt] = await answersTo(messageId, 1);
    expect(textOf(receipt as ReceivedMail)).toMatch(/^Sms till \+\d+: levererat \(/);
    expect(fieldOf(receipt as ReceivedMail, 'subject')).toBe('SV: Natten');
  });

  test('[MAIL-5] Nothing is mailed back to programs, and a receipt that comes back as an e-mail sends nothing', async () => {
    const header = ['Auto-Submitted: auto-generated'];
    const alarm = await send('alarm@care.example', 'The door is open', { header });
    expect(alarm.reply).toMatchObject({ code: 250 });
    const { messageId } = await send('ward9@care.example', 'Hi');
    const [receipt] = (await answersTo(messageId, 1)) as [ReceivedMail];
    expect(await answersTo(alarm.messageId, 0)).toEqual([]);
    const before = (await storedMessages(app)).length;
    const to = ['46701740699@sms.example'];
    const back = await deliverMail(port, { octets: receipt.octets, to, from: '' });
    expect(back).toMatchObject({ code: 250, text: expect.stringContaining('Nothing is sent') });
    expect((await storedMessages(app)).length).toBe(before);
  });

  test('[MAIL-5] An entry with splitCallback is refused if its paying user has no SMTPSPLIT', async () => {
    const applied = await app.apply(
      provisioning(smsc.port).replace(
        'payinguser: alice, sender: Care }',
        'payinguser: bob, splitCallback: true }',
      ),
    );
    expect(applied).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('bob needs "smtpSplit: true"'),
    });
  });

  test('[RUN-3] Commands show the e-mails that wait, send them again, and test the relay', async () => {
    relay.toRecipient = (address) =>
      address === 'gone@care.example' ? { code: 550, text: 'gone' } : undefined;
    const { messageId } = await send('gone@care.example', 'Hi');
    await vi.waitFor(async () => {
      const { stdout } = await app.run('mail', 'outbox', 'list', '--json');
      expect(JSON.parse(stdout)).toMatchObject([
        { to: 'gone@care.example', reason: '550 gone', dueAt: null },
      ]);
    }, patience);
    relay.toRecipient = () => undefined;
    expect((await app.run('mail', 'outbox', 'replay', '--all')).stdout).toBe('1 e-mail is sent again.\n');
    await answersTo(messageId, 1);
    const tried = await app.run('mail', 'test', 'ops@care.example');
    expect(tried, tried.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('-> MAIL FROM:<>'),
    });
    const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^carillon_outgoing_mail_tries_total\{outcome="refused",kind="receipts"\} 1$/m);
  });
});
