/**
 * Two servers, each the other's relay and mail sender: an e-mail that one of them sends automatically must be neither sent on
 * as an SMS nor answered by the other.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { command } from '../../src/app/control.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { freePort } from '../harness/free-port.ts';
import { storedMessages } from '../harness/messaging.ts';
import { plainMail } from '../harness/raw-mail.ts';
import { deliverMail } from '../harness/smtp-client.ts';

const patience = { timeout: 110_000, interval: 50 };

const provisioning = (other: string) => `companies:
  - name: Nordic Care
    allowedDomainEndings: [${other}]
    emailSenders: [{ email: "@${other}", payinguser: alice, splitCallback: true, origMsg: true }]
    users: [{ username: alice, password: a long password, roles: [send], smtpSplit: true }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230100", pool: true }
`;

let ports: readonly [number, number];
let first: WholeApp;
let second: WholeApp;

const start = (own: string, other: string, port: number, relay: number) =>
  startWholeApp({
    engine: 'sqlite',
    provisioning: provisioning(other),
    env: {
      CARILLON_SMTP: `127.0.0.1:${port}`,
      CARILLON_MAIL_TRUSTED: '127.0.0.0/8,::1',
      CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${relay}`,
      CARILLON_MAIL_DOMAIN: own,
    },
  });

beforeAll(async () => {
  ports = [await freePort(), await freePort()];
  first = await start('first.example', 'second.example', ports[0], ports[1]);
  second = await start('second.example', 'first.example', ports[1], ports[0]);
});
afterAll(async () => {
  await first?.close();
  await second?.close();
});

async function counted(app: WholeApp, name: string): Promise<number> {
  const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
  const lines = metrics.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('[MAIL-5] Mail from one gateway to another is taken and counted there, but neither sent on nor answered', async () => {
  const automatic = 'carillon_mails_taken_total{what="automatic"}';
  const header = ['From: 46701740699@second.example', 'Message-ID: <1@second.example>', 'Subject: Shift'];
  const asked = await deliverMail(ports[0], {
    octets: plainMail('Can you come?', header),
    to: ['46701740698@first.example'],
    from: '46701740699@second.example',
  });
  expect(asked).toMatchObject({ code: 250 });
  // The receipt goes to an address that represents a phone on the other server.
  await vi.waitFor(async () => expect(await counted(second, automatic)).toBe(1), patience);
  const [sent] = await storedMessages(first);
  const answer = { from: sent?.recipient, to: sent?.sender, text: 'Yes' };
  await command(first.env.CARILLON_DATA as string, 'simulate-incoming', answer);
  await vi.waitFor(async () => expect(await counted(second, automatic)).toBe(2), patience);
  // Both have sent all their reports.
  for (const app of [first, second])
    await vi.waitFor(
      async () => expect(await counted(app, 'carillon_outgoing_mails_waiting')).toBe(0),
      patience,
    );
  expect(await storedMessages(first)).toHaveLength(1);
  expect(await storedMessages(second)).toHaveLength(0);
  expect(await counted(first, 'carillon_mails_taken_total')).toBe(1);
  expect(await counted(second, 'carillon_mails_taken_total')).toBe(2);
  expect(await counted(second, 'carillon_outgoing_mail_tries_total')).toBe(0);
});
