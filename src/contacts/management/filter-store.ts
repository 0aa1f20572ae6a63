/** All SQL by which people keep the saved filters of a book, one at a time. */
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { sql } from '../../storage/sql.ts';
import { singleWriteVerb, snapshotVerb } from '../../storage/verb.ts';
import { lockBook } from '../lock-books.ts';
import { managedEntries } from '../managed-entries.ts';
import type { BookChange } from './visible-books.ts';

interface NamePage {
  readonly bookId: number;
  /** Undefined: from the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface SavedFilter {
  readonly name: string;
  /** In string notation. */
  readonly filter: string;
  readonly managed: boolean;
}

/** In the order of their names, each engine's own. */
export const listFilters = snapshotVerb(
  'contacts.listFilters',
  async (reading, { bookId, after, limit }: NamePage): Promise<readonly SavedFilter[]> => {
    const behind = after === undefined ? sql`` : sql`AND name > ${after}`;
    const rows = await reading.all<{ name: string; filter: string }>(
      sql`SELECT name, filter FROM saved_tag_filters WHERE book_id = ${bookId} ${behind} ORDER BY name LIMIT ${limit}`,
    );
    const managed = await managedEntries(reading, bookId, 'savedTagFilters');
    return rows.map(({ name, filter }) => ({ name, filter, managed: managed.has(name) }));
  },
);

export interface FilterChange extends BookChange {
  readonly name: string;
  readonly isNew: boolean;
  /** Undefined: it is to go. */
  readonly filter: string | undefined;
  /** The filter as it was when the change was decided on; undefined: whatever it is. */
  readonly was: string | undefined;
}

export type FilterOutcome = 'written' | 'notFound' | 'managed' | 'taken' | 'changedMeanwhile';

export const changeFilter = singleWriteVerb(
  'contacts.changeFilter',
  async (transaction, change: FilterChange): Promise<FilterOutcome> => {
    const { bookId, name, isNew, filter, was } = change;
    if (!(await lockBook(transaction, bookId))) return 'notFound';
    if ((await managedEntries(transaction, bookId, 'savedTagFilters')).has(name)) return 'managed';
    const saved = await transaction.first<{ filter: string }>(
      sql`SELECT filter FROM saved_tag_filters WHERE book_id = ${bookId} AND name = ${name}`,
    );
    if (isNew && saved !== undefined) return 'taken';
    if (!isNew && saved === undefined) return 'notFound';
    if (was !== undefined && saved?.filter !== was) return 'changedMeanwhile';
    await transaction.run(
      filter === undefined
        ? sql`DELETE FROM saved_tag_filters WHERE book_id = ${bookId} AND name = ${name}`
        : sql`INSERT INTO saved_tag_filters (book_id, name, filter) VALUES (${bookId}, ${name}, ${filter})
              ON CONFLICT (book_id, name) DO UPDATE SET filter = excluded.filter`,
    );
    const { companyId, now: at } = change;
    await recordAct(transaction, {
      companyId,
      at,
      by: byUser(change),
      act: filter === undefined ? 'filter.remove' : 'filter.save',
      object: name,
      details: `address book ${bookId}`,
    });
    return 'written';
  },
);
