/**
 * Tests that a mail check gives the same verdict as the gateway, which then receives the same e-mail, and that checking leaves
 * nothing behind.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listMessages } from '../../../test/harness/delivery-verbs.ts';
import { startMailNode } from '../../../test/harness/mail-node.ts';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { htmlMail, plainMail, rawMail } from '../../../test/harness/raw-mail.ts';
import { clock, now, plainTo, signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import type { MailToSend } from '../../../test/harness/smtp-client.ts';
import { listRows, listTables } from '../../../test/harness/storage-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Role } from '../../accounts/role.ts';
import type { Store } from '../../storage/store.ts';

const provisioning = `companies:
  - name: Care
    id: 1
    allowedDomainEndings: [care.example]
    defaultSender: Care
    quotaParts: 300
    senderRules: [{ domain: lab.care.example, sender: CareLab }]
    emailSenders:
      - { email: "@care.example", payinguser: alice }
      - { email: "@lab.care.example", payinguser: alice, senderLogic: true, costCenter: lab }
      - { email: short@care.example, payinguser: alice, maxSms: 1, includeSubject: true, defaultCountryCode: "46" }
      - { email: twoway@care.example, payinguser: alice, splitCallback: true }
      - { email: poor@care.example, payinguser: poor }
      - { email: blocked@care.example, payinguser: alice, blocked: true }
    users:
      - { username: alice, id: 11, roles: [send], smtpSplit: true }
      - { username: poor, id: 12, roles: [send], quotaParts: 1 }
  - name: Taxi
    id: 2
    defaultSender: Taxi
    countryCode: "47"
    allowedDomainEndings: [taxi.example]
    emailSenders:
      - { email: "@taxi.example", payinguser: tom }
      - { email: sweden@taxi.example, payinguser: tom, defaultCountryCode: "46" }
    users: [{ username: tom, id: 21, roles: [send] }]
numbers: [{ number: "46731230100", pool: true }]
`;

const roles: ReadonlySet<Role> = new Set(['send']);
const alice = { username: 'alice', userId: 11, companyId: 1, roles };
const tom = { username: 'tom', userId: 21, companyId: 2, roles };
const asAlice = { login: { username: 'alice', password: '' } };
const asTom = { login: { username: 'tom', password: '' } };

const to = ['46701740620@sms.example'];
const from = (address: string, ...more: readonly string[]) => [
  `From: Kari <${address}>`,
  'Date: Mon, 03 Jun 2024 10:00:00 +0000',
  'Message-ID: <7@care.example>',
  ...more,
];
const written = (address: string, text: string) => plainMail(text, from(address, 'Subject: Ward 7'));
const manyNumbers = Array.from({ length: 100 }, (_, place) => `4670174${1_000 + place}@sms.example`);

const cases: Readonly<Record<string, MailToSend | (() => Promise<MailToSend>)>> = {
  'one that a user brings': { octets: plainTo(...to), to, ...asAlice },
  'one that is signed': async () => ({ octets: await signed(plainTo(...to)), to }),
  'one that was signed a month ago': async () => ({
    octets: await signed(plainTo(...to), { signTime: new Date(now - 31 * 86_400_000) }),
    to,
  }),
  'a signed one to somebody else': async () => ({
    octets: await signed(plainTo(...to)),
    to: ['46701740699@sms.example'],
  }),
  'one that nothing proves': { octets: plainTo(...to), to },
  'one of two authors': { octets: rawMail(['From: a@care.example, b@care.example']), to, ...asAlice },
  'one without an author': { octets: rawMail(['Subject: Hi'], 'Hi'), to, ...asAlice },
  'one that is blocked': { octets: written('blocked@care.example', 'Hi'), to, ...asAlice },
  'one that nobody lists': { octets: written('kari@other.example', 'Hi'), to, ...asAlice },
  'one of another company': { octets: written('kari@care.example', 'Hi'), to, ...asTom },
  'an absence note': {
    octets: plainMail('Away', from('kari@care.example', 'Auto-Submitted: auto-replied')),
    to,
    ...asAlice,
  },
  'a bounce': { octets: written('kari@care.example', 'Lost'), to, from: '', ...asAlice },
  'one without a text': { octets: written('kari@care.example', '> quoted\n'), to, ...asAlice },
  'one that is cut': {
    octets: written('short@care.example', `Come at once. ${'Bring all that you have. '.repeat(40)}`),
    to: ['0701740620@sms.example', '+46-70-174-06-21@sms.example'],
    ...asAlice,
  },
  'one with emoji': { octets: written('short@care.example', '🙏'.repeat(100)), to, ...asAlice },
  'HTML alone': { octets: htmlMail('<p>Come at <b>ten</b> &amp; bring keys</p>'), to, ...asAlice },
  'one by the rules of the company': { octets: written('a@lab.care.example', 'Hi'), to, ...asAlice },
  'one with answers that go back': { octets: written('twoway@care.example', 'Hi'), to, ...asAlice },
  'one that quota does not cover': {
    octets: written('poor@care.example', 'Hi '.repeat(100)),
    to,
    ...asAlice,
  },
  'one to a leading zero': { octets: plainTo(...to), to: ['0701740620@sms.example'], ...asAlice },
  'one of 255 parts to everybody': {
    octets: written('kari@care.example', 'long '.repeat(20_000)),
    to: manyNumbers,
    ...asAlice,
  },
  'one that is too large': { octets: written('kari@care.example', 'x'.repeat(300_000)), to, ...asAlice },
  'one with bare line feeds': { octets: Buffer.from('From: kari@care.example\n\nHi'), to, ...asAlice },
};

eachStore('an e-mail that is checked', (engine) => {
  let store: Store;
  let node: Awaited<ReturnType<typeof startMailNode>>;
  beforeEach(async () => {
    ({ store } = await engine.openFreshStore());
    await provisioningOf(() => store).linesOf(provisioning);
    const options = { store, clock, zone: signingKeys, users: [alice, tom], maxOctets: 256 * 1024 };
    node = await startMailNode(options);
  });
  afterEach(() => node.server.stop());

  const held = async () => store.read(listRows, await store.read(listTables, null));

  test.each(Object.keys(cases))(
    '[MAIL-1] [MAIL-2] [MAIL-3] [MAIL-4] A checked e-mail gets the same verdict as a received one, and leaves nothing behind: %s',
    async (name) => {
      const given = cases[name];
      const mail = typeof given === 'function' ? await given() : (given as MailToSend);
      const before = await held();
      const { answer, messages } = await node.check(mail);
      expect(await held()).toEqual(before);
      const reply = await node.deliver(mail);
      const code = answer.kind === 'refused' ? answer.code : 250;
      const isSent = answer.kind === 'taken' && answer.what === 'sent';
      expect(reply).toEqual({ code, text: isSent ? expect.stringMatching(/^Sending/) : answer.text });
      const stored = await store.read(listMessages, null);
      const actual = stored.map(({ recipient, text, parts, sender }) => ({ recipient, text, parts, sender }));
      if (isSent)
        expect(actual).toEqual(messages.map((one) => ({ ...one, sender: one.sender || '46731230100' })));
      else expect(actual).toEqual([]);
      if (isSent) expect(messages.length).toBe(mail.to.length);
    },
  );

  test('[MAIL-1] [SEND-2] An e-mail to a number with a leading zero goes to the country of its entry, or else of the company', async () => {
    const mail = { to: ['090612345@sms.example'], ...asTom };
    const recipients: unknown[] = [];
    for (const sender of ['cab@taxi.example', 'sweden@taxi.example']) {
      const { answer, messages } = await node.check({ ...mail, octets: written(sender, 'Hi') });
      expect(answer).toMatchObject({ what: 'sent' });
      recipients.push(...messages.map(({ recipient }) => recipient));
    }
    expect(recipients).toEqual(['4790612345', '4690612345']);
  });

  test('[MAIL-2] A check says that an e-mail sent before would not be sent again', async () => {
    const mail = { octets: plainTo(...to), to, ...asAlice };
    expect((await node.check(mail)).answer).toMatchObject({ what: 'sent' });
    await node.deliver(mail);
    expect((await node.check(mail)).answer).toMatchObject({ what: 'repeated' });
  });

  test('[MAIL-1] A check names the entry, the proof and the recipients of an e-mail', async () => {
    const mail = { octets: await signed(plainTo(...to, 'a@sms.example', 'b@care.example')), to: [] };
    const { findings, refusedRecipients, messages } = await node.check(mail);
    expect(findings).toMatchObject({ sender: 'kari@care.example', isProven: true, companyId: 1 });
    expect(findings.entry).toMatchObject({ email: '@care.example', payingUser: { username: 'alice' } });
    expect(findings.proof).toMatchObject({ method: 'DKIM', domain: 'care.example', selector: 's1' });
    expect(refusedRecipients).toEqual([
      { recipient: 'a@sms.example', why: expect.stringContaining('must be a phone number') },
    ]);
    expect(messages.map(({ recipient }) => recipient)).toEqual(['46701740620']);
  });
});
