/** Writes the e-mails that go back to the sender of an e-mail SMS: receipts and answers. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { status, statusNames } from '../../messages/message.ts';
import { ownMessageId } from '../../wire/mail/thread.ts';
import { type MailContent, noReplyAt, type OutgoingMail, texts, timeOf } from './outgoing-mail.ts';
import { filled, type ReportedStatus, type Words, wordsOf } from './words.ts';

/** The e-mail being replied to. */
export interface AnsweredMail {
  readonly companyId: number;
  /** The id of its first message. */
  readonly mailId: number;
  readonly returnAddress: string;
  readonly subject: string;
  readonly references: readonly string[];
  readonly conversation: string;
  readonly language: CompanyLanguage;
  readonly timeZone: string | undefined;
}

interface MailReceipt {
  /** The phone number in digits. */
  readonly number: string;
  readonly status: number;
  readonly at: number;
}

interface SmsAnswer {
  readonly id: number;
  readonly number: string;
  readonly text: string;
  readonly at: number;
  /** The SMS being answered; undefined if the answer was unsolicited or that SMS is gone. */
  readonly original: string | undefined;
}

/** `now` is unique for each e-mail. */
export function receiptMail(
  mail: AnsweredMail,
  receipts: readonly MailReceipt[],
  { domain, now }: { readonly domain: string; readonly now: number },
): OutgoingMail {
  const words = wordsOf(mail.language);
  // Failures come first.
  const isDelivered = (one: MailReceipt) => one.status === status.DELIVERED;
  const sorted = [...receipts].sort((one, other) => Number(isDelivered(one)) - Number(isDelivered(other)));
  const lines = sorted.map((receipt) => receiptLine(receipt, words, mail.timeZone));
  const delivered = String(receipts.filter(isDelivered).length);
  const sum = filled(words.receiptSum, { delivered, count: String(receipts.length) });
  return {
    messageId: ownMessageId('receipts', `${mail.mailId}.${now}`, { ...mail, domain }),
    companyId: mail.companyId,
    kind: 'receipts',
    content: {
      ...common(mail, words.receiptSubject),
      // Replies are not expected: the gateway refuses them.
      from: { name: '', address: noReplyAt(domain) },
      ...texts([receipts.length > 1 ? [sum, ...lines] : lines]),
    },
  };
}

function receiptLine(
  { number, status: code, at }: MailReceipt,
  words: Words,
  timeZone: string | undefined,
): string {
  const name = statusNames[code] as ReportedStatus;
  const time = timeOf(at, timeZone);
  return filled(words.receipt, { number: `+${number}`, status: words.statuses[name], time });
}

/** The e-mail comes from the phone's own address, so a reply to it is an SMS to that phone. */
export function answerMail(mail: AnsweredMail, answer: SmsAnswer, domain: string): OutgoingMail {
  const words = wordsOf(mail.language);
  const { id, number, text, at, original } = answer;
  const about = [
    filled(words.answered, { number: `+${number}`, time: timeOf(at, mail.timeZone) }),
    words.howToAnswer,
  ];
  const quoted =
    original === undefined ? [] : [[words.original, ...original.split('\n').map((line) => `> ${line}`)]];
  return {
    messageId: ownMessageId('answer', String(id), { ...mail, domain }),
    companyId: mail.companyId,
    kind: 'answer',
    content: {
      ...common(mail, words.answerSubject),
      from: { name: `+${number}`, address: `${number}@${domain}` },
      ...texts([text.split('\n'), about, ...quoted]),
    },
  };
}

function common(
  { returnAddress, subject, references }: AnsweredMail,
  withoutSubject: string,
): Pick<MailContent, 'to' | 'subject' | 'references' | 'autoSubmitted'> {
  return {
    to: { name: '', address: returnAddress },
    subject: subject === '' ? withoutSubject : isAnswer.test(subject) ? subject : `Re: ${subject}`,
    references,
    autoSubmitted: 'auto-replied',
  };
}

/** The reply prefixes that mail programs put before a subject, including those of neighbouring languages. */
const isAnswer = /^(re|sv|vs|aw|antw) ?:/i;
