/** Turns a mail and the entry of its sender into what `/send` would be asked for (API: email-to-SMS sender entry). */
import type { SendRequest } from '../../messages/sending/prepare.ts';
import { isGsm7 } from '../../wire/sms/gsm7.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { replaceCharacters } from '../../wire/sms/replacement.ts';
import { fitParts } from '../../wire/sms/segments.ts';
import type { SendingSettings } from '../senders/sender-entry.ts';

/** That of `/send`. */
const validMinutes = 1_440;

export interface MailWords {
  readonly subject: string;
  readonly text: string;
}

/**
 * The subject in a line of its own. Empty: there is nothing to send. `replacing`: characters outside GSM-7 by similar ones,
 * before the text is cut, since more of it may fit then.
 */
export function smsText({ subject, text }: MailWords, settings: SendingSettings, replacing: boolean): string {
  const words = settings.includeSubject ? [subject, text] : [text];
  const whole = normaliseText(words.filter((one) => one !== '').join('\n'));
  return fitParts(replacing && !isGsm7(whole) ? replaceCharacters(whole) : whole, settings.maxSms);
}

export interface MailOrder {
  readonly numbers: readonly string[];
  readonly text: string;
  readonly settings: SendingSettings;
  /** By the rules of the company; undefined: none applies. */
  readonly ruledSender: string | undefined;
  /**
   * Receipts and answers go back, so that the SMS comes from a number of the pool, in this conversation the same one. Undefined:
   * they do not.
   */
  readonly conversation: string | undefined;
}

export function sendRequest({ numbers, text, settings, ruledSender, conversation }: MailOrder): SendRequest {
  const { sender, costCenter, defaultCountryCode, checkMobile } = settings;
  return {
    to: numbers,
    tosubst: [],
    from: ruledSender ?? (sender || undefined),
    message: text,
    templateid: undefined,
    onlytemplateplaceholders: false,
    conversation,
    costcenter: costCenter || undefined,
    flash: false,
    validminutes: validMinutes,
    defaultcountrycode: defaultCountryCode || undefined,
    // Where it is wished for, it was done before the text was cut.
    replacecharacters: false,
    scheduletime: undefined,
    checknumber: checkMobile,
    twoway: conversation !== undefined,
  };
}
