/** Reads a CSV file of contacts from memory, row by row, taking turns with all other work. */
import { ServiceError } from '../../foundation/errors.ts';
import { type Sentence, storedReason } from '../../foundation/sentences.ts';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { BodyBlocks } from '../../http/body/body.ts';
import {
  CsvReader,
  type CsvRecord,
  delimiterOf,
  firstRows,
  type TitleAbove,
  titleAbove,
} from '../../wire/csv-rows.ts';
import { type ContactChange, ListedContacts } from '../contact.ts';
import { type CsvFault, type RowFault, RowReader, twinSentence } from '../csv.ts';
import { type CauseOfFaults, FaultCauses } from './fault-causes.ts';
import {
  type ColumnMeanings,
  type Encoding,
  encodingOf,
  faultsOfColumns,
  guessedColumns,
  ignored,
  type Join,
  joinedCells,
  piecesOf,
  tellContacts,
  writtenJoins,
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
  /** Undefined when the column names decide, unless `columns` is given. */
  readonly joins?: readonly Join[] | undefined;
  /** The line of the column names. Undefined for the first row. */
  readonly headRow?: number | undefined;
  /** Replaces a single leading zero of a phone number. */
  readonly countryCode: string | undefined;
}

export interface FileColumn {
  readonly head: string;
  readonly field: string;
  /** What the column has in the first rows, cut short. */
  readonly samples: readonly string[];
}

