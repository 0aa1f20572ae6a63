/**
 * Limits mail that only its signature proves. Any reader of such a mail can deliver it again, as often and to whom they
 * like: so it is sent only to the recipients that the sender addressed, and only for as long as a server might have
 * delayed it.
 */
import { fieldValues, type MailHeader } from '../../wire/mail/header-fields.ts';
import { mailboxesIn } from '../../wire/mail/read-mail.ts';
import type { MailSignature } from '../proof/sender-proof.ts';
import { digitsOf, parseMailRecipient } from './mail-recipient.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** No server keeps a mail back for so long (RFC 5321 4.5.4.1). */
const weekMs = 7 * dayMs;

/**
 * Those that were made within a week: by their own word (`t=`), else by the Date that they cover. One whose time is
 * unknown, or still to come, could be used for ever.
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
  /** The domains of mail to phones, in their ASCII form. */
  readonly domains: readonly string[];
  /** Empty: there is none. */
  readonly defaultCountryCode: string;
}

/** Of these numbers, as written, the first to which no signature addresses the mail; undefined when there is none. */
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
 * The fields of a name, when the signature covers all of them: RFC 6376 5.4.2 counts from the last one, so that others
 * may have been put above.
 */
function coveredValues(header: MailHeader, { signedFields }: MailSignature, name: string): readonly string[] {
  const values = fieldValues(header, name);
  return values.length <= signedFields.filter((one) => one === name).length ? values : [];
}
