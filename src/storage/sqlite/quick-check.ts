/**
 * Checks a database for inconsistent pages (`PRAGMA quick_check`), one table at a time in a separate thread. No other
 * read waits for it, and the write-ahead log can be emptied between two tables.
 */

import { raw, sql } from '../sql.ts';
import { StoreDamaged } from '../store.ts';
import { readVerb } from '../verb.ts';
import type { StoreThread } from './store-thread.ts';

export const listTables = readVerb('storage.listTables', async (reading, _: null) =>
  (await reading.all<{ name: string }>(sql`SELECT name FROM sqlite_schema WHERE type = 'table'`)).map(
    ({ name }) => name,
  ),
);

/** Table names come from our own code. */
export const quickCheck = readVerb('storage.quickCheck', async (reading, table: string) => {
  const rows = await reading.all<{ quick_check: string }>(sql`PRAGMA quick_check(${raw(`"${table}"`)})`);
  return rows.map(({ quick_check: said }) => said).filter((said) => said !== 'ok');
});

export async function checkQuickly(
  start: () => StoreThread,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const thread = start();
  const end = () => void thread.end();
  signal.addEventListener('abort', end);
  try {
    signal.throwIfAborted();
    await thread.ready;
    const found: string[] = [];
    for (const table of await thread.read(listTables, null)) {
      const said = await thread.read(quickCheck, table).catch((error: unknown) => {
        if (error instanceof StoreDamaged) return [(error.cause as Error).message];
        throw error;
      });
      signal.throwIfAborted();
      found.push(...said.map((sentence) => `table ${table}: ${sentence}`));
    }
    return found;
  } finally {
    signal.removeEventListener('abort', end);
    await thread.close();
  }
}
