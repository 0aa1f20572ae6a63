/** Lists as CSV files, made in pieces from pages of the store. */
import { type CsvRow, writeCsvRows } from '../../wire/csv.ts';
import { fileHeaders } from './file-headers.ts';
import { SlicedAnswer } from './sliced-answer.ts';

/** By which spreadsheets know that a file is UTF-8. */
const byteOrderMark = '\u{feff}';

const rowsInSlice = 250;

/**
 * The head and the rows of some pages. The first page is there before the answer begins: till then it may be a fault.
 * When the client goes, no further page is asked for.
 */
export async function csvInSlices(
  fileName: string,
  head: CsvRow,
  pages: AsyncGenerator<readonly CsvRow[]>,
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(): AsyncGenerator<string> {
    yield byteOrderMark + writeCsvRows([head]);
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        // Between slices it is seen that the client has gone.
        if (page.value.length === 0) yield '';
        for (let from = 0; from < page.value.length; from += rowsInSlice)
          yield writeCsvRows(page.value.slice(from, from + rowsInSlice));
      }
    } finally {
      await pages.return(undefined);
    }
  }
  return new SlicedAnswer(fileHeaders(fileName, 'text/csv; charset=utf-8'), slices());
}
