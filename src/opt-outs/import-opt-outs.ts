/**
 * Adds opt-outs from a CSV file, such as the list of another service. All rows are checked before the first is written, and a
 * file read twice has the outcome of a file read once.
 */
import { Temporal } from 'temporal-polyfill';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { encodingOf } from '../contacts/import/file-form.ts';
import { faultOfField, ServiceError } from '../foundation/errors.ts';
import { categoriesInSwedish } from '../foundation/sentences/words.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import type { Turns } from '../foundation/turns.ts';
import type { BodyBlocks } from '../http/body/body.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import { withoutGuard } from '../wire/csv-guard.ts';
import { CsvReader, type CsvRecord, delimiterOf } from '../wire/csv-rows.ts';
import { cleanNumber, lacksCountryCode, withoutDecimals } from '../wire/phone-number.ts';
import { parseTime } from '../wire/schedule-time.ts';
import {
  addOptOuts,
  findOptedOut,
  type GivenOptOut,
  maxProofLength,
  type OptOutCategory,
  optOutCategories,
} from './opt-out.ts';
import type { PersonSecret } from './person-digest.ts';

export interface OptOutServices extends Context {
  readonly secret: PersonSecret;
  readonly turns: Turns;
}

/** The name of the list in open pages. */
export const optOutsHint = 'optouts';

export const maxRows = 20_000;
export const maxFileBytes = 2 * 1_048_576;
export const maxShownFaults = 100;
/** Opt-outs per transaction. */
const setSize = 300;

/** What is wrong with a row. `countryCode`: its number begins with 0, and no code is known. */
export const rowFaults = ['number', 'countryCode', 'category', 'since', 'proof'] as const;
export type RowFault = (typeof rowFaults)[number];

export interface FaultyRow {
  readonly line: number;
  readonly cause: RowFault;
}

export interface OptOutFile {
  readonly bytes: BodyBlocks;
  readonly countryCode: string | undefined;
  /** Adds the other rows even if some have faults. */
  readonly skipFaulty: boolean;
  /** Checks only, and adds nothing. */
  readonly dryRun: boolean;
}

export interface ImportedOptOuts {
  readonly rows: number;
  readonly added: number;
  /** Opt-outs that were there before, which stay as they were. */
  readonly unchanged: number;
  readonly faulty: number;
  /** The first ones. */
  readonly faults: readonly FaultyRow[];
}

type Row = Pick<GivenOptOut, 'phone' | 'category' | 'proof'> & { readonly since?: number };

export async function importOptOuts(
  services: OptOutServices,
  caller: Caller,
  { bytes, countryCode, skipFaulty, dryRun }: OptOutFile,
): Promise<ImportedOptOuts> {
  requireRole(caller, 'companyAdmin');
  const { store, clock, secret, turns } = services;
  const { companyId, username, session } = caller;
  const encoding = await turns.run(caller, encodingOf(bytes));
  const text = new TextDecoder(encoding).decode(Buffer.concat(bytes.blocks).subarray(0, bytes.length));
  const of = { countryCode, timeZone: caller.timeZone ?? 'UTC', now: clock.now() };
  const read = await turns.run(caller, readRows(text, of));
  const { rows, faults } = read;
  if (faults.length > 0 && !skipFaulty && !dryRun) throw faulty(faults);
  let added = 0;
  for (let from = 0; from < rows.length; from += setSize) {
    const set = rows.slice(from, from + setSize);
    if (dryRun) {
      const phones = set.map(({ phone }) => phone);
      const found = await store.read(findOptedOut, { companyId, phones, secret });
      added += set.filter(({ phone, category }) => found.get(phone)?.has(category) !== true).length;
    } else {
      const optOuts = set.map((row) => ({ ...row, source: 'file' as const }));
      const by = { username, session };
      const kept = await store.write(addOptOuts, { companyId, by, now: clock.now(), secret, optOuts });
      added += kept.filter(({ isNew }) => isNew).length;
    }
  }
  if (added > 0 && !dryRun) announceHint(store, companyId, optOutsHint);
  return {
    rows: rows.length + faults.length,
    added,
    unchanged: rows.length - added,
    faulty: faults.length,
    faults: faults.slice(0, maxShownFaults),
  };
}

const meanings: Readonly<Record<RowFault, Sentence>> = {
  number: { sentence: 'opt_out_number' },
  countryCode: { sentence: 'opt_out_country' },
  category: { sentence: 'opt_out_category', words: optOutCategories.join(', ') },
  since: { sentence: 'opt_out_since' },
  proof: { sentence: 'opt_out_proof', most: maxProofLength },
};

