/** Gives all contacts of a book as CSV, a page at a time, so that a large book needs no large memory. */
import type { Store } from '../storage/store.ts';
import { listContacts } from './contact-store.ts';
import { csvHead, writeCsv } from './csv.ts';

const pageSize = 1_000;

export async function* exportContacts(store: Store, bookId: number): AsyncGenerator<string> {
  yield csvHead();
  let afterId = 0;
  for (;;) {
    const page = await store.read(listContacts, { bookId, afterId, limit: pageSize });
    const last = page.at(-1);
    if (last === undefined) return;
    yield writeCsv(page);
    afterId = last.id;
  }
}
