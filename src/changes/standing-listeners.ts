/** Who listens for good, until it says otherwise: to be set in the transaction that sets up, or removes, what listens. */
import { raiseNews } from '../storage/news.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { endOfJournal } from './journal-store.ts';

export interface StandingListener {
  readonly listener: string;
  /** All companies that it may have listened to, or is to. */
  readonly companyIds: readonly number[];
  /** Those of them that it listens to from now on. */
  readonly listenedTo: readonly number[];
}

const columns = { company_id: 'bigint', listener: 'text', until: 'bigint' } as const;

/** Returns those that it did not listen to before. */
export async function setListenedTo(
  transaction: Transaction,
  { listener, companyIds, listenedTo }: StandingListener,
): Promise<readonly number[]> {
  if (companyIds.length === 0) return [];
  const before = await transaction.all<{ company_id: number }>(
    sql`SELECT company_id FROM change_listeners
        WHERE listener = ${listener} AND company_id ${oneOf('bigint', listenedTo)}`,
  );
  const known = new Set(before.map(({ company_id }) => company_id));
  const ended = companyIds.filter((id) => !listenedTo.includes(id));
  await transaction.run(
    sql`DELETE FROM change_listeners WHERE listener = ${listener} AND company_id ${oneOf('bigint', ended)}`,
  );
  await transaction.insert(
    'change_listeners',
    columns,
    listenedTo.map((companyId) => [companyId, listener, Number.MAX_SAFE_INTEGER]),
    'ON CONFLICT (company_id, listener) DO NOTHING',
  );
  await raiseNews(transaction, 'listening');
  return listenedTo.filter((id) => !known.has(id));
}

interface SharedReader {
  readonly name: string;
  readonly patienceMs: number;
}

/**
 * A reader that is there from now on, whether or not a process reads by its name yet; true: it was not before. Whoever begins to be listened to in
 * the same transaction is told of beyond this place: no other transaction knows of it so far.
 */
export async function keepReader(
  transaction: Transaction,
  { name, patienceMs }: SharedReader,
): Promise<boolean> {
  const place = await endOfJournal(transaction);
  const made = await transaction.run(
    sql`INSERT INTO change_readers (name, place, patience_ms) VALUES (${name}, ${place}, ${patienceMs})
        ON CONFLICT (name) DO NOTHING`,
  );
  return made === 1;
}

/** Nothing is kept for its name any more. */
export async function dropReader(transaction: Transaction, name: string): Promise<void> {
  await transaction.run(sql`DELETE FROM change_readers WHERE name = ${name}`);
}
