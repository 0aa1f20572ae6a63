/** How phone numbers are written for people: the calling code, then groups; no plan of any country is known here. */

/** All others that begin with these digits have three (ITU-T E.164). */
const twoDigitCodes = new Set(
  (
    '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
    '81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
);

/** Digits only, as the service keeps them: `46701740605` is shown as `+46 701 74 06 05`. Anything else stays as it is. */
export function groupedNumber(number: string): string {
  if (!/^\d{7,15}$/.test(number)) return number;
  const length = /^[17]/.test(number) ? 1 : twoDigitCodes.has(number.slice(0, 2)) ? 2 : 3;
  const rest = number.slice(length);
  // Pairs from the end, and before them what is left: two to four digits.
  const lead = rest.length - 2 * Math.max(1, Math.floor((rest.length - 2) / 2));
  const pairs = rest.slice(lead).match(/\d\d/g) ?? [];
  return `+${number.slice(0, length)} ${[rest.slice(0, lead), ...pairs].join(' ')}`;
}
