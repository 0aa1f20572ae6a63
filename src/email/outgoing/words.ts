/** The wording of outgoing e-mails, except those of jobs, by company language. */
import type { CompanyLanguage } from '../../accounts/company-records.ts';
import { type StatusName, statusNames } from '../../messages/message.ts';

export interface Words {
  /** Used if the e-mail being answered has no subject. */
  readonly receiptSubject: string;
  readonly answerSubject: string;
  /** The placeholders are `{number}`, `{status}` and `{time}`. */
  readonly receipt: string;
  /** Introduces several receipts. */
  readonly receiptSum: string;
  readonly answered: string;
  readonly howToAnswer: string;
  readonly original: string;
  readonly statuses: Readonly<Record<ReportedStatus, string>>;
  readonly signIn: SignInWords;
  readonly factor: FactorWords;
}

/** What has happened to a user's second factors. */
export type FactorEvent = 'codes' | 'passkey' | 'recoveryCodes' | 'codesRemoved' | 'passkeyRemoved' | 'reset';

/** The placeholders are `{username}`, `{company}`, `{time}` and `{by}`. */
interface FactorWords {
  readonly subject: string;
  readonly summary: string;
  readonly events: Readonly<Record<FactorEvent, string>>;
  readonly time: string;
  readonly by: string;
  readonly operator: string;
  readonly ifYou: string;
  readonly ifNotYou: string;
}

/** The placeholders are `{username}`, `{company}`, `{time}`, `{address}` and `{browser}`. */
interface SignInWords {
  readonly subject: string;
  readonly summary: string;
  readonly time: string;
  readonly address: string;
  /** Used if the browser is known. */
  readonly browser: string;
  /** Used if the sign-in was not by password. */
  readonly byLink: string;
  readonly ifYou: string;
  readonly ifNotYou: string;
  /** Used in the last notice that a user gets in a day. */
  readonly noMoreToday: string;
}

/** The statuses that are final as far as anyone knows. */
export type ReportedStatus = Exclude<StatusName, 'QUEUED' | 'SENT' | 'ACCEPTED' | 'SCHEDULED'>;

const unreported: readonly StatusName[] = ['QUEUED', 'SENT', 'ACCEPTED', 'SCHEDULED'];
export const reportedStatuses: readonly number[] = statusNames.flatMap((name, code) =>
  unreported.includes(name) ? [] : [code],
);

