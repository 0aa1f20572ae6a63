/** Numbers that users rent, and those of the pool, as the operator has set them up: all SQL that writes them. */
import { companyIds } from '../accounts/company-records.ts';
import { userIds } from '../accounts/user-records.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface NumberRecord {
  readonly number: string;
  /** The renter's username. */
  readonly rentedBy: string | undefined;
  /** Two-way SMS may be sent from it. */
  readonly pool: boolean;
  /** The name of the only company whose pool it is in. */
  readonly company: string | undefined;
}

interface Named {
  readonly numbers: readonly string[];
  /** Usernames. */
  readonly renters: readonly string[];
  /** Names of those whose numbers are all asked for, be they rented or of the pool. */
  readonly companies: readonly string[];
}

export async function readNumbers(
  reading: Reading,
  { numbers, renters, companies }: Named,
): Promise<readonly NumberRecord[]> {
  const rows = await reading.all<{
    number: string;
    renter: string | null;
    pool: number;
    company: string | null;
  }>(
    sql`SELECT number, username AS renter, pool, companies.name AS company
        FROM numbers LEFT JOIN users ON users.id = rented_by LEFT JOIN companies ON companies.id = numbers.company_id
        WHERE number ${oneOf('text', numbers)} OR companies.name ${oneOf('text', companies)}
          OR rented_by IN (SELECT id FROM users WHERE username ${oneOf('text', renters)}
            OR company_id IN (SELECT id FROM companies WHERE name ${oneOf('text', companies)}))`,
  );
  return rows.map(({ number, renter, pool, company }) => ({
    number,
    rentedBy: renter ?? undefined,
    pool: pool === 1,
    company: company ?? undefined,
  }));
}

const columns = { number: 'text', rented_by: 'bigint', pool: 'smallint', company_id: 'bigint' } as const;

/** Makes them, or changes those that are there. */
export async function putNumbers(transaction: Transaction, numbers: readonly NumberRecord[]): Promise<void> {
  const renters = await userIds(
    transaction,
    numbers.flatMap(({ rentedBy }) => rentedBy ?? []),
  );
  const companies = await companyIds(
    transaction,
    numbers.flatMap(({ company }) => company ?? []),
  );
  await transaction.insert(
    'numbers',
    columns,
    numbers.map(({ number, rentedBy, pool, company }) => [
      number,
      renters.get(rentedBy ?? '') ?? null,
      pool ? 1 : 0,
      companies.get(company ?? '') ?? null,
    ]),
    `ON CONFLICT (number) DO UPDATE
      SET rented_by = excluded.rented_by, pool = excluded.pool, company_id = excluded.company_id`,
  );
}

export async function removeNumbers(
  transaction: Transaction,
  numbers: readonly NumberRecord[],
): Promise<void> {
  const gone = numbers.map(({ number }) => number);
  await transaction.run(sql`DELETE FROM numbers WHERE number ${oneOf('text', gone)}`);
}
