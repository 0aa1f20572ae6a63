/** Whose mail is taken, and that none is sent twice, by a server in this process with a DNS in memory. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listMessages } from '../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../test/harness/faulty-store.ts';
import { type MailNodeOptions, startMailNode } from '../../test/harness/mail-node.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { plainMail } from '../../test/harness/raw-mail.ts';
import { clock, plain, signed, signingKeys } from '../../test/harness/signed-mail.ts';
import { SmtpClient } from '../../test/harness/smtp-client.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { purgeMails } from './mail-store.ts';

const provisioning = `companies:
  - name: Care
    id: 1
    allowedDomainEndings: [care.example]
    defaultSender: Care
    emailSenders:
      - { email: "@care.example", payinguser: alice }
      - { email: blocked@care.example, payinguser: alice, blocked: true }
    users: [{ username: alice, id: 11, roles: [send] }]
`;
const messageId = '<1@care.example>';
/** Of this mail a copy may have another Message-ID. */
const withoutSignedId = 'From:Subject:Date:To';
const withSignedId = `${withoutSignedId}:Message-ID`;
const care = { username: 'alice', companyId: 1 };
const taxi = { username: 'tom', companyId: 2 };

eachStore('a server for mail', (engine) => {
  let fresh: FreshStore;
  let store: FaultyStore;
  let stop: () => Promise<void>;
  /** Another for each test, so that the mails may be the same. */
  let phone = 46_701_740_000;
  let other: number;
  let to: readonly string[];
  let sentBefore: number;
  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    store = new FaultyStore(fresh.store);
    await provisioningOf(() => store).linesOf(provisioning);
  });
  beforeEach(async () => {
    phone += 1;
    other = phone + 10_000;
    to = [`${phone}@sms.example`];
    sentBefore = (await store.read(listMessages, null)).length;
    store.calls.splice(0);
  });
  afterEach(() => stop?.());

  async function start(options: Partial<MailNodeOptions> = {}) {
    const node = await startMailNode({ store, clock, zone: signingKeys, ...options });
    stop = () => node.server.stop();
    return node;
  }

  async function sentTo(): Promise<readonly number[]> {
    const messages = await store.read(listMessages, null);
    return messages.slice(sentBefore).map(({ recipient }) => Number(recipient));
  }

  describe('whose mail', () => {
    test('[MAIL-3] that of a domain that has signed it', async () => {
      const { deliver, counted } = await start();
      const octets = await signed(plain);
      expect(await deliver({ octets, to, from: 'x@stranger.example' })).toMatchObject({ code: 250 });
      expect(await sentTo()).toEqual([phone]);
      expect(counted).toEqual(['sent']);
    });

    test('[MAIL-3] that of a server that may send for the domain', async () => {
      const { deliver } = await start({ zone: { 'care.example': ['v=spf1 ip4:127.0.0.1 -all'] } });
      expect(await deliver({ octets: plain, to })).toMatchObject({ code: 250 });
    });

    test('[MAIL-3] [MAIL-2] not that of anybody else, who may have forged From', async () => {
      const { deliver, counted } = await start();
      const forged = await deliver({ octets: plain, to, from: 'x@stranger.example' });
      expect(forged).toMatchObject({ code: 550, text: expect.stringContaining('Nothing proves') });
      const changed = Buffer.from((await signed(plain)).toString('latin1').replace('at ten', 'at six'));
      expect(await deliver({ octets: changed, to })).toMatchObject({ code: 550 });
      expect(await sentTo()).toEqual([]);
      expect(counted).toEqual(['unproven', 'unproven']);
    });

    test('[MAIL-2] [MAIL-3] while DNS does not answer, its server is to come again', async () => {
      const { deliver } = await start({ zone: { 's1._domainkey.care.example': 'ESERVFAIL' } });
      expect(await deliver({ octets: await signed(plain), to })).toMatchObject({ code: 451 });
    });

    test('[MAIL-3] that of a user, for senders of its own company only', async () => {
      const { deliver } = await start({ users: [care, taxi] });
      const as = (username: string) => deliver({ octets: plain, to, login: { username, password: 'x' } });
      expect(await as('nobody')).toMatchObject({ code: 535 });
      expect(await as('tom')).toMatchObject({ code: 550, text: expect.stringContaining('another company') });
      expect(await sentTo()).toEqual([]);
      expect(await as('alice')).toMatchObject({ code: 250 });
    });

    test('[MAIL-3] that of a trusted relay, for whatever From it says', async () => {
      const { deliver } = await start({ isTrustedRelay: (address) => address === '127.0.0.1' });
      expect(await deliver({ octets: plain, to, from: 'x@y.example' })).toMatchObject({ code: 250 });
      const stranger = plainMail('Hi', ['From: a@other.example', 'Message-ID: <2@other.example>']);
      expect(await deliver({ octets: stranger, to })).toMatchObject({
        code: 550,
        text: 'a@other.example is not on the list of those who may send SMS by mail.',
      });
      const blocked = plainMail('Hi', ['From: Blocked@care.example', 'Message-ID: <3@care.example>']);
      expect(await deliver({ octets: blocked, to })).toMatchObject({ code: 550 });
    });
  });

  describe('a mail that comes again', () => {
    test('[MAIL-2] sends nothing twice, however its number is written', async () => {
      const { deliver, counted } = await start();
      const octets = await signed(plain, { headerList: withSignedId });
      expect(await deliver({ octets, to })).toMatchObject({ code: 250 });
      expect(await deliver({ octets, to: [`+${phone}@sms.example`] })).toMatchObject({ code: 250 });
      expect(await deliver({ octets, to: [`00${phone}@sms.example`, `${other}@sms.example`] })).toMatchObject(
        { code: 250 },
      );
      expect(await sentTo()).toEqual([phone, other]);
      expect(counted).toEqual(['sent', 'repeated', 'sent']);
    });

    test('[MAIL-2] sends nothing twice when its server has not heard that it was accepted', async () => {
      const { deliver } = await start();
      const octets = await signed(plain);
      store.loseAnswers('email.acceptMail', 1);
      expect(await deliver({ octets, to })).toMatchObject({ code: 451 });
      expect(await deliver({ octets, to })).toMatchObject({
        code: 250,
        text: expect.stringContaining('before'),
      });
      expect(await sentTo()).toEqual([phone]);
    });

    test('[MAIL-2] is sent once by many connections at once', async () => {
      const { deliver } = await start();
      const octets = await signed(plain);
      const replies = await Promise.all(Array.from({ length: 8 }, () => deliver({ octets, to })));
      expect(replies.map(({ code }) => code)).toEqual(Array(8).fill(250));
      expect(await sentTo()).toEqual([phone]);
    });

    test.runIf(engine.name === 'postgres')(
      '[MAIL-2] [RUN-2] is sent once by two nodes that get it at once',
      async () => {
        const { deliver, server } = await start();
        const other = await startMailNode({ store: await fresh.openAnother(), clock, zone: signingKeys });
        const octets = await signed(plain);
        const mail = { octets, to: [...to, `${phone + 10_000}@sms.example`] };
        const replies = await Promise.all(
          [deliver, other.deliver, deliver, other.deliver].map((one) => one(mail)),
        );
        stop = async () => {
          await Promise.all([server.stop(), other.server.stop()]);
        };
        expect(replies.map(({ code }) => code)).toEqual(Array(4).fill(250));
        expect(await sentTo()).toHaveLength(2);
      },
    );

    test('[MAIL-2] is sent after all when nothing was accepted the first time', async () => {
      const { deliver } = await start();
      const octets = await signed(plain);
      for (const verb of ['email.findDecidingEntry', 'email.acceptMail']) {
        store.refuse(verb, 1);
        expect(await deliver({ octets, to })).toMatchObject({ code: 451 });
      }
      expect(await sentTo()).toEqual([]);
      expect(await deliver({ octets, to })).toMatchObject({ code: 250 });
      expect(await sentTo()).toEqual([phone]);
    });

    test('[MAIL-2] [MAIL-3] is the same under another Message-ID that nobody has signed', async () => {
      const { deliver } = await start();
      const again = (octets: Buffer) =>
        Buffer.from(octets.toString('latin1').replace(messageId, '<2@care.example>'));
      const octets = await signed(plain, { headerList: withoutSignedId });
      await deliver({ octets, to });
      expect(await deliver({ octets: again(octets), to })).toMatchObject({ code: 250 });
      expect(await sentTo()).toEqual([phone]);
    });

    test('[MAIL-3] is refused a week after it was signed', async () => {
      const octets = await signed(plain, { headerList: withSignedId });
      const dayMs = 24 * 60 * 60 * 1_000;
      const late = await start({ clock: { now: () => clock.now() + 8 * dayMs } });
      expect(await late.deliver({ octets, to })).toMatchObject({
        code: 550,
        text: expect.stringContaining('a week'),
      });
    });

    test('[MAIL-2] without Message-ID is known by what it says', async () => {
      const time = { now: clock.now() };
      const { deliver } = await start({ isTrustedRelay: () => true, clock: { now: () => time.now } });
      const says = (text: string, ...header: string[]) =>
        deliver({ octets: plainMail(text, ['From: a@care.example', ...header]), to });
      const date = 'Date: Mon, 03 Jun 2024 10:00:00 +0200';
      for (const text of ['One', 'One', 'Two']) expect(await says(text, date)).toMatchObject({ code: 250 });
      expect(await sentTo()).toHaveLength(2);
      // Without a date too, the next alarm of a script is the same for an hour only.
      await says('Alarm');
      await says('Alarm');
      expect(await sentTo()).toHaveLength(3);
      time.now += 61 * 60_000;
      await says('Alarm');
      await says('One', date);
      expect(await sentTo()).toHaveLength(4);
    });
  });

  test('[RUN-6] [MAIL-2] its keys are purged when their time is over', async () => {
    const { deliver } = await start({ isTrustedRelay: () => true });
    const purge = (days: number) =>
      store.write(purgeMails, { now: clock.now() + days * 24 * 60 * 60_000, before: 0 });
    await purge(40);
    await deliver({ octets: plain, to });
    expect([await purge(29), await purge(31), await purge(31)]).toEqual([0, 1, 0]);
  });

  describe('bounds', () => {
    test('[MAIL-2] refuses recipients that are no phones, beyond a hundred, and mails that are too large', async () => {
      const { port, deliver } = await start({ isTrustedRelay: () => true });
      const client = new SmtpClient(port);
      expect((await client.begin()).text).toContain('SIZE 1048576');
      await client.command('MAIL FROM:<a@care.example>');
      for (const address of ['info@sms.example', '46701740699@elsewhere.example', 'postmaster'])
        expect(await client.command(`RCPT TO:<${address}>`)).toMatchObject({ code: 550 });
      for (let at = 0; at < 100; at += 1)
        expect((await client.command(`RCPT TO:<467017${10_000 + at}@sms.example>`)).code).toBe(250);
      expect(await client.command('RCPT TO:<46701799999@sms.example>')).toMatchObject({ code: 452 });
      client.close();
      const octets = plainMail('a'.repeat(76).concat('\r\n').repeat(14_000));
      expect(await deliver({ octets, to })).toMatchObject({ code: 552 });
      expect(await sentTo()).toEqual([]);
    });

    test('[DLV-8] [MAIL-2] under overload servers are to come again', async () => {
      let waitMs = 10_000;
      const { deliver } = await start({ isTrustedRelay: () => true, waitMs: () => waitMs });
      expect(await deliver({ octets: plain, to })).toMatchObject({ code: 451 });
      waitMs = 0;
      expect(await deliver({ octets: plain, to })).toMatchObject({ code: 250 });
    });

    test('[MAIL-2] clients that leave, talk nonsense or never end do no harm', async () => {
      const { port, deliver, server } = await start({ isTrustedRelay: () => true });
      const broken = new SmtpClient(port);
      await broken.begin();
      await broken.command('MAIL FROM:<a@care.example>');
      await broken.command(`RCPT TO:<${to[0] ?? ''}>`);
      await broken.command('DATA');
      broken.write('From: a@care.example\r\n\r\nhal');
      broken.close();
      const long = new SmtpClient(port);
      await long.reply();
      long.write('x'.repeat(20_000));
      expect(await long.reply()).toMatchObject({ code: 421 });
      const web = new SmtpClient(port);
      await web.reply();
      expect(await web.command('GET / HTTP/1.1')).toMatchObject({ code: 421 });
      const noise = new SmtpClient(port);
      await noise.reply();
      noise.write(Buffer.from([0, 255, 13, 10, 200, 13, 10]));
      expect((await noise.reply()).code).toBe(500);
      expect(await deliver({ octets: plain, to })).toMatchObject({ code: 250 });
      for (const client of [long, web, noise]) client.close();
      while (server.connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await sentTo()).toEqual([phone]);
    });

    test('[RUN-4] a stop answers what has come, and tells others to come again', async () => {
      const { port, deliver, server } = await start({ isTrustedRelay: () => true });
      const idle = new SmtpClient(port);
      await idle.begin();
      store.holdAnswers('email.acceptMail', 200, 1);
      const last = deliver({ octets: plain, to });
      while (!store.calls.includes('email.acceptMail'))
        await new Promise((resolve) => setTimeout(resolve, 5));
      const stopped = server.stop();
      expect(await idle.reply()).toMatchObject({ code: 421 });
      expect(await last).toMatchObject({ code: 250 });
      await stopped;
    });
  });
});
