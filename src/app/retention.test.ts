import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { purgeOnce } from '../../test/harness/purge-once.ts';
import { plant, readColumns } from '../../test/harness/search-verbs.ts';
import { listRows } from '../../test/harness/storage-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { databasePath, openDatabase } from '../storage/sqlite/database.ts';
import { migrateSqlite } from '../storage/sqlite/migrate.ts';
import { agedRows } from './retention.ts';

test('[RUN-6] The purge by age finds rows by their whole primary key, so that nothing younger is removed', () => {
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
  test('[RUN-6] The purge by age deletes from each table what is older than its time, and nothing younger', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(putCompany, { id: 1, name: 'Care' });
    for (const id of [1, 2]) await store.write(putUser, { id, companyId: 1, username: `user${id}` });
    for (const username of ['1', '2'])
      await store.write(plant, { table: 'operators', values: { username, password_hash: 'x' } });
    const columns = await store.read(readColumns, null);
    const now = Date.UTC(2027, 0, 31);
    for (const rows of agedRows) {
      const { table, time, where = '', keptMs = 0 } = rows;
      const oldest = now - keptMs;
      // Every value but the time is 1 in one row and 2 in the other; other columns that the condition names are null.
      for (const [filling, at] of [[1, oldest - 1] as const, [2, oldest] as const]) {
        const values = columns
          .filter(({ name, ...column }) => column.table === table && (name === time || !where.includes(name)))
          .map(({ name, isText }) => [name, name === time ? at : isText ? String(filling) : filling]);
        await store.write(plant, { table, values: Object.fromEntries(values) });
      }
      const purged = await purgeOnce(store, [rows], { now, before: now });
      const left = await store.read(listRows, [table]);
      expect({ table, purged, left }).toEqual({
        table,
        purged: 1,
        left: [expect.stringContaining(`"${time}":${oldest}`)],
      });
    }
  });
});
