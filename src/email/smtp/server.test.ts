/** Tests whose mail is accepted and what clients may not do, with a server in this process and an in-memory DNS. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { listMessages } from '../../../test/harness/delivery-verbs.ts';
import { bob, care, mailRoom, taxi } from '../../../test/harness/mail-room.ts';
import { encodedMail, multipart, plainMail } from '../../../test/harness/raw-mail.ts';
import { signed, signingKeys } from '../../../test/harness/signed-mail.ts';
import { SmtpClient } from '../../../test/harness/smtp-client.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import type { Role } from '../../accounts/role.ts';

sqliteStore('a server for mail', (engine) => {
  const room = mailRoom(engine);

  /** A client at the start of its data. */
  async function atData(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(port);
    await client.begin();
    await client.command('MAIL FROM:<a@care.example>');
    await client.command(`RCPT TO:<${room.to[0] ?? ''}>`);
    expect(await client.command('DATA')).toMatchObject({ code: 354 });
    return client;
  }

  describe('whose mail', () => {
    test('[MAIL-3] The mail server accepts an e-mail that the domain of its sender has signed', async () => {
      const { deliver, counted } = await room.start();
      const octets = await signed(room.plain);
      expect(await deliver({ octets, to: room.to, from: 'x@stranger.example' })).toMatchObject({ code: 250 });
      expect(await room.sentTo()).toEqual([room.phone]);
      expect(counted).toEqual(['sent']);
    });

    test('[MAIL-3] The mail server accepts an e-mail from a server that SPF permits for the sender’s domain', async () => {
      const { deliver } = await room.start({ zone: { 'care.example': ['v=spf1 ip4:127.0.0.1 -all'] } });
      expect(await deliver({ octets: room.plain, to: room.to })).toMatchObject({ code: 250 });
    });

    test('[MAIL-3] The operator gets a warning when SPF permits every server, but only for listed senders', async () => {
      const all = ['v=spf1 +all'];
      const { deliver, warned } = await room.start({ zone: { 'care.example': all, 'other.example': all } });
      const stranger = plainMail('Hi', ['From: a@other.example', 'Message-ID: <4@other.example>']);
      const refused = await deliver({ octets: stranger, to: room.to, from: 'a@other.example' });
      expect([refused.code, warned]).toEqual([550, []]);
      expect(await deliver({ octets: room.plain, to: room.to })).toMatchObject({ code: 250 });
      expect(warned).toMatchObject([{ remark: expect.stringContaining('+all') }]);
    });

    test('[MAIL-3] [MAIL-2] The mail server refuses an e-mail that nothing proves, since its From may be forged', async () => {
      const { deliver, counted } = await room.start();
      const forged = await deliver({ octets: room.plain, to: room.to, from: 'x@stranger.example' });
      expect(forged).toMatchObject({ code: 550, text: expect.stringContaining('Nothing proves') });
      const changed = Buffer.from((await signed(room.plain)).toString('latin1').replace('at ten', 'at six'));
      expect(await deliver({ octets: changed, to: room.to })).toMatchObject({ code: 550 });
      expect(await room.sentTo()).toEqual([]);
      expect(counted).toEqual(['unproven', 'unproven']);
    });

    test('[MAIL-3] An e-mail proven by its signature alone goes only to the numbers to which it is addressed', async () => {
      const { deliver, counted } = await room.start();
      const octets = await signed(room.plain);
      const another = room.phone + 20_000;
      const to = [...room.to, `${another}@sms.example`];
      expect(await deliver({ octets, to })).toMatchObject({
        code: 554,
        text: expect.stringContaining(`${another} is neither in To nor in Cc`),
      });
      expect(counted).toEqual(['not_addressed']);
      const silent = await room.start({ zone: { ...signingKeys, 'care.example': 'ESERVFAIL' } });
      expect(await silent.deliver({ octets, to })).toMatchObject({ code: 451 });
      expect(await room.sentTo()).toEqual([]);
      const spf = { 'care.example': ['v=spf1 ip4:127.0.0.1 -all'] };
      const own = await room.start({ zone: { ...signingKeys, ...spf } });
      expect(await own.deliver({ octets, to })).toMatchObject({ code: 250 });
    });

    test('[MAIL-2] [MAIL-3] A signed e-mail is put off with 451 while DNS does not answer', async () => {
      const { deliver } = await room.start({ zone: { 's1._domainkey.care.example': 'ESERVFAIL' } });
      expect(await deliver({ octets: await signed(room.plain), to: room.to })).toMatchObject({ code: 451 });
    });

    test('[MAIL-3] A user who logs in can send mail only for senders of their own company', async () => {
      const { deliver } = await room.start({ users: [care, taxi] });
      const as = (username: string) =>
        deliver({ octets: room.plain, to: room.to, login: { username, password: 'x' } });
      expect(await as('nobody')).toMatchObject({ code: 535 });
      expect(await as('tom')).toMatchObject({ code: 550, text: expect.stringContaining('another company') });
      expect(await room.sentTo()).toEqual([]);
      expect(await as('alice')).toMatchObject({ code: 250 });
    });

    test('[MAIL-3] An e-mail is refused when its user or its payer has been deactivated meanwhile', async () => {
      const { port, deliver } = await room.start({ users: [bob] });
      const client = new SmtpClient(port);
      await client.begin({ login: { username: 'bob', password: 'x' } });
      const mail = { octets: room.plain, to: room.to };
      expect(await client.mail(mail)).toMatchObject({ code: 250 });
      await room.apply((file) => file.replace('id: 12', 'id: 12, active: false'));
      expect(await client.mail(mail)).toMatchObject({
        code: 550,
        text: 'The account bob is no longer active.',
      });
      client.close();
      await room.apply((file) => file.replace('id: 1\n', 'id: 1\n    active: false\n'));
      expect(await deliver({ octets: await signed(room.plain), to: room.to })).toMatchObject({
        code: 554,
        text: 'The account that pays for mail from kari@care.example is not active.',
      });
      await room.apply((file) => file);
    });

    test('[AUTH-9] [MAIL-3] A user without the role to send cannot send by mail, even after a correct login', async () => {
      const admin = { ...bob, roles: new Set<Role>(['companyAdmin', 'emailAdmin', 'jobs']) };
      const { port, deliver, counted } = await room.start({ users: [admin] });
      const login = { username: 'bob', password: 'x' };
      const lacking = 'The account bob may not send SMS: it lacks the role `send`.';
      const mail = { octets: room.plain, to: room.to };
      expect(await deliver({ ...mail, login })).toEqual({
        code: 535,
        text: `${lacking} The operator assigns roles in the provisioning file.`,
      });
      const client = new SmtpClient(port);
      await client.begin();
      await client.command(`AUTH PLAIN ${Buffer.from('\0bob\0x').toString('base64')}`);
      expect(await client.mail(mail)).toMatchObject({
        code: 550,
        text: expect.stringContaining('Nothing proves'),
      });
      client.close();
      expect(counted).toEqual(['unproven']);
    });

    test('[AUTH-9] [MAIL-3] A user who has lost the role since the login cannot send by mail', async () => {
      const { port } = await room.start({ users: [bob] });
      const client = new SmtpClient(port);
      await client.begin({ login: { username: 'bob', password: 'x' } });
      await room.apply((file) => file.replace('id: 12, roles: [send]', 'id: 12, roles: [jobs]'));
      expect(await client.mail({ octets: room.plain, to: room.to })).toMatchObject({
        code: 550,
        text: 'The account bob may not send SMS: it lacks the role `send`.',
      });
      client.close();
      await room.apply((file) => file);
      expect(await room.sentTo()).toEqual([]);
    });

    test('[MAIL-3] An e-mail whose header servers may read in two ways is refused, even from a trusted relay or user', async () => {
      const { deliver, counted } = await room.start({ users: [care], isTrustedRelay: () => true });
      const octets = Buffer.from(
        'X-A: 1\nFrom: boss@care.example\n\nFrom: me@evil.example\r\nSubject: x\r\n\r\nHello\r\n',
      );
      const login = { username: 'alice', password: 'x' };
      for (const mail of [
        { octets, to: room.to },
        { octets, to: room.to, login },
      ])
        expect(await deliver(mail)).toMatchObject({
          code: 554,
          text: 'The header of the e-mail has a line that does not end in CR LF.',
        });
      expect(counted).toEqual(['malformed', 'malformed']);
    });

    test('[MAIL-4] Alarms from programs are sent when a trusted relay or a logged-in user brings them', async () => {
      const alarm = (id: number, ...more: readonly string[]) =>
        plainMail('Disk full', [
          ...more,
          ...['From: monitor@care.example', 'Auto-Submitted: auto-generated'],
          ...[`Message-ID: <alarm${id}@care.example>`, `To: ${room.to[0] ?? ''}`, 'Subject: Alarm'],
        ]);
      const { deliver, counted } = await room.start({ users: [care] });
      const login = { username: 'alice', password: 'x' };
      await deliver({ octets: alarm(1), to: room.to, login });
      await deliver({ octets: await signed(alarm(2)), to: room.to });
      const relayed = await room.start({ isTrustedRelay: () => true });
      await relayed.deliver({ octets: alarm(3), to: room.to });
      await relayed.deliver({ octets: alarm(4), to: room.to, from: '' });
      await relayed.deliver({ octets: alarm(5, 'Precedence: Bulk'), to: room.to });
      await relayed.deliver({ octets: alarm(6, 'In-Reply-To: <1@sms.example>'), to: room.to });
      expect([...counted, ...relayed.counted]).toEqual([
        ...['sent', 'automatic', 'sent', 'sent', 'sent', 'automatic'],
      ]);
      expect(await room.sentTo()).toHaveLength(4);
    });

    test('[MAIL-4] A read report is not sent, even if a list or a gateway has put its own part around it', async () => {
      const receipt = multipart('mixed', [
        multipart('mixed', [
          { type: 'text/plain', content: 'Your mail was read.' },
          { type: 'message/disposition-notification', content: 'Disposition: manual-action; displayed' },
        ]),
        { type: 'text/plain', content: 'This mail comes from outside.' },
      ]);
      const { deliver, counted } = await room.start({ isTrustedRelay: () => true });
      const answer = await deliver({ octets: encodedMail(receipt), to: room.to });
      expect(answer).toMatchObject({ code: 250, text: expect.stringContaining('is a report of delivery') });
      expect(counted).toEqual(['automatic']);
      expect(await room.sentTo()).toEqual([]);
    });

    test('[MAIL-4] Lines of gateways that the company names are cut from the text', async () => {
      await room.apply((file) => file.replace('id: 1\n', 'id: 1\n    mailCut: ["From outside:"]\n'));
      const { deliver } = await room.start({ isTrustedRelay: () => true });
      await deliver({ octets: plainMail('From outside: take care\n\nPump 3 stopped'), to: room.to });
      await deliver({ octets: plainMail('From outside: x', ['From: a@care.example']), to: room.to });
      await room.apply((file) => file);
      const texts = (await room.store.read(listMessages, null)).map(({ text }) => text);
      expect(texts.slice(-1)).toEqual(['Pump 3 stopped']);
    });

    test('[MAIL-4] No part of an encrypted e-mail is sent, not even the subject', async () => {
      const armor = '-----BEGIN PGP MESSAGE-----\n\nhQEMA0\n=aB1c\n-----END PGP MESSAGE-----\n';
      const { deliver, counted } = await room.start({ isTrustedRelay: () => true });
      expect(await deliver({ octets: plainMail(armor), to: room.to })).toMatchObject({
        code: 554,
        text: 'Nothing is sent: the e-mail is encrypted.',
      });
      expect(counted).toEqual(['no_text']);
    });

    test('[MAIL-4] Mail through a mailing list is sent when a trusted relay or a logged-in user brings it', async () => {
      const listed = (id: number) =>
        plainMail('Pump 3 stopped', [
          ...['From: oncall@care.example', 'List-Id: On call <oncall.care.example>', 'Precedence: list'],
          ...[`Message-ID: <list${id}@care.example>`, `To: ${room.to[0] ?? ''}`, 'Subject: Alarm'],
        ]);
      const { deliver, counted } = await room.start({ users: [care] });
      const login = { username: 'alice', password: 'x' };
      await deliver({ octets: listed(1), to: room.to, login });
      await deliver({ octets: await signed(listed(2)), to: room.to });
      const relayed = await room.start({ isTrustedRelay: () => true });
      await relayed.deliver({ octets: listed(3), to: room.to });
      expect([...counted, ...relayed.counted]).toEqual(['sent', 'automatic', 'sent']);
      expect(await room.sentTo()).toHaveLength(2);
    });

    test('[MAIL-3] A trusted relay is believed for any From, which must still be listed and not blocked', async () => {
      const { deliver } = await room.start({ isTrustedRelay: (address) => address === '127.0.0.1' });
      expect(await deliver({ octets: room.plain, to: room.to, from: 'x@y.example' })).toMatchObject({
        code: 250,
      });
      const stranger = plainMail('Hi', ['From: a@other.example', 'Message-ID: <2@other.example>']);
      expect(await deliver({ octets: stranger, to: room.to })).toMatchObject({
        code: 550,
        text: 'a@other.example is not on the list of addresses that may send SMS by mail.',
      });
      const blocked = plainMail('Hi', ['From: Blocked@care.example', 'Message-ID: <3@care.example>']);
      expect(await deliver({ octets: blocked, to: room.to })).toMatchObject({ code: 550 });
    });
  });

  describe('bounds', () => {
    test('[MAIL-2] The mail server refuses invalid recipients, more than a hundred recipients, and e-mails that are too large', async () => {
      const { port, deliver } = await room.start({ isTrustedRelay: () => true });
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
      expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 552 });
      expect(await room.sentTo()).toEqual([]);
    });

    test('[DLV-8] [MAIL-2] Under overload the mail server puts e-mails off with 451', async () => {
      let waitMs = 10_000;
      const { deliver } = await room.start({ isTrustedRelay: () => true, waitMs: () => waitMs });
      expect(await deliver({ octets: room.plain, to: room.to })).toMatchObject({ code: 451 });
      waitMs = 0;
      expect(await deliver({ octets: room.plain, to: room.to })).toMatchObject({ code: 250 });
    });

    test('[MAIL-2] Clients that leave, talk nonsense or never end do the mail server no harm', async () => {
      const { port, deliver, server } = await room.start({ isTrustedRelay: () => true });
      const broken = await atData(port);
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
      expect(await deliver({ octets: room.plain, to: room.to })).toMatchObject({ code: 250 });
      for (const client of [long, web, noise]) client.close();
      while (server.connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await room.sentTo()).toEqual([room.phone]);
    });

    describe('from a client that goes away', () => {
      const padding = ['X-One: ', 'X-Two: '].map((name) => name + 'x'.repeat(900));
      const octets = plainMail('Once', [
        'From: a@care.example',
        'Message-ID: <once@care.example>',
        ...padding,
      ]);

      test('[MAIL-2] An e-mail whose client leaves in the middle of it is not sent, and its room is free for the next', async () => {
        const limits = { all: { maxMails: 1, maxOctets: octets.length + 100 } };
        const { port, deliver, counted, server } = await room.start({ isTrustedRelay: () => true, limits });
        const half = await atData(port);
        // The whole e-mail except the final dot.
        half.write(octets);
        await until(async () => (await deliver({ octets, to: room.to })).code === 451);
        half.close();
        await until(() => server.connections === 0 && counted.includes('broken'));
        expect(await room.sentTo()).toEqual([]);
        expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
        expect(await room.sentTo()).toEqual([room.phone]);
      });

      test.each(['hold', 'holdAnswers'] as const)(
        '[MAIL-2] An e-mail whose client leaves between its dot and our response (%s) is sent once, however soon it comes again',
        async (kind) => {
          const { port, deliver, counted, server } = await room.start({ isTrustedRelay: () => true });
          const goOn = room.store[kind]('email.acceptMail', 1);
          const gone = await atData(port);
          gone.data(octets);
          await until(() => room.store.calls.includes('email.acceptMail'));
          gone.close();
          await until(() => server.connections === 0);
          expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
          goOn();
          await until(() => counted.length === 2);
          expect([...counted].sort()).toEqual(['repeated', 'sent']);
          expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
          expect(await room.sentTo()).toEqual([room.phone]);
        },
      );
    });

    test('[RUN-4] A stop of the mail server answers the e-mails received, and asks other clients to try again later', async () => {
      const { port, deliver, server } = await room.start({ isTrustedRelay: () => true });
      const idle = new SmtpClient(port);
      await idle.begin();
      const letGo = room.store.holdAnswers('email.acceptMail', 1);
      const last = deliver({ octets: room.plain, to: room.to });
      while (!room.store.calls.includes('email.acceptMail'))
        await new Promise((resolve) => setTimeout(resolve, 5));
      const stopped = server.stop();
      expect(await idle.reply()).toMatchObject({ code: 421 });
      letGo();
      expect(await last).toMatchObject({ code: 250 });
      await stopped;
    });
  });
});
