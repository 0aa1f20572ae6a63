/** What the user fills in for a new batch, and the call that it becomes. */
import type { Edits, Mapping, Table } from './table/table.ts';

export interface BatchDraft {
  /** Pasted text survives a reload; a file has to be chosen again. */
  readonly pasted: string;
  readonly message: string;
  readonly name: string;
  readonly from: string;
  /** Value of the date-time field, in the browser's time zone. */
  readonly begins: string;
  readonly countryCode: string;
  readonly replaces: boolean;
  /** Whether rows with problems are left out; absent: no. */
  readonly skips?: boolean;
  readonly edits?: Edits;
  /** Column names. Undefined means the number column that the table suggests, or the common text. */
  readonly numberColumn: string | undefined;
  readonly textColumn: string | undefined;
}

export const blankDraft: BatchDraft = {
  pasted: '',
  message: '',
  name: '',
  from: '',
  begins: '',
  countryCode: '',
  replaces: false,
  numberColumn: undefined,
  textColumn: undefined,
};

/** In the text, a field is its column name in braces. */
export function fieldOf(column: string): string {
  return `{${column}}`;
}

export function mappingOf(draft: BatchDraft, table: Table): Mapping {
  const { columns } = table;
  const at = (name: string | undefined) => {
    const place = name === undefined ? -1 : columns.indexOf(name);
    return place < 0 ? undefined : place;
  };
  const fields = columns.flatMap((column, place) => (draft.message.includes(fieldOf(column)) ? [place] : []));
  return { number: at(draft.numberColumn) ?? table.numberColumn, text: at(draft.textColumn), fields };
}

/** Returns the parameters of the call without its recipients. */
export function fieldsOf(
  draft: BatchDraft,
  table: Table,
  mapping: Mapping,
): Readonly<Record<string, unknown>> {
  const { message, name, from, begins, countryCode, replaces, skips } = draft;
  const given = {
    name: name.trim(),
    from: from.trim(),
    defaultcountrycode: countryCode.replace(/\D/g, ''),
    scheduletime: begins === '' ? '' : new Date(begins).toISOString(),
    message: mapping.text === undefined ? message : '',
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    ...(replaces ? { replacecharacters: true } : {}),
    ...(skips ? { skipFaulty: true } : {}),
    ...(mapping.text === undefined && mapping.fields.length > 0
      ? { holders: mapping.fields.map((place) => fieldOf(table.columns[place] ?? '')) }
      : {}),
  };
}

/** Forgets what was decided about the rows of a table that is replaced by another. */
export const untouched = { skips: false, edits: {} };

/** Whether two drafts say the same. */
export function isSameDraft(one: BatchDraft, other: BatchDraft): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof BatchDraft)[];
  return names.every((name) => one[name] === other[name]);
}
