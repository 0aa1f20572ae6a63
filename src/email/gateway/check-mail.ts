/**
 * A dry run of an e-mail: it is received like any other, and everything that it would store is rolled back, so the
 * gateway's own rules always decide.
 */
import type { Acceptance } from '../../messages/sending/accept.ts';
import { valueIn } from '../../messages/sending/accepted-row.ts';
import type { Sending } from '../../messages/sending/send.ts';
import { fieldValues, readHeader } from '../../wire/mail/header-fields.ts';
import { headerFrom, mailboxesIn } from '../../wire/mail/read-mail.ts';
import { type MailAnswer, refused, tooLarge } from './mail-answer.ts';
import { maxMailRecipients, parseMailRecipient } from './mail-recipient.ts';
import {
  type IncomingMail,
  type MailFindings,
  type MailGatewayServices,
  receiveMail,
} from './receive-mail.ts';
import { type MailAcceptance, tryMail } from './store.ts';

interface CheckingServices extends Pick<MailGatewayServices, 'proof' | 'domains'> {
  readonly sending: Omit<Sending, 'ids' | 'dispatching' | 'observer' | 'security' | 'personSecret'>;
  readonly maxOctets: number;
}

export interface MailToCheck extends Pick<IncomingMail, 'octets' | 'address' | 'user'> {
  /** Undefined when the e-mail itself names its sender. */
  readonly envelopeSender: string | undefined;
  /** Recipient addresses; if empty, those in the header that belong to us. */
  readonly recipients: readonly string[];
}

export interface CheckedMail {
  readonly envelopeSender: string;
  readonly findings: MailFindings;
  /** The response to RCPT for recipients that are not accepted. */
  readonly refusedRecipients: readonly { readonly recipient: string; readonly why: string }[];
  readonly answer: MailAnswer;
  /** The resulting SMS, if the e-mail gets that far. */
  readonly messages: readonly CheckedMessage[];
  readonly costCenter: string;
  /** The remarks that the log would contain. */
  readonly remarks: readonly string[];
}

interface CheckedMessage {
  readonly recipient: string;
  /** Empty means a number from the pool. */
  readonly sender: string;
  readonly text: string;
  readonly parts: number;
}

export async function checkMail(services: CheckingServices, mail: MailToCheck): Promise<CheckedMail> {
  const header = readHeader(mail.octets);
  const [author] = headerFrom(header).mailboxes;
  const claimed = author === undefined ? '' : `${author.local}@${author.domain}`;
  const [returnPath] = fieldValues(header, 'return-path');
  const envelopeSender = mail.envelopeSender ?? returnPath?.replace(/[<>\s]/g, '') ?? (claimed || nobodys);
  const recipients = mail.recipients.length > 0 ? mail.recipients : addressed(header, services.domains);
  const judged = recipients.map((recipient) => ({
    recipient,
    number: parseMailRecipient(recipient, services.domains),
  }));
  const numbers = judged.flatMap(({ number }) => (number.ok ? number.value : []));
  const refusedRecipients = judged.flatMap(({ recipient, number }) =>
    number.ok ? [] : { recipient, why: number.error },
  );
  const findings: MailFindings = { sender: claimed, isProven: false, companyId: undefined };
  const tried = await tryReceiving(services, { ...mail, envelopeSender, numbers }, findings);
  return { envelopeSender, findings, refusedRecipients, ...tried };
}

/** Addresses in To and Cc at a domain for mail to phones. */
function addressed(header: ReturnType<typeof readHeader>, domains: readonly string[]): readonly string[] {
  return ['to', 'cc']
    .flatMap((name) => fieldValues(header, name))
    .flatMap((value) => mailboxesIn(value).mailboxes)
    .filter(({ domain }) => domains.includes(domain.toLowerCase()))
    .map(({ local, domain }) => `${local}@${domain}`);
}

/** RFC 6761, section 6.4. An empty sender would make the e-mail a bounce. */
const nobodys = 'unknown@invalid';

/** Message ids start far above this. */
const ids = { draw: () => 1 };

async function tryReceiving(
  { sending, proof, domains, maxOctets }: CheckingServices,
  mail: Omit<IncomingMail, 'helo'>,
  findings: MailFindings,
): Promise<Pick<CheckedMail, 'answer' | 'messages' | 'costCenter' | 'remarks'>> {
  const nothing = { messages: [], costCenter: '', remarks: [] };
  const { numbers, octets } = mail;
  if (octets.byteLength > maxOctets) return { ...nothing, answer: tooLarge(maxOctets) };
  if (numbers.length === 0) return { ...nothing, answer: nobody };
  if (numbers.length > maxMailRecipients) return { ...nothing, answer: tooMany };
  const remarks: string[] = [];
  let acceptance: Acceptance | undefined;
  const trying = {
    ...sending,
    ids,
    // A check has no secret, so it misses the opt-outs of erased people.
    personSecret: '',
    observer: { accepted: () => undefined },
    security: { record: () => undefined },
    dispatching: { expect: () => undefined, wake: () => undefined },
    acceptMail: (input: MailAcceptance) => {
      acceptance = input.acceptance;
      return sending.store.write(tryMail, input);
    },
  };
  const log = {
    warn: (details: object) => void remarks.push(...Object.values(details).map(String)),
  };
  const receiving = { sending: trying, proof, domains, log };
  const answer = await receiveMail(receiving, { ...mail, helo: mail.address }, findings);
  const { rows = [], costCenter = '' } = acceptance ?? {};
  const messages = rows.map((row) => ({
    recipient: valueIn(row, 'recipient'),
    sender: valueIn(row, 'sender'),
    text: valueIn(row, 'text'),
    parts: valueIn(row, 'parts'),
  }));
  return { answer, messages, costCenter, remarks };
}

const nobody = refused(550, 'recipient', 'The e-mail has no recipient that is a phone.');
const tooMany = refused(
  554,
  'recipient',
  `An e-mail can have at most ${maxMailRecipients} recipients. Send another e-mail to the others.`,
);
