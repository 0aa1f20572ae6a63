/** Guesses from the text typed what a search is for, and turns it into the API's parameters. */

import type { StatusName } from '../../../src/messages/message.ts';
import { countryCodeOf } from '../../../src/wire/phone-number.ts';
import { now } from '../words/times.ts';
import type { Filters, Kind, Period, State } from './filters.ts';

/** Ids have ten digits and begin with a 1; no phone number with a country code looks like that. */
export function kindOf(typed: string): Kind {
  const text = typed.trim();
  if (/^1\d{9}$/.test(text)) return 'id';
  return /^[+(]?[\d\s().\-/]{5,}$/.test(text) ? 'number' : 'from';
}

const statusesOf: Readonly<Record<State, readonly StatusName[]>> = {
  waiting: ['QUEUED', 'SCHEDULED'],
  moving: ['SENT', 'ACCEPTED'],
  delivered: ['DELIVERED'],
  failed: [
    ...(['EXPIRED', 'REJECTED', 'UNDELIVERABLE', 'ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER'] as const),
    ...(['INVALIDDESTINATION', 'SUBSCRIBERERROR', 'UNKNOWN', 'ERROR'] as const),
  ],
  cancelled: ['CANCELED', 'DELETED'],
};

const daysOf: Readonly<Record<Period, number>> = { today: 0, week: 6, month: 29 };

/** `callingCode` is for numbers that are typed with a single leading zero. */
export function parametersOf(filters: Filters, callingCode: string | undefined, today = now()) {
  const { q, kind, state, period, batchId, username } = filters;
  const typed = q?.trim() ?? '';
  const of = kind ?? kindOf(typed);
  const first = period && new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysOf[period]);
  return {
    ...(typed === '' ? {} : { [of === 'number' ? 'to' : of]: typed }),
    ...(of === 'number' && typed !== '' && callingCode !== undefined && { defaultCountryCode: callingCode }),
    ...(state && { status: statusesOf[state].join(',') }),
    ...(first && { since: first.toISOString() }),
    ...(batchId && { batchId }),
    ...(username && { username }),
  };
}

const callingCodes: Readonly<Record<string, string>> = {
  SE: '46',
  NO: '47',
  DK: '45',
  FI: '358',
  IS: '354',
  GB: '44',
  IE: '353',
  DE: '49',
  AT: '43',
  NL: '31',
  BE: '32',
  FR: '33',
  CH: '41',
  EE: '372',
  LV: '371',
  LT: '370',
};

interface Company {
  readonly language: string;
  readonly countryCode?: string | undefined;
}

/**
 * Returns the calling code for numbers with a single leading zero: that of the company. A company without one gets a guess
 * from the browser's and the company's languages.
 */
export function callingCodeOf(locales: readonly string[], company: Company): string | undefined {
  const regions = locales.flatMap((locale) => new Intl.Locale(locale).region ?? []);
  const region = regions.find((one) => one in callingCodes) ?? (company.language === 'sv' ? 'SE' : '');
  return countryCodeOf(company) ?? callingCodes[region];
}
