/** Reads a CSV file of contacts as it lies in memory, row by row and in turns with all other work. */
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { ServiceError } from '../../foundation/errors.ts';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { BodyBlocks } from '../../http/body/blocks.ts';
import { type ContactChange, ListedContacts } from '../contact.ts';
import { type CsvFault, type CsvRecord, RowReader, twinSentence } from '../csv.ts';
import {
  type Delimiter,
  delimiterOf,
  type Encoding,
  encodingOf,
  faultsOfColumns,
  guessedColumns,
  piecesOf,
} from './file-form.ts';

/** A book of a county has as many; their marks, by which twins are found, take some 50 MB meanwhile. */
export const maxRows = 100_000;
const maxColumns = 300;
/** Of one row: with more, a quote has no end. */
const maxRowBytes = 65_536;
/** A first look at what is wrong: whoever mends these finds the rest by the next try. */
export const maxShownFaults = 100;
/** Contacts in a transaction: see `changeManyContacts`. */
const setSize = 300;

export interface ContactFile {
  readonly bytes: BodyBlocks;
  /** What each column is; undefined: as their names say. */
  readonly columns: readonly string[] | undefined;
  /** Takes the place of a single leading zero of a phone number. */
  readonly countryCode: string | undefined;
}

export interface FileColumn {
  readonly head: string;
  readonly field: string;
}

export interface FileReading {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly columns: readonly FileColumn[];
  readonly rows: number;
  /** The first of them. */
  readonly faults: readonly CsvFault[];
  readonly faultyRows: number;
}

export interface ReadingTurns {
  readonly turns: Turns;
  readonly owner: TaskOwner;
}

/** Gives the rows without faults in sets. */
export async function readContactFile(
  file: ContactFile,
  { turns, owner }: ReadingTurns,
  take: (changes: readonly ContactChange[]) => Promise<void>,
): Promise<FileReading> {
  const encoding = await turns.run(owner, encodingOf(file.bytes));
  const decoder = new TextDecoder(encoding);
  const delimiter = delimiterOf(
    decoder.decode(file.bytes.blocks[0]?.subarray(0, Math.min(65_536, file.bytes.length))),
  );
  const rows = new FileRows(file, take);
  async function* texts(): AsyncGenerator<string> {
    const streaming = new TextDecoder(encoding);
    for (const piece of piecesOf(file.bytes)) {
      await turns.next(owner);
      yield streaming.decode(piece, { stream: true });
    }
    yield streaming.decode();
  }
  const options = {
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
  };
  try {
    await pipeline(texts, parse(options), async (records: AsyncIterable<CsvRecord>) => {
      for await (const record of records) await rows.add(record);
      await rows.end();
    });
  } catch (error) {
    throw isOfCsv(error)
      ? refusal(`The file is no CSV from line ${error.lines} on: ${error.message}. Nothing was imported.`)
      : error;
  }
  return { encoding, delimiter, ...rows.told() };
}

function isOfCsv(error: unknown): error is Error & { readonly lines: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_');
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('invalid_value', sentence);
}

class FileRows {
  readonly #file: ContactFile;
  readonly #take: (changes: readonly ContactChange[]) => Promise<void>;
  readonly #listed = new ListedContacts<number>();
  readonly #faults: CsvFault[] = [];
  #columns: readonly FileColumn[] = [];
  #reader: RowReader | undefined;
  #set: ContactChange[] = [];
  #rows = 0;
  #faultyRows = 0;

  constructor(file: ContactFile, take: (changes: readonly ContactChange[]) => Promise<void>) {
    this.#file = file;
    this.#take = take;
  }

  async add({ record, info }: CsvRecord): Promise<void> {
    if (this.#reader === undefined) {
      this.#begin(record);
      return;
    }
    this.#rows += 1;
    if (this.#rows > maxRows)
      throw refusal(`A file has at most ${maxRows} rows: split it. Nothing was imported.`);
    const change = this.#reader.read(record);
    if ('wrong' in change) {
      this.#fault(info.lines, change.wrong);
      return;
    }
    const twin = this.#listed.add(change, info.lines);
    if (twin !== undefined) {
      this.#fault(info.lines, [twinSentence(change, twin)]);
      return;
    }
    this.#set.push(change);
    if (this.#set.length === setSize) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#reader === undefined) throw refusal('The file is empty.');
    if (this.#set.length > 0) await this.#flush();
  }

  told() {
    return { columns: this.#columns, rows: this.#rows, faults: this.#faults, faultyRows: this.#faultyRows };
  }

  #begin(written: readonly string[]): void {
    const head = written.map((name, place) => (place === 0 ? name.replace(/^\u{feff}/u, '') : name).trim());
    if (head.length > maxColumns)
      throw refusal(`A file has at most ${maxColumns} columns, and this one has ${head.length}.`);
    const columns = this.#file.columns ?? guessedColumns(head);
    const faults = faultsOfColumns(columns, head);
    this.#columns = head.map((name, place) => ({ head: name, field: columns[place] ?? '-' }));
    if (faults.length > 0)
      throw new ServiceError('invalid_value', faults[0] as string, { body: { columns: this.#columns } });
    this.#reader = new RowReader(columns, this.#file.countryCode);
  }

  #fault(line: number, sentences: readonly string[]): void {
    this.#faultyRows += 1;
    for (const sentence of sentences)
      if (this.#faults.length < maxShownFaults) this.#faults.push({ line, sentence });
  }

  async #flush(): Promise<void> {
    const set = this.#set;
    this.#set = [];
    await this.#take(set);
  }
}
