/** Checks whether a number is in an official mobile series of its country (API: /send, `checknumber`). */

import { createRequire } from 'node:module';
import type { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { type Fault, fault, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';

/** Takes the digits as `cleanNumber` returns them. Faults: `number_machine_series` and `number_not_mobile`. */
export function checkMobile(digits: string): Result<string> {
  const series = machineSeriesOf(digits);
  if (series !== undefined) {
    const { country } = series;
    return fault('number_machine_series', { sentence: 'number_of_machines', number: digits, country });
  }
  const number = numberParser()(`+${digits}`);
  if (number === undefined) return notMobile({ sentence: 'number_of_no_country', number: digits });
  // The library drops a national 0 after the country code, but the number would be dialled with the 0.
  if (number.number !== `+${digits}`) {
    return notMobile({ sentence: 'number_meant', number: digits, meant: number.number.slice(1) });
  }
  const type = number.getType();
  if (type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE') return success(digits);
  return notMobile({ sentence: 'number_not_mobile', number: digits, country: number.country ?? '' });
}

function notMobile(said: Sentence): Fault {
  return fault('number_not_mobile', said);
}

interface MachineSeries {
  /** The first digits of the number, including the country code. */
  readonly prefix: string;
  /** The possible numbers of digits, including the country code. */
  readonly digits: readonly number[];
  readonly country: string;
  readonly source: string;
}

/**
 * Long numbers that regulators issue in blocks for machines. Of these series, the phone number library knows only the
 * Dutch one, which it counts as mobile. Only series with a public source are listed, and only with lengths that no
 * person's number has in that country.
 */
export const machineSeries: readonly MachineSeries[] = [
  {
    prefix: '27',
    digits: [15],
    country: 'South Africa',
    source: 'ICASA, Numbering: national numbers have 10 digits with the 0, machine-related ones 14',
  },
  {
    prefix: '3197',
    digits: [13],
    country: 'the Netherlands',
    source: 'Staatscourant, Besluit of 14 November 2011 (ETM/TM), art. 1c: 0970; ACM on 097 numbers',
  },
  {
    prefix: '3277',
    digits: [15],
    country: 'Belgium',
    source: 'BIPT, decision of 6 September 2011 on the numbering plan for M2M communication',
  },
  {
    prefix: '33700',
    digits: [14, 15],
    country: 'France',
    source: 'ARCEP, decision 2012-0855: 0700 with extended length',
  },
  {
    prefix: '3459',
    digits: [15],
    country: 'Spain',
    source: 'Ministerio para la Transformación Digital, resolution of 30 April 2026: 59 with 13 digits',
  },
  {
    prefix: '4537',
    digits: [14],
    country: 'Denmark',
    source: 'Danish numbering plan 2016: M2M numbers 37 xx xxxx xxxx',
  },
  {
    prefix: '46719',
    digits: [15],
    country: 'Sweden',
    source:
      'PTS, Swedish numbering plan for telephony according to ITU-T E.164: 719, telematic services (M2M)',
  },
  {
    prefix: '4758',
    digits: [14],
    country: 'Norway',
    source: 'Nkom, 8- og 12-sifra nummerseriar: 58 xx xx xx xx xx for M2M',
  },
  {
    prefix: '4759',
    digits: [14],
    country: 'Norway',
    source: 'Nkom, documents for providers: numbers of 12 digits are for M2M/IoT',
  },
  {
    prefix: '81200',
    digits: [15],
    country: 'Japan',
    source: 'MIC, numbers for M2M: 0200 with 14 digits since 25 December 2019',
  },
  {
    prefix: '91',
    digits: [15],
    country: 'India',
    source: 'Department of Telecommunications, letter of 8 January 2018: 13 digits for M2M only',
  },
];

const minMachineNumberLength = Math.min(...machineSeries.flatMap((series) => series.digits));

function machineSeriesOf(digits: string): MachineSeries | undefined {
  if (digits.length < minMachineNumberLength) return undefined;
  return machineSeries.find(
    (series) => series.digits.includes(digits.length) && digits.startsWith(series.prefix),
  );
}

let parser: typeof parsePhoneNumberFromString | undefined;

/** The metadata takes some 30 ms to load, so it is read when the first number is checked, not when the server starts. */
function numberParser(): typeof parsePhoneNumberFromString {
  if (parser === undefined) {
    const load = createRequire(import.meta.url);
    const library: { parsePhoneNumberFromString: typeof parsePhoneNumberFromString } =
      load('libphonenumber-js/max');
    parser = library.parsePhoneNumberFromString;
  }
  return parser;
}
