/**
 * The server and the relay are killed while receipts go out by mail; each receipt is reported once, or repeated as the same
 * e-mail.
 */
import { expect, test, vi } from 'vitest';
import { fieldValue } from '../../src/wire/mail/header-fields.ts';
import { decodePart } from '../../src/wire/mail/mail-text.ts';
import { readParts } from '../../src/wire/mail/parts.ts';
import { startWholeApp } from '../harness/app.ts';
import { pause } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { freePort } from '../harness/free-port.ts';
import { type ReceivedMail, startMailReceiver } from '../harness/mail-receiver.ts';
import { query } from '../harness/messaging.ts';
import { plainMail, runToEnd } from '../harness/raw-mail.ts';
import { longRunMs, runsFactor } from '../harness/runs.ts';
import { deliverMail } from '../harness/smtp-client.ts';

const mails = 60 * runsFactor;
const kills = 4 * runsFactor;
const numbersOfMail = 5;
const provisioning = `companies:
  - name: Nordic Care
    allowedDomainEndings: [care.example]
    emailSenders:
      - { email: "@care.example", payinguser: alice, splitCallback: true }
    users:
      - { username: alice, roles: [send], smtpSplit: true }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 200 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230100", pool: true }
`;

// Mail in progress at a kill is retried after a minute; both engines wait for that at the same time.
eachEngine(
  'receipts by mail',
  (engine) => {
    test(
      '[MAIL-5] Each receipt is reported by mail once, however often the server and the relay are killed',
      async () => {
        const port = await freePort();
        const relayPort = await freePort();
        const relays = [await startMailReceiver({ port: relayPort })];
        const env = {
          CARILLON_SMTP: `127.0.0.1:${port}`,
          CARILLON_MAIL_TRUSTED: '127.0.0.0/8,::1',
          CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${relayPort}`,
        };
        const app = await startWholeApp({ engine, provisioning, env });
        try {
          const relayed = () => relays.flatMap(({ taken }) => taken);
          const sending = sendAll(port);
          for (let kill = 0; kill < kills; kill++) {
            // The moment of the kill varies, from right after the server's next e-mail to much later, but some e-mails are always
            // still unsent.
            const enough = relayed().length + 1 + ((kill * 7) % (mails / kills));
            await vi.waitFor(() => expect(relayed().length).toBeGreaterThanOrEqual(enough), {
              timeout: 60_000,
              interval: 5,
            });
            await app.kill();
            if (kill % 2 === 0) {
              await relays.at(-1)?.close();
              relays.push(await startMailReceiver({ port: relayPort }));
            }
            await app.restart();
          }
          const ids = await sending;
          // A receipt that comes after the first e-mail of its kind waits a minute for the next one, so nothing that is stored
          // says that all have been reported: the e-mails do.
          await vi.waitFor(
            async () => {
              const left = await query(app, 'SELECT COUNT(*) AS n FROM outgoing_mails');
              expect([missingIn(relayed(), ids), Number(left[0]?.n)]).toEqual([[], 0]);
            },
            { timeout: 240_000, interval: 500 },
          );
          expect(doublesIn(relayed(), ids)).toEqual([]);
        } finally {
          await app.close();
          await relays.at(-1)?.close();
        }
      },
      longRunMs(420_000),
    );
  },
  { concurrent: true },
);

/** Sends each e-mail until it is accepted, as a mail server does. Returns their Message-IDs. */
async function sendAll(port: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let place = 0; place < mails; place++) {
    const id = `<${place}@care.example>`;
    const to = Array.from(
      { length: numbersOfMail },
      (_, number) => `46701${100_000 + place * 100 + 50 + number}@sms.localhost`,
    );
    const octets = plainMail('Hi', ['From: a@care.example', `Message-ID: ${id}`, 'Subject: Hi']);
    for (let code = 0; code !== 250; ) {
      code = await deliverMail(port, { octets, to, from: 'a@care.example' }).then(
        (reply) => reply.code,
        () => 0,
      );
      if (code !== 250) await pause(50);
    }
    ids.push(id);
  }
  return ids;
}

/** The e-mails of which some numbers have not been reported yet. */
function missingIn(received: readonly ReceivedMail[], ids: readonly string[]): readonly string[] {
  return ids.flatMap((id) => {
    const numbers = new Set(linesAbout(received, id).map((line) => line.slice(0, line.indexOf(':'))));
    return numbers.size === numbersOfMail ? [] : [`${id} is told of ${numbers.size} numbers`];
  });
}

/** The e-mails of which a receipt was reported more than once. */
function doublesIn(received: readonly ReceivedMail[], ids: readonly string[]): readonly string[] {
  return ids.flatMap((id) => {
    const lines = linesAbout(received, id);
    return new Set(lines).size === lines.length ? [] : [`${id} is told twice: ${lines.join('; ')}`];
  });
}

/** The receipts about one e-mail. E-mails with the same Message-ID count once. */
function linesAbout(received: readonly ReceivedMail[], id: string): readonly string[] {
  const once = new Map(received.map((mail) => [mail.messageId, mail]));
  return [...once.values()]
    .filter(({ header }) => fieldValue(header, 'in-reply-to') === id)
    .flatMap(({ octets, header }) => {
      const [plain] = runToEnd(readParts(octets, header)).children;
      return plain === undefined
        ? []
        : (decodePart(plain, octets.length).match(/SMS to \+\d+: [^(]+/g) ?? []);
    });
}
