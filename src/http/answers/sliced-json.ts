/** Lists of megabytes as JSON, in slices. */
import { jsonHeaders } from './respond.ts';
import { SlicedAnswer } from './sliced-answer.ts';

const itemsInSlice = 500;

/** `{"name":[…]}` from pages of its items. The first page is there before the answer begins: till then it may be a fault. */
export async function listInSlices(
  name: string,
  pages: AsyncGenerator<readonly unknown[]>,
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(): AsyncGenerator<string> {
    yield `{${JSON.stringify(name)}:[`;
    let separator = '';
    for (let page = first; page.done !== true; page = await pages.next()) {
      for (let from = 0; from < page.value.length; from += itemsInSlice) {
        yield separator + JSON.stringify(page.value.slice(from, from + itemsInSlice)).slice(1, -1);
        separator = ',';
      }
    }
    yield ']}';
  }
  return new SlicedAnswer(jsonHeaders, slices());
}
