/** Turns an outgoing mail into what the SMTP library writes: header fields of ours, and the text twice, plain and as HTML. */
import type { SendMailOptions } from 'nodemailer';
import { type Result, success } from '../../foundation/result.ts';
import { parseEmailAddress } from '../../wire/email-address.ts';
import type { MailContent, OutgoingMail } from './outgoing-mail.ts';

/** A fault: the relay need not be asked. */
export function composeMail({ messageId, content }: OutgoingMail, date: Date): Result<SendMailOptions> {
  for (const one of [content.to, content.from]) {
    const address = parseEmailAddress(one.address);
    if (!address.ok) return address;
  }
  const { from, to, subject, text, html, references } = content;
  return success({
    messageId,
    date,
    from,
    to,
    subject,
    text,
    html,
    ...(references.length === 0 ? {} : { references: [...references], inReplyTo: references.at(-1) }),
    headers: headersOf(content),
    // RFC 3834 3.3: what nobody wrote has no return path, so that nothing comes back to us, and no loop begins.
    envelope: { from: '', to: [to.address] },
    disableFileAccess: true,
    disableUrlAccess: true,
  } as SendMailOptions);
}

function headersOf({ autoSubmitted }: MailContent): Record<string, string> {
  return {
    'Auto-Submitted': autoSubmitted,
    // What Exchange goes by: neither absence notes nor reports of delivery and reading come back.
    'X-Auto-Response-Suppress': 'All',
  };
}
