/** Reads a CSV file of contacts from memory, row by row, taking turns with all other work. */
import { ServiceError } from '../../foundation/errors.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { BodyBlocks } from '../../http/body/body.ts';
import { CsvReader, type CsvRecord, delimiterOf, titleAbove } from '../../wire/csv-rows.ts';
import { type ContactChange, ListedContacts } from '../contact.ts';
import { type CsvFault, RowReader, twinSentence } from '../csv.ts';
import {
  type Encoding,
  encodingOf,
  faultsOfColumns,
  guessedColumns,
  ignored,
  piecesOf,
  tellContacts,
} from './file-form.ts';

/** A county's address book has this many; the keys for finding duplicates take about 50 MB while the file is read. */
export const maxRows = 100_000;
const maxColumns = 300;
/** Enough for a first look; once these are fixed, the next attempt shows the others. */
export const maxShownFaults = 100;
/** Contacts per transaction: see `changeManyContacts`. */
const setSize = 300;

export interface ContactFile {
  readonly bytes: BodyBlocks;
  /** The meaning of each column; undefined when the column names decide. */
  readonly columns: readonly string[] | undefined;
  /** Replaces a single leading zero of a phone number. */
  readonly countryCode: string | undefined;
}

export interface FileColumn {
  readonly head: string;
  readonly field: string;
}

export interface FileReading {
  readonly encoding: Encoding;
  readonly delimiter: string;
  readonly columns: readonly FileColumn[];
  readonly rows: number;
  /** The first faults. */
  readonly faults: readonly CsvFault[];
  readonly faultyRows: number;
}

export interface ReadingTurns {
  readonly turns: Turns;
  readonly owner: TaskOwner;
  /** Is aborted when nobody waits for the reading any more. */
  readonly signal?: AbortSignal;
}

/** Returns the rows without faults in sets. */
export async function readContactFile(
  file: ContactFile,
  { turns, owner, signal }: ReadingTurns,
  take: (changes: readonly ContactChange[]) => Promise<void>,
): Promise<FileReading> {
  const encoding = await turns.run(owner, encodingOf(file.bytes));
  const decoder = new TextDecoder(encoding);
  const beginning = decoder.decode(file.bytes.blocks[0]?.subarray(0, Math.min(65_536, file.bytes.length)));
  const delimiter = delimiterOf(beginning);
  const csv = new CsvReader(delimiter);
  const rows = new FileRows(file, { beginning, delimiter }, take);
  const read = async (piece: string, isLast: boolean) => {
    for (const record of csv.read(piece, isLast)) await rows.add(record);
    if (csv.broken === undefined) return;
    const { line, sentence } = csv.broken;
    throw refusal({ sentence: 'file_broken', line, wrong: sentence });
  };
  const streaming = new TextDecoder(encoding);
  for (const piece of piecesOf(file.bytes)) {
    await turns.next(owner);
    signal?.throwIfAborted();
    await read(streaming.decode(piece, { stream: true }), false);
  }
  await read(streaming.decode(), true);
  await rows.end();
  return { encoding, delimiter, ...rows.result() };
}

function refusal(said: Sentence): ServiceError {
  return new ServiceError('invalid_value', said);
}

interface FileForm {
  readonly beginning: string;
  readonly delimiter: string;
}

class FileRows {
  readonly #file: ContactFile;
  readonly #form: FileForm;
  readonly #take: (changes: readonly ContactChange[]) => Promise<void>;
  readonly #listed = new ListedContacts<number>();
  readonly #faults: CsvFault[] = [];
  #columns: readonly FileColumn[] = [];
  #reader: RowReader | undefined;
  #set: ContactChange[] = [];
  #rows = 0;
  #faultyRows = 0;

  constructor(file: ContactFile, form: FileForm, take: (changes: readonly ContactChange[]) => Promise<void>) {
    this.#file = file;
    this.#form = form;
    this.#take = take;
  }

  async add({ cells, line }: CsvRecord): Promise<void> {
    if (this.#reader === undefined) {
      this.#begin(cells);
      return;
    }
    this.#rows += 1;
    if (this.#rows > maxRows) throw refusal({ sentence: 'file_rows', most: maxRows });
    const change = this.#reader.read(cells);
    if ('wrong' in change) {
      this.#fault(line, change.wrong);
      return;
    }
    const twin = this.#listed.add(change, line);
    if (twin !== undefined) {
      this.#fault(line, [twinSentence(change, twin)]);
      return;
    }
    this.#set.push(change);
    if (this.#set.length === setSize) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#reader === undefined) throw refusal({ sentence: 'file_empty' });
    if (this.#set.length > 0) await this.#flush();
  }

  result() {
    return { columns: this.#columns, rows: this.#rows, faults: this.#faults, faultyRows: this.#faultyRows };
  }

  #begin(written: readonly string[]): void {
    const head = written.map((name) => name.trim());
    if (head.length > maxColumns)
      throw refusal({ sentence: 'file_columns', most: maxColumns, columns: head.length });
    const columns = this.#columnsFor(head);
    const faults = faultsOfColumns(columns, head);
    this.#columns = head.map((name, place) => ({ head: name, field: columns[place] ?? '-' }));
    const title = this.#titleAbove(head, columns, faults.length > 0);
    if (title !== undefined || faults.length > 0)
      throw new ServiceError('invalid_value', title ?? (faults[0] as string), {
        body: { columns: this.#columns },
      });
    this.#reader = new RowReader(columns, this.#file.countryCode);
  }

  /** A caller who gives the columns' meanings may leave out the last columns if these have no name. */
  #columnsFor(head: readonly string[]): readonly string[] {
    const { columns } = this.#file;
    if (columns === undefined) return guessedColumns(head);
    const others = head.slice(columns.length);
    return others.every((name) => name === '') ? [...columns, ...others.map(() => ignored)] : columns;
  }

  /**
   * When the caller gives the columns' meanings, a title line would be taken for the column names, and the column names for a
   * contact.
   */
  #titleAbove(head: readonly string[], columns: readonly string[], isFaulty: boolean): string | undefined {
    const isAlone = head.filter((name) => name !== '').length === 1;
    if (!isFaulty && !(isAlone && columns.filter((column) => column !== ignored).length > 1))
      return undefined;
    const { beginning: text, delimiter } = this.#form;
    const areNames = (cells: readonly string[]) => tellContacts(guessedColumns(cells));
    const title = titleAbove({ text, areNames }, delimiter);
    return title && `Line ${title.line}: ${title.sentence}.`;
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
