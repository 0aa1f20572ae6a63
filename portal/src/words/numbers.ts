/** How phone numbers are written for people: the calling code, then groups. No country's numbering plan is known here. */

/** The calling codes with two digits. Except for 1 and 7, all others have three (ITU-T E.164). */
const twoDigitCodes = new Set(
  (
    '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
    '81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
);

/**
 * Takes a number of digits only, as the service stores it: `46701740605` is shown as `+46 701 74 06 05`. Anything else is
 * returned unchanged.
 */
export function groupedNumber(number: string): string {
  if (!/^\d{7,15}$/.test(number)) return number;
  const length = /^[17]/.test(number) ? 1 : twoDigitCodes.has(number.slice(0, 2)) ? 2 : 3;
  const rest = number.slice(length);
  // The digits are paired from the end, and the two or three that remain come before the pairs.
  const lead = rest.length - 2 * Math.max(1, Math.floor((rest.length - 2) / 2));
  const pairs = rest.slice(lead).match(/\d\d/g) ?? [];
  return `+${number.slice(0, length)} ${[rest.slice(0, lead), ...pairs].join(' ')}`;
}
