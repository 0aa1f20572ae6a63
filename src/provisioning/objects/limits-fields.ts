/** What a company or a user may send at most, as a provisioning file gives it. */
import type { SendingLimits } from '../../accounts/sending-limits.ts';
import { isCountry } from '../../wire/country.ts';
import { list, object, optional, type Read, text, wholeNumber } from '../../yaml/fields.ts';

const country = text((written) => {
  const code = written.toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && isCountry(code)) return { value: code };
  return { wrong: 'must be the code of a country with phone numbers, two letters such as SE (ISO 3166)' };
});

const parts = optional(wholeNumber(1, 1_000_000_000), undefined);

const fields = object({
  partsPerMinute: parts,
  partsPerDay: parts,
  countries: optional(list(country), undefined),
});

/** Without any limit it is as if the key were left out. */
export const sendingLimits: Read<SendingLimits> = (tree, faults) => {
  const read = fields(tree, faults);
  if (read === undefined) return undefined;
  const { partsPerMinute, partsPerDay, countries, place, fieldPlaces } = read;
  if (countries?.length === 0) {
    const sentence = 'must name at least one country; leave the key out for all';
    faults.push({ place: fieldPlaces.countries ?? place, sentence });
  }
  if (partsPerMinute === undefined && partsPerDay === undefined && countries === undefined) return undefined;
  return { partsPerMinute, partsPerDay, countries: countries && [...new Set(countries)].sort() };
};
