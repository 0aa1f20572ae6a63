/**
 * Verbs on a table that exists only in tests, so that the store's handling of verbs is tested without the verbs of a
 * room.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { raiseNews, type Topic } from '../../src/storage/news.ts';
import { oneOf, orFail, raw, rowSet, sql } from '../../src/storage/sql.ts';
import type { Columns } from '../../src/storage/storable.ts';
import {
  inTurns,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  snapshotVerb,
  writeVerb,
} from '../../src/storage/verb.ts';
import { emptyTables } from './empty-tables.ts';

export interface Note {
  readonly writer: string;
  readonly number: number;
  readonly text: string;
  /** Whether the verb throws. */
  readonly poisoned?: boolean;
}

const columns: Columns = { writer: 'text', number: 'bigint', text: 'text' };

export const createNotes = singleWriteVerb('test.createNotes', async (transaction, _: null) => {
  await transaction.run(
    sql`CREATE TABLE notes (writer TEXT NOT NULL, number BIGINT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (writer, number))`,
  );
});

/** Returns how many notes shared the transaction, and this note's place among them. */
export const keepNotes = writeVerb('test.keepNotes', async (transaction, notes: readonly Note[]) => {
  const guilty = notes.find((note) => note.poisoned);
  if (guilty !== undefined) throw new Error(`note ${guilty.number} is poisoned`);
  await transaction.insert(
    'notes',
    columns,
    notes.map((note) => [note.writer, note.number, note.text]),
  );
  return notes.map((_, place) => ({ together: notes.length, place }));
});

/** Counts with the given weight, so that a few calls fill the store's queue. */
export const keepHeavyNote = refusable(
  singleWriteVerb(
    'test.keepHeavyNote',
    async (transaction, { weight, ...note }: Note & { readonly weight: number }) => {
      await transaction.insert('notes', columns, [[note.writer, note.number, note.text]]);
      return weight;
    },
    ({ weight }) => weight,
  ),
);

export const rewriteNotes = singleWriteVerb(
  'test.rewriteNotes',
  async (transaction, { writer, texts }: { writer: string; texts: readonly (readonly [number, string])[] }) =>
    transaction.run(
      sql`UPDATE notes SET text = given.text
          FROM ${rowSet('given', { number: 'bigint', text: 'text' }, texts)}
          WHERE notes.writer = ${writer} AND notes.number = given.number`,
    ),
);

/** Gives all notes of a writer the same number, which fails at the second of them. */
export const numberNotesAlike = singleWriteVerb(
  'test.numberNotesAlike',
  async (transaction, { writer, number }: { writer: string; number: number }) =>
    transaction.run(sql`UPDATE ${orFail} notes SET number = ${number} WHERE writer = ${writer}`),
);

export const removeNotes = singleWriteVerb(
  'test.removeNotes',
  async (transaction, { writer, numbers }: { writer: string; numbers: readonly number[] }) =>
    transaction.run(sql`DELETE FROM notes WHERE writer = ${writer} AND number ${oneOf('bigint', numbers)}`),
);

export const findNotes = readVerb('test.findNotes', async (reading, writer: string) =>
  reading.all<{ number: number; text: string }>(
    sql`SELECT number, text FROM notes WHERE writer = ${writer} ORDER BY number`,
  ),
);

export const countNotes = readVerb('test.countNotes', async (reading, writer: string) => {
  const row = await reading.first<{ notes: number; sum: number | null }>(
    sql`SELECT COUNT(*) AS notes, SUM(number) AS sum FROM notes WHERE writer = ${writer}`,
  );
  return row as { notes: number; sum: number | null };
});

/** Counts again after a pause in which others may have written. */
export const countNotesTwice = snapshotVerb('test.countNotesTwice', async (reading, writer: string) => {
  const counts: number[] = [];
  for (const waitMs of [0, 600]) {
    await delay(waitMs);
    counts.push((await countNotes.run(reading, writer)).notes);
  }
  return counts;
});

/** Returns one result too few, which a verb must not do. */
export const forgetAnswer = writeVerb('test.forgetAnswer', async (_, inputs: readonly null[]) =>
  inputs.slice(1).map(() => true),
);

/** Continues after a failed statement, which a verb must not do: the table refuses a second note with the same key. */
export const hideFault = singleWriteVerb('test.hideFault', async (transaction, note: Note) => {
  const row = [note.writer, note.number, note.text];
  await transaction.insert('notes', columns, [row]);
  try {
    await transaction.insert('notes', columns, [row]);
  } catch {
    return 'hidden';
  }
  return 'no fault';
});

/** Announces a change to an account or carrier without making it. */
export const announceChange = singleWriteVerb('test.announceChange', async (transaction, topic: Topic) =>
  raiseNews(transaction, topic),
);

/** Ends the store thread that runs it; in a process's main thread it would end the process. */
export const endThread = singleWriteVerb('test.endThread', async (): Promise<never> => process.exit());

/** Takes this long without using the processor. Returns the writer's number of notes. */
export const readAtLength = inTurns(
  readVerb(
    'test.readAtLength',
    async (
      reading,
      { ms, writer = '' }: { readonly owner: number; readonly ms: number; readonly writer?: string },
    ) => {
      if (ms > 0) await delay(ms);
      const row = await reading.first<{ notes: number }>(
        sql`SELECT COUNT(*) AS notes FROM notes WHERE writer = ${writer}`,
      );
      return row?.notes;
    },
  ),
  ({ owner }) => ({ companyId: owner, userId: owner }),
);

/** All tables except that of the schema versions. */
async function tablesOf(reading: Reading): Promise<string[]> {
  const rows = await reading.all<{ name: string }>(
    reading.dialect === 'sqlite'
      ? sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
      : sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  return rows
    .map(({ name }) => name)
    .filter((name) => name !== 'schema_versions')
    .sort();
}

/** All rows of these tables, each as a text. */
export const listRows = readVerb('test.listRows', async (reading, tables: readonly string[]) => {
  const rows: string[] = [];
  for (const table of tables) {
    const found = await reading.all<object>(sql`SELECT * FROM ${raw(table)}`);
    rows.push(...found.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  return rows.sort();
});

export const listTables = readVerb('test.listTables', (reading, _: null) => tablesOf(reading));

/** Restores the store to its initial state if it has these tables; returns false if its tables have changed. */
export const emptyStore = singleWriteVerb(
  'test.emptyStore',
  async (transaction, tables: readonly string[]): Promise<boolean> => {
    if ((await tablesOf(transaction)).join() !== tables.join()) return false;
    if (transaction.dialect === 'postgres') {
      await transaction.run(sql`${raw(emptyTables)}`);
      return true;
    }
    await transaction.run(sql`PRAGMA defer_foreign_keys = ON`);
    for (const name of tables) await transaction.run(sql`DELETE FROM ${raw(name)}`);
    return true;
  },
);
