/** The numbers that users rent and those of the pool, as set up by the operator. */
import { listedSendersOfAll, ofCompany } from '../accounts/company-records.ts';
import { userIn } from '../accounts/user-records.ts';
import { RecordTable } from '../storage/record-table.ts';
import { sql } from '../storage/sql.ts';
import { flag, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import type { OwnedNumber, OwnedSenders } from './sender-owners.ts';

export interface NumberRecord {
  readonly number: string;
  /** The renter's username. */
  readonly rentedBy: string | undefined;
  /** Whether two-way SMS may be sent from the number. */
  readonly pool: boolean;
  /** The name of the only company whose pool contains the number. */
  readonly company: string | undefined;
}

export const numberRecords = new RecordTable<NumberRecord>({
  table: 'numbers',
  key: ['number'],
  fields: { number: text, rentedBy: userIn('rented_by'), pool: flag, company: ofCompany },
});

export const listNumbers = readVerb('routing.listNumbers', (reading, _: null) => numberRecords.all(reading));

export async function rentTo(transaction: Transaction, number: string, userId: number): Promise<void> {
  await transaction.run(sql`UPDATE numbers SET rented_by = ${userId} WHERE number = ${number}`);
}

/** All numbers, with the companies that they belong to. */
export async function readOwnedNumbers(reading: Reading): Promise<readonly OwnedNumber[]> {
  return reading.all(
    sql`SELECT number, pool, COALESCE(numbers.company_id, users.company_id) AS "companyId"
        FROM numbers LEFT JOIN users ON users.id = numbers.rented_by`,
  );
}

/** The operator's numbers, and the sender lists of a few companies. */
export const listOwnedSenders = readVerb(
  'routing.listOwnedSenders',
  async (reading, _: null): Promise<OwnedSenders> => ({
    numbers: await readOwnedNumbers(reading),
    listed: await listedSendersOfAll(reading),
  }),
);
