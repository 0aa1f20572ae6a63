/**
 * Tests with a real Postfix between a sender and the gateway: as a relay that is trusted, that logs in, or that signs
 * (opendkim).
 */
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { care, mailRoom } from '../../../test/harness/mail-room.ts';
import { type Postfix, startPostfix, whyNoPostfix } from '../../../test/harness/postfix.ts';
import { plainMail } from '../../../test/harness/raw-mail.ts';
import { key, plainTo, signingKeys } from '../../../test/harness/signed-mail.ts';
import { deliverMail } from '../../../test/harness/smtp-client.ts';
import { sqliteStore } from '../../../test/harness/stores.ts';
import { systemClock } from '../../foundation/clock.ts';

const missing = whyNoPostfix();
const title = missing === undefined ? 'Postfix' : `Postfix (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(title, () => {
  sqliteStore('in front of the gateway', (engine) => {
    const room = mailRoom(engine);
    let postfix: Postfix | undefined;
    afterEach(async () => {
      await postfix?.stop();
      postfix = undefined;
    });

    /** The response of the sender's own server, which accepts everything. */
    async function send(text: string, ...to: readonly string[]) {
      const { port } = postfix as Postfix;
      const date = `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`;
      const header = ['From: Kari <kari@care.example>', `To: ${to.join(', ')}`, date];
      const octets = plainMail(text, [...header, `Message-ID: <${text}.${room.phone}@care.example>`]);
      expect(await deliverMail(port, { octets, to, from: 'kari@care.example' })).toMatchObject({ code: 250 });
    }

    const logged = (what: RegExp) => until(() => what.test((postfix as Postfix).log()));

    test('[MAIL-1] [MAIL-2] [MAIL-3] A trusted Postfix relay passes mail on once, and tells its sender what was refused', async () => {
      const node = await room.start({ clock: systemClock, isTrustedRelay: () => true });
      postfix = await startPostfix({ gatewayPort: node.port });
      await send('first', ...room.to, `+${room.other}@sms.example`);
      await logged(/status=sent \(250 Sending 2 SMS/);
      expect((await room.sentTo()).toSorted()).toEqual([room.phone, room.other]);
      await send('second', 'nobody@sms.example');
      await logged(/status=bounced \(host 127\.0\.0\.1\[127\.0\.0\.1\] said: 550 The part before the @/);
      expect(await room.sentTo()).toHaveLength(2);
    });

    test('[MAIL-2] A Postfix that has not heard our response brings the e-mail again, and nothing is sent twice', async () => {
      const node = await room.start({ clock: systemClock, isTrustedRelay: () => true });
      postfix = await startPostfix({ gatewayPort: node.port });
      room.store.loseAnswers('email.acceptMail', 1);
      await send('unheard', ...room.to);
      await logged(/status=deferred \(host 127\.0\.0\.1\[127\.0\.0\.1\] said: 451 Try again later/);
      postfix.flush();
      await logged(/status=sent \(250 This e-mail was already sent/);
      expect(await room.sentTo()).toEqual([room.phone]);
      expect(node.counted).toEqual(['store', 'repeated']);
    });

    test('[MAIL-3] A Postfix that logs in sends for the company of its user', async () => {
      const node = await room.start({ clock: systemClock, users: [care] });
      const settings = {
        smtp_sasl_auth_enable: 'yes',
        smtp_sasl_security_options: 'noanonymous',
        smtp_sasl_password_maps: `inline:{[127.0.0.1]:${node.port}=alice:secret}`,
      };
      postfix = await startPostfix({ gatewayPort: node.port, settings });
      await send('logged-in', ...room.to);
      await logged(/status=(sent|deferred|bounced)/);
      expect(postfix.log()).toMatch(/status=sent \(250 Sending 1 SMS/);
      expect(await room.sentTo()).toEqual([room.phone]);
    });

    test('[MAIL-3] A Postfix that signs with opendkim is believed because of its signature, and refused without it', async () => {
      const node = await room.start({ clock: systemClock, zone: signingKeys, isLocal: () => false });
      postfix = await startPostfix({
        gatewayPort: node.port,
        signing: { domain: 'care.example', key: key.privateKey },
      });
      await send('signed', ...room.to);
      await logged(/status=(sent|deferred|bounced)/);
      expect(postfix.log()).toMatch(/status=sent \(250 Sending 1 SMS/);
      await postfix.stop();
      postfix = await startPostfix({ gatewayPort: node.port });
      await send('unsigned', ...room.to);
      await logged(/status=bounced \(host 127\.0\.0\.1\[127\.0\.0\.1\] said: 550 Nothing proves/);
      expect(await room.sentTo()).toEqual([room.phone]);
      expect(node.counted).toEqual(['sent', 'unproven']);
    });

    test('[MAIL-3] The signature of a Postfix does not prove mail that somebody else has written', async () => {
      const node = await room.start({ clock: systemClock, zone: signingKeys, isLocal: () => false });
      postfix = await startPostfix({
        gatewayPort: node.port,
        signing: { domain: 'care.example', key: key.privateKey },
      });
      const octets = Buffer.from(
        plainTo(...room.to)
          .toString()
          .replace('kari@care.example', 'kari@other.example'),
      );
      await deliverMail(postfix.port, { octets, to: room.to, from: 'kari@care.example' });
      await logged(/status=bounced \(host 127\.0\.0\.1\[127\.0\.0\.1\] said: 550 Nothing proves/);
      expect(await room.sentTo()).toEqual([]);
    });
  });
});
