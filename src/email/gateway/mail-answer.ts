/** The result of processing an e-mail: the SMTP response to DATA, and what the operator's metrics count. */

/** The reason why nothing was sent, for metrics and the log. */
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
  /** These are answered with 451, so the sending server retries. */
  | 'dns'
  | 'store'
  | 'overload'
  | 'rate'
  | 'broken'
  | 'internal';

export type MailAnswer =
  | {
      readonly kind: 'taken';
      /**
       * `sent`: to all numbers that did not have the e-mail yet; `repeated`: all of them had it; `automatic`: a program wrote
       * the e-mail, so nothing is sent.
       */
      readonly what: 'sent' | 'repeated' | 'automatic';
      readonly text: string;
      /** The ids of the SMS sent for this e-mail. */
      readonly messageIds: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly code: 451 | 550 | 552 | 554;
      readonly reason: MailRefusal;
      readonly text: string;
    };

/** At most this many ids are named: a reply is one short line. */
const maxNamedIds = 10;

export function sentText(ids: readonly string[]): string {
  const more = ids.length > maxNamedIds ? ' and more' : '';
  return `Sending ${ids.length} SMS: ${ids.slice(0, maxNamedIds).join(', ')}${more}.`;
}

/** The number of SMS that a reply made by `sentText` reports; 0 for any other reply. */
export function sentCount(text: string): number {
  return Number(/^Sending (\d+) SMS:/.exec(text)?.[1] ?? 0);
}

export type RefusedMail = Extract<MailAnswer, { readonly kind: 'refused' }>;

export function refused(code: 550 | 552 | 554, reason: MailRefusal, text: string): RefusedMail {
  return { kind: 'refused', code, reason, text: replyText(text) };
}

/** A temporary refusal. */
export function deferred(reason: MailRefusal, text: string): RefusedMail {
  return { kind: 'refused', code: 451, reason, text: replyText(text) };
}

export function tooLarge(maxOctets: number): RefusedMail {
  return refused(552, 'too_large', `The e-mail is larger than ${maxOctets} octets.`);
}

/** It is unknown whether anything was sent: the connection to the store may have broken before its response arrived. */
export const storeAway = 'Try again later; nothing is sent twice.';

export function taken(
  what: 'sent' | 'repeated' | 'automatic',
  text: string,
  messageIds: readonly string[] = [],
): MailAnswer {
  return { kind: 'taken', what, text: replyText(text), messageIds };
}

/** RFC 5321, section 4.5.3.1.5: a reply line has at most 512 octets, including its code and line end. */
const maxLength = 480;

/** RFC 5321, section 4.2: ASCII, on one line. */
export function replyText(text: string): string {
  const plain = text
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    .replaceAll('…', '...')
    .replace(/\s+/g, ' ')
    .replace(/[^ -~]/gu, '?');
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 3)}...`;
}
