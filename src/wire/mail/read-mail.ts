/** Reads a mail that came in for a phone: who says to have sent it, what it says, and whether a person does. */
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
  /** In one line; empty when there is none. */
  readonly subject: string;
  /** With its angle brackets. Undefined when there is none that can be told from others. */
  readonly messageId: string | undefined;
  /** Why nobody should take it for mail by a person, as the end of a sentence that begins with “It”. */
  readonly automatic: string | undefined;
  /** Why it is a report by its parts, whoever brings it, in the same form; undefined when it is none. */
  readonly report: string | undefined;
  readonly text: MailText;
}

export interface HeaderFrom {
  /** Of the first field, and of groups too. */
  readonly mailboxes: readonly Mailbox[];
  /** How many fields there are; RFC 5322 3.6 wants one. */
  readonly fields: number;
  readonly hasGroup: boolean;
  /** What is wrong with a field, as the end of a sentence. */
  readonly fault: string | undefined;
}

/**
 * For any octets there is an answer, in steps of a few milliseconds, between which others are to have their turns.
 * `hasNullReturnPath` is what the envelope says (`MAIL FROM:<>`), `mailCut` how lines begin that mail gateways add.
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

/** By which a signature below a mail may begin: of the name, and of what stands before the @. In lower case. */
function senderWords(header: MailHeader): ReadonlySet<string> {
  const value = fieldValue(header, 'from')?.slice(0, maxFromLength) ?? '';
  const name = decodeWords(fieldText(value.slice(0, Math.max(0, value.lastIndexOf('@')))));
  return new Set(wordsIn(name));
}

/** Of a field as it is read from a header. */
export function mailboxesIn(value: string): MailboxList {
  return parseMailboxList(fieldText(value));
}

/** RFC 5322 3.6.4; RFC 5322 2.1.1 lets no line be longer. */
const messageIdForm = /^<[^<>\s]{1,996}>$/;

function messageIdOf(header: MailHeader): string | undefined {
  const values = fieldValues(header, 'message-id');
  const [value = ''] = values;
  return values.length === 1 && messageIdForm.test(value) ? value : undefined;
}
