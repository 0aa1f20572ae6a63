/** Verbs that put numbers into the pool and show who holds their leases. */
import { findAnswered } from '../../src/messages/pool/leases.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

/** Replaces the pool with exactly these numbers. */
export const putPool = singleWriteVerb('test.putPool', async (transaction, numbers: readonly string[]) => {
  await transaction.run(sql`DELETE FROM numbers WHERE pool = 1`);
  await transaction.insert(
    'numbers',
    { number: 'text', pool: 'smallint' },
    numbers.map((number) => [number, 1]),
  );
});

/** Reserves the number for one company. */
export const keepNumberFor = singleWriteVerb(
  'test.keepNumberFor',
  async (transaction, { number, companyId }: { readonly number: string; readonly companyId: number }) =>
    transaction.run(sql`UPDATE numbers SET company_id = ${companyId} WHERE number = ${number}`),
);

export interface ListedLease {
  readonly recipient: string;
  readonly number: string;
  readonly companyId: number;
  readonly conversation: string;
  readonly messageId: number;
  readonly startsAt: number;
  readonly endsAt: number;
}

export const listLeases = readVerb('test.listLeases', async (reading, _: null) =>
  reading.all<ListedLease>(
    sql`SELECT recipient, number, company_id AS "companyId", conversation, message_id AS "messageId",
          starts_at AS "startsAt", ends_at AS "endsAt"
        FROM number_leases ORDER BY recipient, number, message_id`,
  ),
);

/** Hands all existing leases to jobs. */
export const giveToJobs = singleWriteVerb('test.giveToJobs', async (transaction, _: null) =>
  transaction.run(sql`UPDATE number_leases SET holder = 1`),
);

/** The company an answer would belong to. */
export const whoseAnswer = readVerb(
  'test.whoseAnswer',
  async (reading, answer: { readonly number: string; readonly phone: string; readonly at: number }) =>
    (await findAnswered(reading, { ...answer, text: 'Yes' }))?.lease.companyId,
);

export interface ListedSender {
  readonly companyId: number;
  readonly recipient: string;
  readonly sender: string;
  readonly conversation: string;
  readonly carrierId: number;
}

/** The sender number and carrier of each message. */
export const listSenders = readVerb('test.listSenders', async (reading, _: null) =>
  reading.all<ListedSender>(
    sql`SELECT company_id AS "companyId", recipient, sender, conversation, carrier_id AS "carrierId"
        FROM messages ORDER BY id`,
  ),
);
