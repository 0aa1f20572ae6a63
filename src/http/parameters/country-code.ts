/** The parameter for the country of phone numbers that begin with a single zero, the same in all calls that take numbers. */
import { digits } from './kinds.ts';

export const countryCodeDescription =
  'Country code that replaces a single leading zero of a number. Default: that of the company.';

export const defaultCountryCode = digits({
  get: 'defaultCountryCode',
  maxLength: 4,
  description: countryCodeDescription,
});
