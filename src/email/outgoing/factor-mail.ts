/** Writes the e-mail that notifies a user of a change to the second factors of the account. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { noReplyAt, type OutgoingMail, texts, timeOf } from './outgoing-mail.ts';
import { type FactorEvent, filled, wordsOf } from './words.ts';

interface ChangedFactor {
  readonly event: FactorEvent;
  readonly userId: number;
  readonly companyId: number;
  readonly company: string;
  readonly language: CompanyLanguage;
  readonly timeZone: string | undefined;
  readonly username: string;
  readonly email: string;
  /** Who made the change; null for an operator. */
  readonly by: string | null;
  readonly at: number;
}

/** The e-mail contains no link, for the reason given at `signInMail`. */
export function factorMail(change: ChangedFactor, domain: string): OutgoingMail {
  const { event, userId, companyId, company, language, username, email, by, at } = change;
  const { factor: words } = wordsOf(language);
  const values = { username, company, time: timeOf(at, change.timeZone), by: by ?? words.operator };
  const paragraphs = [
    [words.summary],
    [words.events[event], words.time, words.by],
    [words.ifYou],
    [words.ifNotYou],
  ];
  return {
    messageId: `<factor.${userId}.${at}.${event}@${domain}>`,
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
