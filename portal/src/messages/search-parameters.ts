/** Turns the filters of a search into the API's parameters. */
import type { StatusName } from '../../../src/messages/message.ts';
import { countryCodeOf } from '../../../src/wire/phone-number.ts';
import { timesOfDays } from '../design/date-range.tsx';
import { now } from '../words/times.ts';
import type { Filters, Period, State } from './filters.ts';

export const statusesOf: Readonly<Record<State, readonly StatusName[]>> = {
  waiting: ['QUEUED', 'SCHEDULED'],
  moving: ['SENT', 'ACCEPTED'],
  delivered: ['DELIVERED'],
  failed: [
    ...(['EXPIRED', 'REJECTED', 'UNDELIVERABLE', 'ABSENTSUBSCRIBER', 'UNKNOWNSUBSCRIBER'] as const),
    ...(['INVALIDDESTINATION', 'SUBSCRIBERERROR', 'UNKNOWN', 'ERROR'] as const),
  ],
  cancelled: ['CANCELED', 'DELETED'],
};

const daysOf: Readonly<Record<Exclude<Period, 'dates'>, number>> = { today: 0, week: 6, month: 29 };

/** `callingCode` is for numbers that are typed with a single leading zero. */
export function parametersOf(filters: Filters, callingCode: string | undefined, today = now()) {
  const { q = '', kind, state, period, from, to, batchId, username } = filters;
  const typed = q.trim();
  const isNumber = kind === undefined || kind === 'number';
  return {
    ...(typed !== '' && { [kind === 'number' ? 'to' : (kind ?? 'q')]: typed }),
    ...(isNumber && typed !== '' && callingCode !== undefined && { defaultCountryCode: callingCode }),
    ...(state && { status: statusesOf[state].join(',') }),
    ...(period === 'dates'
      ? timesOfDays({ from, to })
      : period && { since: daysBefore(daysOf[period], today) }),
    ...(batchId && { batchId }),
    ...(username && { username }),
  };
}

function daysBefore(days: number, today: Date): string {
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).toISOString();
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