export interface FileReading {
  readonly encoding: Encoding;
  readonly delimiter: string;
  readonly columns: readonly FileColumn[];
  readonly joins: readonly string[];
  /** The line where the row with the column names ends. */
  readonly headRow: number;
  readonly rows: number;
  /** The first faults. */
  readonly faults: readonly (Pick<CsvFault, 'line'> & RowFault)[];
  readonly faultyRows: number;
  readonly causes: readonly CauseOfFaults[];
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
  // A workbook, for example.
  if (beginning.includes('\0')) throw refusal({ sentence: 'file_not_text' });
  const delimiter = delimiterOf(beginning, undefined, file.headRow);
  const csv = new CsvReader(delimiter);
  const rows = new FileRows(file, { beginning, delimiter }, take);
  const read = async (piece: string, isLast: boolean) => {
    for (const record of csv.read(piece, isLast)) await rows.add(record);
    if (csv.broken === undefined) return;
    const { line, said } = csv.broken;
    throw refusal({ sentence: 'file_broken', line, wrong: storedReason(said) });
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

const shownRows = 5;
const maxSampleLength = 60;

class FileRows {
  readonly #file: ContactFile;
  readonly #form: FileForm;
  readonly #take: (changes: readonly ContactChange[]) => Promise<void>;
  readonly #listed = new ListedContacts<number>();
  readonly #faults: (Pick<CsvFault, 'line'> & RowFault)[] = [];
  readonly #causes = new FaultCauses();
  #columns: readonly FileColumn[] = [];
  #joins: readonly Join[] = [];
  #headRow = 0;
  #reader: RowReader | undefined;
  #set: ContactChange[] = [];
  /** Whether there is any row, perhaps above the column names. */
  #hasRows = false;
  #rows = 0;
  #faultyRows = 0;

  constructor(file: ContactFile, form: FileForm, take: (changes: readonly ContactChange[]) => Promise<void>) {
    this.#file = file;
    this.#form = form;
    this.#take = take;
  }

  async add({ cells, line }: CsvRecord): Promise<void> {
    if (this.#reader === undefined) {
      if (line >= (this.#file.headRow ?? 1)) this.#begin(cells, line);
      this.#hasRows = true;
      return;
    }
    this.#rows += 1;
    if (this.#rows > maxRows) throw refusal({ sentence: 'file_rows', most: maxRows });
    const change = this.#reader.read(joinedCells(cells, this.#joins));
    if ('wrong' in change) {
      this.#fault(line, change.wrong);
      return;
    }
    const twin = this.#listed.add(change, line);
    if (twin !== undefined) {
      this.#fault(line, [{ cause: 'twice', said: twinSentence(change, twin) }]);
      return;
    }
    this.#causes.addNumber(change);
    this.#set.push(change);
    if (this.#set.length === setSize) await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#reader === undefined)
      throw refusal(
        this.#hasRows
          ? { sentence: 'file_head_row', line: this.#file.headRow ?? 1 }
          : { sentence: 'file_empty' },
      );
    if (this.#set.length > 0) await this.#flush();
  }

  result() {
    return {
      columns: this.#columns,
      joins: writtenJoins(this.#joins),
      headRow: this.#headRow,
      rows: this.#rows,
      faults: this.#faults,
      faultyRows: this.#faultyRows,
      causes: this.#causes.result(),
    };
  }

  #begin(written: readonly string[], line: number): void {
    const head = written.map((name) => name.trim());
    if (head.length > maxColumns)
      throw refusal({ sentence: 'file_columns', most: maxColumns, columns: head.length });
    const meanings = this.#meaningsOf(head);
    const { columns } = meanings;
    const faults = faultsOfColumns(meanings, head);
    this.#joins = meanings.joins;
    this.#headRow = line;
    const { beginning, delimiter } = this.#form;
    const first = firstRows(beginning, delimiter, line + 1).slice(0, shownRows);
    this.#columns = head.map((name, place) => ({
      head: name,
      field: columns[place] ?? ignored,
      samples: first.map(({ cells }) => (cells[place] ?? '').trim().slice(0, maxSampleLength)),
    }));
    const title = this.#titleAbove(head, columns, faults.length > 0);
    if (title !== undefined || faults.length > 0)
      throw new ServiceError('invalid_value', title?.said ?? (faults[0] as Sentence), {
        body: {
          columns: this.#columns,
          joins: writtenJoins(this.#joins),
          headRow: title?.namesLine ?? line,
        },
      });
    this.#reader = new RowReader(columns, this.#file.countryCode);
  }

  /** A caller who gives the columns' meanings may leave out the last columns if these have no name. */
  #meaningsOf(head: readonly string[]): ColumnMeanings {
    const { columns, joins = [] } = this.#file;
    if (columns === undefined) return { ...guessedColumns(head), ...(joins.length > 0 && { joins }) };
    const others = head.slice(columns.length);
    const areNameless = others.every((name) => name === '');
    return { columns: areNameless ? [...columns, ...others.map(() => ignored)] : columns, joins };
  }

  /**
   * When the caller gives the columns' meanings, a title line would be taken for the column names, and the column names for a
   * contact.
   */
  #titleAbove(
    head: readonly string[],
    columns: readonly string[],
    isFaulty: boolean,
  ): TitleAbove | undefined {
    // A caller who says where the column names stand has seen what is above them.
    if (this.#file.headRow !== undefined) return undefined;
    const isAlone = head.filter((name) => name !== '').length === 1;
    if (!isFaulty && !(isAlone && columns.filter((column) => column !== ignored).length > 1))
      return undefined;
    const { beginning: text, delimiter } = this.#form;
    const areNames = (cells: readonly string[]) => tellContacts(guessedColumns(cells).columns);
    const title = titleAbove({ text, areNames }, delimiter);
    if (title === undefined) return undefined;
    return { ...title, said: { sentence: 'title_in_line', line: title.line, why: storedReason(title.said) } };
  }

  #fault(line: number, faults: readonly RowFault[]): void {
    this.#faultyRows += 1;
    this.#causes.addRow(line, faults);
    for (const fault of faults)
      if (this.#faults.length < maxShownFaults) this.#faults.push({ line, ...fault });
  }

  async #flush(): Promise<void> {
    const set = this.#set;
    this.#set = [];
    await this.#take(set);
  }
}
