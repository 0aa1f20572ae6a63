/** Reads an e-mail addressed to a phone: who claims to have sent it, its text, and whether a person wrote it. */
import { automaticReason, reportIn } from './automatic.ts';
import { fieldValue, fieldValues, type MailHeader } from './header-fields.ts';
import { type MailText, mailText } from './mail-text.ts';
import { type Mailbox, type MailboxList, parseMailboxList } from './mailbox-list.ts';
import { readParts } from './parts.ts';
import { maxFromLength } from './reading-bounds.ts';
import { wordsIn } from './signature.ts';
import { fieldText, followsAnother, subjectOf } from './subject.ts';
import { decodeWords } from './transfer-encoding.ts';

export interface Mail {
  readonly header: MailHeader;
  readonly from: HeaderFrom;
  /** In one line. Empty if there is no subject. */
  readonly subject: string;
  /** Includes the angle brackets. Undefined if there is no unambiguous Message-ID. */
  readonly messageId: string | undefined;
  /** Why the e-mail does not count as written by a person, as the end of a sentence that begins with “It”. */
  readonly automatic: string | undefined;
  /** Why its parts make the e-mail a report, whoever sent it, in the same form. Undefined if it is not a report. */
  readonly report: string | undefined;
  readonly text: MailText;
}

export interface HeaderFrom {
  /** Addresses of the first field, including those in groups. */
  readonly mailboxes: readonly Mailbox[];
  /** The number of fields. Exactly one is required (RFC 5322 3.6). */
  readonly fields: number;
  readonly hasGroup: boolean;
  /** What is wrong with a field, as the end of a sentence. */
  readonly fault: string | undefined;
}

/**
 * Returns a result for any octets, in steps of a few milliseconds that let other work run in between. `hasNullReturnPath`
 * comes from the envelope (`MAIL FROM:<>`). `mailCut` holds the beginnings of lines that mail gateways add.
 */
export function* readMail(
  octets: Uint8Array,
  header: MailHeader,
  hasNullReturnPath: boolean,
  mailCut: readonly string[] = [],
): Generator<void, Mail> {
  const root = yield* readParts(octets, header);
  const report = reportIn(root);
  return {
    header,
    from: headerFrom(header),
    subject: subjectOf(header),
    messageId: messageIdOf(header),
    automatic: automaticReason(header, hasNullReturnPath) ?? report,
    report,
    text: yield* mailText(root, {
      senderWords: senderWords(header),
      mayHoldHistory: followsAnother(header),
      mailCut,
    }),
  };
}

export function headerFrom(header: MailHeader): HeaderFrom {
  const values = fieldValues(header, 'from');
  const [value = ''] = values;
  if (value.length > maxFromLength)
    return { mailboxes: [], fields: values.length, hasGroup: false, fault: 'is too long' };
  return { ...mailboxesIn(value), fields: values.length };
}

/**
 * The words that a signature below an e-mail may begin with: those of the sender's name and of the part before the @, in lower
 * case.
 */
function senderWords(header: MailHeader): ReadonlySet<string> {
  const value = fieldValue(header, 'from')?.slice(0, maxFromLength) ?? '';
  const name = decodeWords(fieldText(value.slice(0, Math.max(0, value.lastIndexOf('@')))));
  return new Set(wordsIn(name));
}

/** Takes a field as read from a header. */
export function mailboxesIn(value: string): MailboxList {
  return parseMailboxList(fieldText(value));
}

/** RFC 5322 3.6.4. Lines must not be longer (RFC 5322 2.1.1). */
const messageIdForm = /^<[^<>\s]{1,996}>$/;

function messageIdOf(header: MailHeader): string | undefined {
  const values = fieldValues(header, 'message-id');
  const [value = ''] = values;
  return values.length === 1 && messageIdForm.test(value) ? value : undefined;
}
