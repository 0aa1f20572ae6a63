/** Writes the e-mail that notifies a user of a sign-in from a new network. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { noReplyAt, type OutgoingMail, texts, timeOf } from './outgoing-mail.ts';
import { filled, wordsOf } from './words.ts';

interface NotifiedSignIn {
  /** The Message-ID of the e-mail is derived from this. */
  readonly sessionId: string;
  readonly companyId: number;
  readonly company: string;
  readonly language: CompanyLanguage;
  readonly timeZone: string | undefined;
  readonly username: string;
  readonly email: string;
  readonly at: number;
  readonly address: string;
  /** In our own words, never the client's; empty if unknown. */
  readonly browser: string;
  readonly byLink: boolean;
  /** The user gets no more of these e-mails that day. */
  readonly isLast: boolean;
}

/** The e-mail contains no link: a forged copy of an e-mail with a link would lead people to a fake sign-in page. */
export function signInMail(signIn: NotifiedSignIn, domain: string): OutgoingMail {
  const { sessionId, companyId, company, language, username, email, at, address, browser } = signIn;
  const { signIn: words } = wordsOf(language);
  const values = { username, company, time: timeOf(at, signIn.timeZone), address, browser };
  const facts = [
    ...[words.time, words.address],
    ...(browser === '' ? [] : [words.browser]),
    ...(signIn.byLink ? [words.byLink] : []),
  ];
  const paragraphs = [[words.summary], facts, [words.ifYou], [words.ifNotYou]];
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
