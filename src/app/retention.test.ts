import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eachStore } from '../../test/harness/stores.ts';
import { purgeAged } from '../storage/retention.ts';
import { databasePath, openDatabase } from '../storage/sqlite/database.ts';
import { migrateSqlite } from '../storage/sqlite/migrate.ts';
import { agedRows } from './retention.ts';

test('[RUN-6] what is purged by its age is found by the whole primary key, so that nothing younger goes with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-retention-'));
  const database = openDatabase(databasePath(folder));
  migrateSqlite(database);
  const columns = database.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk');
  const keyOf = (table: string) =>
    (columns.all(table) as { name: string }[]).map(({ name }) => name).join(', ') || 'rowid';
  const keys = agedRows.map(({ table }) => [table, keyOf(table)]);
  database.close();
  rmSync(folder, { recursive: true });
  expect(agedRows.map(({ table, key }) => [table, key])).toEqual(keys);
});

eachStore('what is purged by its age', (engine) => {
  test('[RUN-6] is looked for in every table that is declared', async () => {
    const { store } = await engine.openFreshStore();
    for (const rows of agedRows) expect(await store.write(purgeAged, { rows, now: 2, before: 1 })).toBe(0);
  });
});
