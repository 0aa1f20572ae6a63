/** Numbers that users rent, and those of the pool, as the operator has set them up: all SQL that reads and writes them. */
import { companyIds, findCompanies, listedSendersOfAll } from '../accounts/company-records.ts';
import { readUsers, userIds, usernames } from '../accounts/user-records.ts';
import { oneOf, raw, type Sql, sql } from '../storage/sql.ts';
import { bigint, flag, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import type { OwnedSenders } from './sender-owners.ts';

export interface NumberRecord {
  readonly number: string;
  /** The renter's username. */
  readonly rentedBy: string | undefined;
  /** Two-way SMS may be sent from it. */
  readonly pool: boolean;
  /** The name of the only company whose pool it is in. */
  readonly company: string | undefined;
}

const stored = new StoredRecord({
  number: text,
  rentedBy: optional(bigint),
  pool: flag,
  companyId: optional(bigint),
});

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
  const ofUsers = await readUsers(reading, { usernames: renters, ids: [], companies });
  const renterIds = ofUsers.flatMap(({ id }) => id ?? []);
  const ofCompanies = [...(await companyIds(reading, companies)).values()];
  return numbersWhere(
    reading,
    sql`number ${oneOf('text', numbers)} OR company_id ${oneOf('bigint', ofCompanies)}
        OR rented_by ${oneOf('bigint', renterIds)}`,
  );
}

export const listNumbers = readVerb('routing.listNumbers', (reading, _: null) =>
  numbersWhere(reading, sql`1 = 1`),
);

async function numbersWhere(reading: Reading, condition: Sql): Promise<readonly NumberRecord[]> {
  const rows = await reading.all<object>(
    sql`SELECT ${raw(stored.names())} FROM numbers WHERE ${condition} ORDER BY number`,
  );
  const read = rows.map((row) => stored.read(row));
  const users = await usernames(
    reading,
    read.flatMap(({ rentedBy }) => rentedBy ?? []),
  );
  const companies = await findCompanies(
    reading,
    read.flatMap(({ companyId }) => companyId ?? []),
  );
  return read.map(({ number, rentedBy = 0, pool, companyId = 0 }) => {
    return { number, rentedBy: users.get(rentedBy), pool, company: companies.get(companyId)?.name };
  });
}

/** All of them: the operator's numbers with the companies that they belong to, and lists of a few names. */
export const listOwnedSenders = readVerb(
  'routing.listOwnedSenders',
  async (reading, _: null): Promise<OwnedSenders> => ({
    numbers: await reading.all(
      sql`SELECT number, pool, COALESCE(numbers.company_id, users.company_id) AS "companyId"
          FROM numbers LEFT JOIN users ON users.id = numbers.rented_by`,
    ),
    listed: await listedSendersOfAll(reading),
  }),
);

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
    stored.columns,
    numbers.map(({ number, rentedBy = '', pool, company = '' }) =>
      stored.row({ number, rentedBy: renters.get(rentedBy), pool, companyId: companies.get(company) }),
    ),
    `ON CONFLICT (number) DO UPDATE SET ${stored.assignments('excluded', ['number'])}`,
  );
}

export async function removeNumbers(
  transaction: Transaction,
  numbers: readonly NumberRecord[],
): Promise<void> {
  const gone = numbers.map(({ number }) => number);
  await transaction.run(sql`DELETE FROM numbers WHERE number ${oneOf('text', gone)}`);
}