function faulty(faults: readonly FaultyRow[]): ServiceError {
  return new ServiceError(
    'invalid_value',
    { sentence: 'rows_faulty', rows: faults.length },
    {
      errors: faults
        .slice(0, maxShownFaults)
        .map(({ line, cause }) => faultOfField(`line ${line}`, 'invalid_value', meanings[cause])),
    },
  );
}

function refusal(said: Sentence): ServiceError {
  return new ServiceError('invalid_value', said);
}

const titles: Readonly<Record<string, 'number' | 'category' | 'since' | 'proof'>> = {
  number: 'number',
  phone: 'number',
  mobile: 'number',
  nummer: 'number',
  telefon: 'number',
  telefonnummer: 'number',
  mobil: 'number',
  mobilnummer: 'number',
  category: 'category',
  kategori: 'category',
  since: 'since',
  sedan: 'since',
  datum: 'since',
  date: 'since',
  proof: 'proof',
  bevis: 'proof',
};

/** What the cells are read by. A day without a time begins in the company's time zone. */
interface Reading {
  readonly countryCode: string | undefined;
  readonly timeZone: string;
  readonly now: number;
}

interface ReadRows {
  readonly rows: readonly Row[];
  readonly faults: readonly FaultyRow[];
}

/**
 * Other columns are skipped, such as those of an export that say who added an opt-out. A file without a line of names has the
 * numbers in its first column. Of rows with the same number and category, the first counts.
 */
function* readRows(text: string, of: Reading): Generator<void, ReadRows> {
  if (text.includes('\0')) throw refusal({ sentence: 'file_not_text' });
  const reader = new CsvReader(delimiterOf(text));
  const rows = new Map<string, Row>();
  const faults: FaultyRow[] = [];
  let columns: readonly (string | undefined)[] | undefined;
  let count = 0;
  for (const record of reader.read(text, true)) {
    yield;
    if (columns === undefined) {
      columns = columnsOf(record, of.countryCode);
      if (columns.length > 0) continue;
      columns = ['number'];
    }
    count += 1;
    if (count > maxRows) throw refusal({ sentence: 'file_rows', most: maxRows });
    const row = rowIn(record.cells, columns, of);
    if (typeof row === 'string') faults.push({ line: record.firstLine, cause: row });
    else {
      const key = `${row.phone} ${row.category}`;
      if (!rows.has(key)) rows.set(key, row);
    }
  }
  const { broken } = reader;
  if (broken !== undefined)
    throw refusal({ sentence: 'file_broken', line: broken.line, wrong: storedReason(broken.said) });
  if (columns === undefined) throw refusal({ sentence: 'file_empty' });
  return { rows: [...rows.values()], faults };
}

/** The meanings of the columns; empty if the first row is no line of names. */
function columnsOf({ cells }: CsvRecord, countryCode: string | undefined): readonly (string | undefined)[] {
  const columns = cells.map((title) => titles[title.trim().toLowerCase()]);
  if (columns.includes('number')) return columns;
  if (typeof numberIn(cells[0] ?? '', countryCode) === 'object' || /\d{5}/.test(cells[0] ?? '')) return [];
  throw refusal({ sentence: 'file_no_number' });
}

function numberIn(
  cell: string,
  countryCode: string | undefined,
): { readonly phone: string } | 'number' | 'countryCode' {
  const written = withoutDecimals(cell);
  const number = cleanNumber(written, countryCode);
  if (number.ok) return { phone: number.value };
  return countryCode === undefined && lacksCountryCode(written) ? 'countryCode' : 'number';
}

function rowIn(
  cells: readonly string[],
  columns: readonly (string | undefined)[],
  { countryCode, timeZone, now }: Reading,
): Row | RowFault {
  const cell = (name: string) => withoutGuard(cells[columns.indexOf(name)] ?? '').trim();
  const number = numberIn(cell('number'), countryCode);
  if (typeof number === 'string') return number;
  const category = categoryIn(cell('category'));
  if (category === undefined) return 'category';
  const proof = cell('proof');
  if (proof.length > maxProofLength) return 'proof';
  const written = cell('since');
  if (written === '') return { ...number, category, proof };
  const isDay = /^\d{4}-\d\d-\d\d$/.test(written);
  const time = parseTime(isDay ? `${written}T00:00Z` : written);
  if (!time.ok) return 'since';
  const since = isDay ? beginningOf(written, timeZone) : time.value;
  if (since > now || since < 0) return 'since';
  return { ...number, category, proof, since };
}

function beginningOf(day: string, timeZone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
}

function categoryIn(written: string): OptOutCategory | undefined {
  if (written === '') return 'all';
  const given = written.toLowerCase();
  return optOutCategories.find((category) => given === category || given === categoriesInSwedish[category]);
}
