/** The value by which a store recognises the server secret that it belongs to. The secret can't be derived from it. */
import { hkdfSync } from 'node:crypto';
import { sql } from './sql.ts';
import { type Reading, readVerb, singleWriteVerb } from './verb.ts';

export function secretCheck(serverSecret: string): string {
  return Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon check of the secret 1', 32)).toString(
    'hex',
  );
}

/** The table has one row. */
export function secretTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE secret_checks (
        id SMALLINT NOT NULL PRIMARY KEY,
        check_value TEXT NOT NULL
      )${clustered}`,
  ];
}

async function keptCheck(reading: Reading): Promise<string | undefined> {
  const row = await reading.first<{ check_value: string }>(
    sql`SELECT check_value FROM secret_checks WHERE id = 1`,
  );
  return row?.check_value;
}

export const readSecretCheck = readVerb('storage.readSecretCheck', (reading, _: null) => keptCheck(reading));

/** If several are stored at once, the first wins. Returns the value that is stored now. */
export const keepSecretCheck = singleWriteVerb(
  'storage.keepSecretCheck',
  async (transaction, { check, replace }: { readonly check: string; readonly replace: boolean }) => {
    await transaction.run(
      sql`INSERT INTO secret_checks (id, check_value) VALUES (1, ${check}) ON CONFLICT (id) DO NOTHING`,
    );
    if (replace) await transaction.run(sql`UPDATE secret_checks SET check_value = ${check} WHERE id = 1`);
    return keptCheck(transaction);
  },
);
