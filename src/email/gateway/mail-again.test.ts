/** Tests that a repeated e-mail sends nothing twice, with a server in this process and an in-memory DNS. */
import { expect, test } from 'vitest';
import { mailRoom } from '../../../test/harness/mail-room.ts';
import { purgeOnce } from '../../../test/harness/purge-once.ts';
import { plainMail } from '../../../test/harness/raw-mail.ts';
import { clock, signed } from '../../../test/harness/signed-mail.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { agedMails } from './store.ts';

const messageId = '<1@care.example>';
/** A copy of this e-mail may have a different Message-ID. */
const withoutSignedId = 'From:Subject:Date:To';
const withSignedId = `${withoutSignedId}:Message-ID`;

eachStore('an e-mail that comes again', (engine) => {
  const room = mailRoom(engine);

  test('[MAIL-2] An e-mail that comes again sends nothing twice, however its number is written', async () => {
    const { deliver, counted } = await room.start();
    const octets = await signed(room.plain, { headerList: withSignedId });
    expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
    expect(await deliver({ octets, to: [`+${room.phone}@sms.example`] })).toMatchObject({ code: 250 });
    expect(
      await deliver({ octets, to: [`00${room.phone}@sms.example`, `${room.other}@sms.example`] }),
    ).toMatchObject({ code: 250 });
    expect(await room.sentTo()).toEqual([room.phone, room.other]);
    expect(counted).toEqual(['sent', 'repeated', 'sent']);
  });

  test('[MAIL-2] An e-mail that comes again because its server missed our acceptance sends nothing twice', async () => {
    const { deliver } = await room.start();
    const octets = await signed(room.plain);
    room.store.loseAnswers('email.acceptMail', 1);
    const unheard = await deliver({ octets, to: room.to });
    expect(unheard).toEqual({ code: 451, text: 'Try again later; nothing is sent twice.' });
    expect(await deliver({ octets, to: room.to })).toMatchObject({
      code: 250,
      text: expect.stringContaining('already sent'),
    });
    expect(await room.sentTo()).toEqual([room.phone]);
  });

  test('[MAIL-2] An e-mail that many connections deliver at the same time is sent once', async () => {
    const { deliver } = await room.start();
    const octets = await signed(room.plain);
    const replies = await Promise.all(Array.from({ length: 8 }, () => deliver({ octets, to: room.to })));
    expect(replies.map(({ code }) => code)).toEqual(Array(8).fill(250));
    expect(await room.sentTo()).toEqual([room.phone]);
  });

  test.runIf(engine.name === 'postgres')(
    '[MAIL-2] [RUN-2] An e-mail that two nodes receive at the same time is sent once',
    async () => {
      const { deliver } = await room.start();
      const other = await room.start({ store: await room.openAnother() });
      const octets = await signed(room.plain);
      const mail = { octets, to: [...room.to, `${room.other}@sms.example`] };
      const replies = await Promise.all(
        [deliver, other.deliver, deliver, other.deliver].map((one) => one(mail)),
      );
      expect(replies.map(({ code }) => code)).toEqual(Array(4).fill(250));
      expect(await room.sentTo()).toHaveLength(2);
    },
  );

  test('[MAIL-2] An e-mail that comes again is sent when nothing was accepted the first time', async () => {
    const { deliver } = await room.start();
    const octets = await signed(room.plain);
    for (const verb of ['email.findDecidingEntry', 'email.acceptMail']) {
      room.store.refuse(verb, 1);
      expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 451 });
    }
    expect(await room.sentTo()).toEqual([]);
    expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
    expect(await room.sentTo()).toEqual([room.phone]);
  });

  test('[MAIL-2] [MAIL-3] An e-mail counts as the same under another Message-ID that is not signed', async () => {
    const { deliver } = await room.start();
    const again = (octets: Buffer) =>
      Buffer.from(octets.toString('latin1').replace(messageId, '<2@care.example>'));
    const octets = await signed(room.plain, { headerList: withoutSignedId });
    await deliver({ octets, to: room.to });
    expect(await deliver({ octets: again(octets), to: room.to })).toMatchObject({ code: 250 });
    expect(await room.sentTo()).toEqual([room.phone]);
  });

  test('[MAIL-2] An e-mail with its signature twice, in two spellings, is sent once', async () => {
    const { deliver } = await room.start();
    const mail = (await signed(room.plain, { headerList: withoutSignedId })).toString('latin1');
    const [field = ''] = /^DKIM-Signature:[\s\S]*?\r\n(?![ \t])/.exec(mail) ?? [];
    // Four bits of the last character before two equals signs are unused (RFC 4648, section 3.5).
    const same = field.replace(/.(?=\s*=\s*=\s*$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
    expect(same).not.toBe(field);
    const octets = Buffer.from(same + mail, 'latin1');
    expect(await deliver({ octets, to: room.to })).toMatchObject({ code: 250 });
    expect(await deliver({ octets: Buffer.from(mail, 'latin1'), to: room.to })).toMatchObject({ code: 250 });
    expect(await room.sentTo()).toEqual([room.phone]);
  });

  test('[MAIL-3] An e-mail is refused more than a week after it was signed', async () => {
    const octets = await signed(room.plain, { headerList: withSignedId });
    const dayMs = 24 * 60 * 60 * 1_000;
    const late = await room.start({ clock: { now: () => clock.now() + 8 * dayMs } });
    expect(await late.deliver({ octets, to: room.to })).toMatchObject({
      code: 550,
      text: expect.stringContaining('a week'),
    });
  });

  test('[MAIL-2] An e-mail without a Message-ID is recognised by its content', async () => {
    const time = { now: clock.now() };
    const { deliver } = await room.start({ isTrustedRelay: () => true, clock: { now: () => time.now } });
    const says = (text: string, ...header: string[]) =>
      deliver({ octets: plainMail(text, ['From: a@care.example', ...header]), to: room.to });
    const date = 'Date: Mon, 03 Jun 2024 10:00:00 +0200';
    for (const text of ['One', 'One', 'Two']) expect(await says(text, date)).toMatchObject({ code: 250 });
    expect(await room.sentTo()).toHaveLength(2);
    // When the date is missing too, a script's next alarm counts as the same e-mail for an hour only.
    await says('Alarm');
    await says('Alarm');
    expect(await room.sentTo()).toHaveLength(3);
    time.now += 61 * 60_000;
    await says('Alarm');
    await says('One', date);
    expect(await room.sentTo()).toHaveLength(4);
  });

  test('[RUN-6] [MAIL-2] The delivery keys of an e-mail are purged when they expire', async () => {
    const { deliver } = await room.start({ isTrustedRelay: () => true });
    const purge = (days: number) =>
      purgeOnce(room.store, agedMails, { now: clock.now() + days * 24 * 60 * 60_000, before: 0 });
    await purge(40);
    await deliver({ octets: room.plain, to: room.to });
    expect([await purge(29), await purge(31), await purge(31)]).toEqual([0, 1, 0]);
  });
});
