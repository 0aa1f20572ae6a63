/**
 * Limits e-mails proven only by their signature. Any reader of such an e-mail can deliver it again, as often as they like and
 * to anyone, so it is sent only to the recipients that the sender addressed, and only for as long as a server might have
 * delayed it.
 */
import { fieldValues, type MailHeader } from '../../wire/mail/header-fields.ts';
import { mailboxesIn } from '../../wire/mail/read-mail.ts';
import type { MailSignature } from '../proof/sender-proof.ts';
import { digitsOf, parseMailRecipient } from './mail-recipient.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** No server holds an e-mail back for this long (RFC 5321, section 4.5.4.1). */
const weekMs = 7 * dayMs;

/**
 * Returns the signatures made within the last week, according to their own time (`t=`) or else the Date they cover. A
 * signature whose time is unknown or in the future could be reused indefinitely.
 */
export function freshSignatures(
  header: MailHeader,
  signatures: readonly MailSignature[],
  now: number,
): readonly MailSignature[] {
  const isFresh = (time: number) => now - time <= weekMs && time - now <= dayMs;
  return signatures.filter((signature) => {
    if (signature.signedAt !== undefined) return isFresh(signature.signedAt);
    const [date] = coveredValues(header, signature, 'date');
    return date !== undefined && isFresh(Date.parse(date.replace(/\([^()]*\)/g, ' ')));
  });
}

interface PhoneForm {
  /** The email-to-SMS domains, in ASCII form. */
  readonly domains: readonly string[];
  /** Empty if there is none. */
  readonly defaultCountryCode: string;
}

/** Returns the first of these numbers, as written, to which no signature addresses the e-mail; undefined if there is none. */
export function unaddressedNumber(
  header: MailHeader,
  signatures: readonly MailSignature[],
  numbers: readonly string[],
  form: PhoneForm,
): string | undefined {
  const unaddressed = signatures.map((signature) => {
    const addressed = addressedNumbers(header, signature, form);
    return numbers.find((number) => !addressed.has(digitsOf(number, form.defaultCountryCode)));
  });
  return unaddressed.includes(undefined) ? undefined : (unaddressed[0] ?? numbers[0]);
}

function addressedNumbers(
  header: MailHeader,
  signature: MailSignature,
  form: PhoneForm,
): ReadonlySet<string> {
  const addressed = ['to', 'cc']
    .flatMap((name) => coveredValues(header, signature, name))
    .flatMap((value) => mailboxesIn(value).mailboxes)
    .flatMap(({ local, domain }) => {
      const number = parseMailRecipient(`${local}@${domain}`, form.domains);
      return number.ok ? [digitsOf(number.value, form.defaultCountryCode)] : [];
    });
  return new Set(addressed);
}

/**
 * Returns the values of all fields with this name, if the signature covers every one of them: RFC 6376, section 5.4.2,
 * counts from the last one, so others may have been added above.
 */
function coveredValues(header: MailHeader, { signedFields }: MailSignature, name: string): readonly string[] {
  const values = fieldValues(header, name);
  return values.length <= signedFields.filter((one) => one === name).length ? values : [];
}
