/** Whether an SMTP recipient is a phone: a number at one of our domains (RFC 5321 4.1.1.3). */
import { fault, type Result, success } from '../../foundation/result.ts';
import { parseDomain } from '../../wire/email-address.ts';
import { cleanNumber } from '../../wire/phone-number.ts';

/** RFC 5321 4.5.3.1.8 asks for as many at least. */
export const maxMailRecipients = 100;

/**
 * The number as it is written. Which country code takes the place of a leading zero is known only with the sender's
 * entry, at the end of the mail: here it is enough that some would do.
 */
export function parseMailRecipient(address: string, domains: readonly string[]): Result<string> {
  const at = address.lastIndexOf('@');
  const domain = parseDomain(address.slice(at + 1));
  if (at < 0 || !domain.ok || !domains.includes(domain.value))
    return fault(
      'invalid_number',
      `This server takes mail to phones only: <number>@${domains[0] ?? ''}${domains.length > 1 ? ' and its other domains' : ''}.`,
    );
  const number = unquoted(address.slice(0, at));
  if (someCountryCodes.some((code) => cleanNumber(number, code).ok)) return success(number);
  return fault(
    'invalid_number',
    'What stands before the @ must be a phone number of 7 to 15 digits, such as +46701740699 or 0701740699.',
  );
}

/** The shortest and the longest that there can be. */
const someCountryCodes = ['1', '1000'];

/** The number in digits; what is no number stands for itself. `defaultCountryCode`: empty: there is none. */
export function digitsOf(written: string, defaultCountryCode: string): string {
  const number = cleanNumber(written, defaultCountryCode || undefined);
  return number.ok ? number.value : written;
}

/** RFC 5321 4.1.2: with quotes or without, it is the same name. */
function unquoted(local: string): string {
  const [, inside] = /^"(.*)"$/.exec(local) ?? [];
  return inside === undefined ? local : inside.replace(/\\(.)/g, '$1');
}
