/** The result of a mail as a value: the SMTP answer to DATA, and what the operator counts. */

/** Why nothing is sent, for metrics and the log. */
export type MailRefusal =
  | 'too_large'
  | 'malformed'
  | 'unproven'
  | 'signed_long_ago'
  | 'not_addressed'
  | 'not_listed'
  | 'blocked'
  | 'not_of_user'
  | 'payer'
  | 'no_text'
  | 'recipient'
  | 'quota'
  | 'sender'
  | 'other'
  /** These are answered with 451: the sender's server comes again. */
  | 'dns'
  | 'store'
  | 'overload'
  | 'rate'
  | 'broken'
  | 'internal';

export type MailAnswer =
  | {
      readonly kind: 'taken';
      /** Sent to all numbers but those that had it before; to none; or by a program, so that nothing is sent. */
      readonly what: 'sent' | 'repeated' | 'automatic';
      readonly text: string;
      /** Of the SMS that it became. */
      readonly messageIds: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly code: 451 | 550 | 552 | 554;
      readonly reason: MailRefusal;
      readonly text: string;
    };

export type RefusedMail = Extract<MailAnswer, { readonly kind: 'refused' }>;

export function refused(code: 550 | 552 | 554, reason: MailRefusal, text: string): RefusedMail {
  return { kind: 'refused', code, reason, text: replyText(text) };
}

/** A temporary refusal. */
export function deferred(reason: MailRefusal, text: string): RefusedMail {
  return { kind: 'refused', code: 451, reason, text: replyText(text) };
}

export function tooLarge(maxOctets: number): RefusedMail {
  return refused(552, 'too_large', `The mail is larger than ${maxOctets} octets.`);
}

/** Whether something was sent is not known: the connection to the store may have broken before its answer. */
export const storeAway = 'Try again later; nothing is sent twice.';

export function taken(
  what: 'sent' | 'repeated' | 'automatic',
  text: string,
  messageIds: readonly string[] = [],
): MailAnswer {
  return { kind: 'taken', what, text: replyText(text), messageIds };
}

/** RFC 5321 4.5.3.1.5: a line of an answer has 512 octets, with its code and line end. */
const maxLength = 480;

/** RFC 5321 4.2: ASCII, in one line. */
export function replyText(text: string): string {
  const plain = text
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    .replaceAll('…', '...')
    .replace(/\s+/g, ' ')
    .replace(/[^ -~]/gu, '?');
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 3)}...`;
}
