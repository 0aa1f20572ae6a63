/** Gives all contacts of a book as CSV, a page at a time, so that a large book needs no large memory. */
import type { Store } from '../storage/store.ts';
import { writeCsvRows } from '../wire/csv.ts';
import type { Contact } from './contact.ts';
import { listContacts } from './contact-store.ts';
import { csvColumns, csvRow } from './csv.ts';

const pageSize = 1_000;

/** All of a book, in the order of their ids. */
export async function* contactPages(store: Store, bookId: number): AsyncGenerator<readonly Contact[]> {
  let afterId = 0;
  for (;;) {
    const page = await store.read(listContacts, { bookId, afterId, limit: pageSize });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterId = last.id;
  }
}

export async function* exportContacts(store: Store, bookId: number): AsyncGenerator<string> {
  yield writeCsvRows([csvColumns]);
  for await (const page of contactPages(store, bookId)) yield writeCsvRows(page.map(csvRow));
}