const words: Readonly<Record<CompanyLanguage, Words>> = {
  en: {
    receiptSubject: 'Your SMS',
    answerSubject: 'Reply to your SMS',
    receipt: 'SMS to {number}: {status} ({time})',
    receiptSum: '{delivered} of {count} SMS delivered:',
    answered: 'Reply by SMS from {number}, {time}.',
    howToAnswer: 'Reply to this e-mail to send an SMS back.',
    original: 'Your SMS:',
    statuses: {
      DELIVERED: 'delivered',
      DELETED: 'not delivered, deleted before it was sent',
      EXPIRED: 'not delivered in time',
      REJECTED: 'not delivered, rejected by the operator',
      UNDELIVERABLE: 'not delivered',
      ABSENTSUBSCRIBER: 'not delivered, the phone cannot be reached',
      UNKNOWNSUBSCRIBER: 'not delivered, the number is not in use',
      INVALIDDESTINATION: 'not delivered, the number is not valid',
      SUBSCRIBERERROR: 'not delivered, the phone cannot receive SMS',
      UNKNOWN: 'sent, but it is not known whether it was delivered',
      ERROR: 'not delivered because of a fault',
      CANCELED: 'not sent, it was cancelled',
    },
    signIn: {
      subject: 'New sign-in as {username}',
      summary:
        'Someone signed in to Carillon as {username} ({company}), from a network with no such sign-in in the last 90 days.',
      time: 'When: {time}',
      address: 'From: {address}',
      browser: 'With: {browser}',
      byLink: 'How: by a sign-in link, without a password',
      ifYou: 'If this was you, you don’t need to do anything.',
      ifNotYou:
        'If this was not you, open the portal yourself and sign in. End the session under Settings, Sign-in, and set a new password. If you can’t sign in, call an administrator of your company at once.',
      noMoreToday:
        'You will get no more of these e-mails today (UTC), even if there are further sign-ins. You can see where you are signed in under Settings, Sign-in.',
    },
    factor: {
      subject: 'Second factor of {username} changed',
      summary:
        'What is needed besides the password to sign in to Carillon as {username} ({company}) was changed.',
      events: {
        codes: 'What: codes of an app were set up',
        passkey: 'What: a passkey was added',
        recoveryCodes: 'What: new recovery codes were created, and the earlier ones no longer work',
        codesRemoved: 'What: codes of an app were removed',
        passkeyRemoved: 'What: a passkey was removed',
        reset: 'What: all second factors were removed; the password alone is enough now',
      },
      time: 'When: {time}',
      by: 'By: {by}',
      operator: 'the operator of the server',
      ifYou: 'If you know about this, you don’t need to do anything.',
      ifNotYou: 'If not, call an administrator of your company at once.',
    },
  },
  sv: {
    receiptSubject: 'Ditt sms',
    answerSubject: 'Svar på ditt sms',
    receipt: 'Sms till {number}: {status} ({time})',
    receiptSum: '{delivered} av {count} sms levererade:',
    answered: 'Svar per sms från {number}, {time}.',
    howToAnswer: 'Svara på det här mejlet för att skicka ett sms tillbaka.',
    original: 'Ditt sms:',
    statuses: {
      DELIVERED: 'levererat',
      DELETED: 'inte levererat, borttaget innan det skickades',
      EXPIRED: 'inte levererat i tid',
      REJECTED: 'inte levererat, avvisat av operatören',
      UNDELIVERABLE: 'inte levererat',
      ABSENTSUBSCRIBER: 'inte levererat, telefonen går inte att nå',
      UNKNOWNSUBSCRIBER: 'inte levererat, numret används inte',
      INVALIDDESTINATION: 'inte levererat, numret är ogiltigt',
      SUBSCRIBERERROR: 'inte levererat, telefonen kan inte ta emot sms',
      UNKNOWN: 'skickat, men det är okänt om det kom fram',
      ERROR: 'inte levererat på grund av ett fel',
      CANCELED: 'inte skickat, det stoppades',
    },
    signIn: {
      subject: 'Ny inloggning som {username}',
      summary:
        'Någon loggade in i Carillon som {username} ({company}), från ett nätverk som inte har använts för det de senaste 90 dagarna.',
      time: 'När: {time}',
      address: 'Från: {address}',
      browser: 'Med: {browser}',
      byLink: 'Genom: en inloggningslänk, utan lösenord',
      ifYou: 'Om det var du behöver du inte göra något.',
      ifNotYou:
        'Om det inte var du: öppna portalen på egen hand och logga in. Avsluta sessionen under Inställningar, Inloggning, och sätt ett nytt lösenord. Om du inte kan logga in, ring genast en administratör på ditt företag.',
      noMoreToday:
        'Du får inga fler sådana mejl i dag (UTC), vad som än händer. Inställningar, Inloggning visar var du är inloggad.',
    },
    factor: {
      subject: 'Andra steget vid inloggning som {username} har ändrats',
      summary:
        'Det som utöver lösenordet behövs för att logga in i Carillon som {username} ({company}) har ändrats.',
      events: {
        codes: 'Vad: koder från en app har lagts till',
        passkey: 'Vad: en passkey har lagts till',
        recoveryCodes: 'Vad: nya återställningskoder har skapats, och de tidigare gäller inte längre',
        codesRemoved: 'Vad: koder från en app har tagits bort',
        passkeyRemoved: 'Vad: en passkey har tagits bort',
        reset: 'Vad: det andra steget har tagits bort; nu räcker det med lösenordet',
      },
      time: 'När: {time}',
      by: 'Av: {by}',
      operator: 'serverns drift',
      ifYou: 'Om du känner till det behöver du inte göra något.',
      ifNotYou: 'Annars: ring genast en administratör på ditt företag.',
    },
  },
};

export function wordsOf(language: CompanyLanguage): Words {
  return words[language];
}

export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z]+)\}/g, (label, key: string) => values[key] ?? label);
}
