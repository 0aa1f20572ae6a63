/** Lists as files of JSON lines, made in pieces from pages of the store: each line is a JSON text of its own. */

import { fileHeaders } from './file-headers.ts';
import { SlicedAnswer } from './sliced-answer.ts';

const linesInSlice = 250;

/** The first page is there before the answer begins: till then it may be a fault. When the client goes, no further page is asked for. */
export async function linesInSlices(
  fileName: string,
  pages: AsyncGenerator<readonly object[]>,
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(): AsyncGenerator<string> {
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        // Between slices it is seen that the client has gone.
        if (page.value.length === 0) yield '';
        for (let from = 0; from < page.value.length; from += linesInSlice)
          yield page.value
            .slice(from, from + linesInSlice)
            .map((line) => `${JSON.stringify(line)}\n`)
            .join('');
      }
    } finally {
      await pages.return(undefined);
    }
  }
  return new SlicedAnswer(fileHeaders(fileName, 'application/jsonl; charset=utf-8'), slices());
}
