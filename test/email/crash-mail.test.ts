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
          await vi.waitFor(
            async () => {
              const unreported = await query(
                app,
                'SELECT COUNT(*) AS n FROM email_messages WHERE receipts_told_at IS NULL AND mail_id = message_id',
              );
              const left = await query(app, 'SELECT COUNT(*) AS n FROM outgoing_mails');
              expect([Number(unreported[0]?.n), Number(left[0]?.n)]).toEqual([0, 0]);
            },
            { timeout: 120_000, interval: 500 },
          );
          expect(offencesIn(relayed(), ids)).toEqual([]);
        } finally {
          await app.close();
          await relays.at(-1)?.close();
        }
      },
      longRunMs(300_000),
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

/** Each e-mail must get exactly one receipt per number; duplicates with the same Message-ID count as one e-mail. */
function offencesIn(received: readonly ReceivedMail[], ids: readonly string[]): readonly string[] {
  const once = new Map(received.map((mail) => [mail.messageId, mail]));
  const offences: string[] = [];
  for (const id of ids) {
    const own = [...once.values()].filter(({ header }) => fieldValue(header, 'in-reply-to') === id);
    const lines = own.flatMap(({ octets, header }) => {
      const [plain] = runToEnd(readParts(octets, header)).children;
      return plain === undefined
        ? []
        : (decodePart(plain, octets.length).match(/SMS to \+\d+: [^(]+/g) ?? []);
    });
    if (new Set(lines).size !== lines.length) offences.push(`${id} is told twice: ${lines.join('; ')}`);
    const numbers = new Set(lines.map((line) => line.slice(0, line.indexOf(':'))));
    if (numbers.size !== numbersOfMail) offences.push(`${id} is told of ${numbers.size} numbers`);
  }
  return offences;
}
