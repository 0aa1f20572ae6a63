/** Writes the mail that tells a user of a sign-in from a network that is new. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { noReplyAt, type OutgoingMail, texts, timeOf } from './outgoing-mail.ts';
import { filled, wordsOf } from './words.ts';

interface ToldSignIn {
  /** Makes the Message-ID of the mail. */
  readonly sessionId: string;
  readonly companyId: number;
  readonly company: string;
  readonly language: CompanyLanguage;
  readonly username: string;
  readonly email: string;
  readonly at: number;
  readonly address: string;
  /** In words of our own, never in those of the caller; the empty string where it is not known. */
  readonly browser: string;
  readonly byLink: boolean;
  /** The user gets no more of these on that day. */
  readonly isLast: boolean;
}

/** Carries no link: a forged copy of a mail with one would lead people to a false sign-in page. */
export function signInMail(signIn: ToldSignIn, domain: string): OutgoingMail {
  const { sessionId, companyId, company, language, username, email, at, address, browser } = signIn;
  const { signIn: words } = wordsOf(language);
  const values = { username, company, time: timeOf(at), address, browser };
  const facts = [
    ...[words.time, words.address],
    ...(browser === '' ? [] : [words.browser]),
    ...(signIn.byLink ? [words.byLink] : []),
  ];
  const paragraphs = [[words.told], facts, [words.ifYou], [words.ifNotYou]];
  if (signIn.isLast) paragraphs.push([words.noMoreToday]);
  return {
    messageId: `<signin.${sessionId}@${domain}>`,
    companyId,
    kind: 'signIn',
    content: {
      from: { name: '', address: noReplyAt(domain) },
      to: { name: '', address: email },
      subject: filled(words.subject, values),
      ...texts(paragraphs.map((lines) => lines.map((line) => filled(line, values)))),
      references: [],
      autoSubmitted: 'auto-generated',
    },
  };
}
