/** How much room the store takes. */
import { byDialect, sql } from './sql.ts';
import { readVerb } from './verb.ts';

/** In bytes. */
export const readSize = readVerb('storage.readSize', async (reading, _: null): Promise<number> => {
  const size = await reading.first<{ bytes: number }>(
    sql`SELECT ${byDialect({
      sqlite: 'page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
      postgres: 'pg_database_size(current_database()) AS bytes',
    })}`,
  );
  return size?.bytes ?? 0;
});
