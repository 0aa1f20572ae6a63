/** `carillon mail test`: sends one e-mail through the configured relay, and shows the whole conversation with it. */
import { randomUUID } from 'node:crypto';
import { readConfig } from '../config/config.ts';
import { noReplyAt, type OutgoingMail } from '../email/outgoing/outgoing-mail.ts';
import { Relay } from '../email/outgoing/relay.ts';
import { StartError } from '../foundation/errors.ts';
import { print } from '../foundation/terminal.ts';
import { parseEmailAddress } from '../wire/email-address.ts';

export async function testRelay(text: string): Promise<void> {
  const { smtpRelay: address, mailDomains } = readConfig(process.env);
  if (address === undefined) throw new StartError('CARILLON_SMTP_RELAY is not set, so no mail is sent.');
  const to = parseEmailAddress(text);
  if (!to.ok) throw new StartError(to.error);
  const domain = mailDomains[0] ?? 'localhost';
  print(`Connecting to ${address.host}, port ${address.port} (TLS: ${address.tls}).`);
  const relay = new Relay({ address, name: domain, onLine: (line) => print(line) });
  try {
    const mail = testMail(`${to.value.local}@${to.value.domain}`, domain);
    const { outcome, reason } = await relay.send(mail, new Date());
    if (outcome !== 'taken') throw new StartError(`The e-mail was not sent (${outcome}): ${reason}`);
    print(`The relay accepted the e-mail: ${mail.messageId}`);
  } finally {
    relay.close();
  }
}

function testMail(address: string, domain: string): OutgoingMail {
  const text =
    'This e-mail was sent by carillon mail test. Receipts and answers to SMS are sent the same way.';
  return {
    messageId: `<test.${randomUUID()}@${domain}>`,
    companyId: 0,
    kind: 'question',
    content: {
      from: { name: 'Carillon', address: noReplyAt(domain) },
      to: { name: '', address },
      subject: 'Test of the mail relay',
      text,
      html: `<p>${text}</p>`,
      references: [],
      autoSubmitted: 'auto-generated',
    },
  };
}
