/**
 * The keys by which a repeated e-mail is recognised: its server may deliver it again because it missed our answer, and
 * anybody who got hold of it may replay it.
 *
 * - The Message-ID, with the sender that was proven and the number, so that nobody else can use up the ids of a sender.
 * - Without a Message-ID, what a second delivery has in common with the first: what was written, and when. An e-mail that has
 *   no date either, as from a script, counts as the same for an hour only, because the next alarm may say the same.
 * - A DKIM signature that does not cover the Message-ID proves the sender under any other id too, so the signature itself is a
 *   key. This holds for each such valid signature, whichever proved the sender now, since a copy may have lost the others.
 */
import { createHash } from 'node:crypto';
import type { EmailAddress } from '../../wire/email-address.ts';
import { fieldValues, type MailHeader } from '../../wire/mail/header-fields.ts';
import type { Proof } from '../proof/sender-proof.ts';

export interface DeliveryKey {
  /** A digest that reveals neither the sender, the recipient nor the content of an e-mail. */
  readonly key: string;
  readonly number: string;
  readonly expiresAt: number;
}

export interface DeliveredMail {
  readonly octets: Uint8Array;
  readonly header: MailHeader;
  /** As returned by `readMail`. */
  readonly messageId: string | undefined;
  readonly sender: EmailAddress;
  readonly proof: Proof;
}

const hourMs = 60 * 60 * 1_000;
/** Servers retry for 4 to 5 days (RFC 5321, section 4.5.4.1); none keeps an e-mail in a queue for a month. */
export const keyKeptForMs = 30 * 24 * hourMs;

/** The keys for each number, in digits. An e-mail has been delivered to a number if any of its keys is known. */
export function deliveryKeys(mail: DeliveredMail, numbers: readonly string[], now: number): DeliveryKey[] {
  const { marks, keptForMs } = marksOf(mail);
  const from = `${mail.sender.local}@${mail.sender.domain}`;
  return numbers.flatMap((number) =>
    marks.map((mark) => ({
      key: digest([mark, from, number]),
      number,
      expiresAt: now + keptForMs,
    })),
  );
}

function marksOf(mail: DeliveredMail): { readonly marks: readonly string[]; readonly keptForMs: number } {
  const { messageId, proof } = mail;
  const isDated = fieldValues(mail.header, 'date').length > 0;
  const own = messageId === undefined ? `content ${contentDigest(mail)}` : `id ${messageId}`;
  // Several Message-IDs count as none, because one of them may have been added above the signed one.
  const signatures = proof.method === 'DKIM' ? proof.valid : [];
  const marks = signatures
    .filter(({ signedFields }) => messageId === undefined || !signedFields.includes('message-id'))
    .map(({ signature }) => signatureMark(signature));
  const keptForMs = messageId === undefined && !isDated && marks.length === 0 ? hourMs : keyKeptForMs;
  // Two signatures may be the same one, written in two ways.
  return { marks: [...new Set([own, ...marks])], keptForMs };
}

/** The mark is built from the decoded octets, because Base64 can write the same octets in several ways. */
function signatureMark(signature: string): string {
  return `signature ${Buffer.from(signature, 'base64').toString('base64')}`;
}

/** The fields that the sender wrote; servers on the way add their own above them. */
const writtenFields = ['from', 'to', 'cc', 'date', 'subject'];

function contentDigest({ octets, header }: DeliveredMail): string {
  const fields = writtenFields.map((name) => JSON.stringify(fieldValues(header, name)));
  const body = createHash('sha256').update(octets.subarray(header.bodyStart)).digest('base64');
  return digest([...fields, body]);
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
