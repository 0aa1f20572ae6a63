/** The timeline of a run as a table for spreadsheets (JOB-14). Separate from the store's verbs, which load no package. */
import { writeCsvRows } from '../wire/csv.ts';
import { type Named, type RunRecord, recordedEntry } from './record.ts';

interface NamedEntries extends Pick<RunRecord, 'entries'> {
  readonly people: readonly Named[];
}

/** Writes a header row, and a row for each entry. */
export function recordAsCsv({ entries, people }: NamedEntries): string {
  const rows = entries.map((entry) => {
    const { at, what, by, people: named, detail } = recordedEntry(entry, people);
    return [at, what, by, named.join('; '), detail];
  });
  return writeCsvRows([['at', 'what', 'by', 'people', 'detail'], ...rows]);
}
