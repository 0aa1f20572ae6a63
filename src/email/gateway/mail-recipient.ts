/** Decides whether an SMTP recipient is a phone: a number at one of our domains (RFC 5321, section 4.1.1.3). */
import { fault, type Result, success } from '../../foundation/result.ts';
import { parseDomain } from '../../wire/email-address.ts';
import { cleanNumber } from '../../wire/phone-number.ts';

/** RFC 5321, section 4.5.3.1.8, requires at least this many. */
export const maxMailRecipients = 100;

/**
 * Returns the number as written. The country code that replaces a leading zero becomes known only with the sender's entry, at
 * the end of the e-mail, so it is enough here that some country code would make the number valid.
 */
export function parseMailRecipient(address: string, domains: readonly string[]): Result<string> {
  const at = address.lastIndexOf('@');
  const domain = parseDomain(address.slice(at + 1));
  if (at < 0 || !domain.ok || !domains.includes(domain.value))
    return fault(
      'invalid_number',
      `This server accepts mail to phones only: <number>@${domains[0] ?? ''}${domains.length > 1 ? ' and its other domains' : ''}.`,
    );
  const number = unquoted(address.slice(0, at));
  if (someCountryCodes.some((code) => cleanNumber(number, code).ok)) return success(number);
  return fault(
    'invalid_number',
    'The part before the @ must be a phone number of 7 to 15 digits, such as +46701740699 or 0701740699.',
  );
}

/** The shortest and the longest possible country code. */
const someCountryCodes = ['1', '1000'];

/**
 * Returns the number in digits; anything that is not a number is returned unchanged. An empty `defaultCountryCode` means
 * there is none.
 */
export function digitsOf(written: string, defaultCountryCode: string): string {
  const number = cleanNumber(written, defaultCountryCode || undefined);
  return number.ok ? number.value : written;
}

/** RFC 5321, section 4.1.2: the name is the same with or without quotes. */
function unquoted(local: string): string {
  const [, inside] = /^"(.*)"$/.exec(local) ?? [];
  return inside === undefined ? local : inside.replace(/\\(.)/g, '$1');
}
