/**
 * A reader of the journal that several nodes share. One of them holds it as long as that node lives, and stores what it
 * takes in the same transaction that moves the reader forward.
 */
import { forUpdate, sql } from '../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { Advanced } from './change-reader.ts';
import { endOfJournal } from './journal.ts';

interface Holding {
  readonly name: string;
  readonly nodeId: number;
}

/** True when this node holds it from now on, or already did. */
export const holdReader = singleWriteVerb(
  'changes.holdReader',
  async (transaction, { name, nodeId }: Holding) => {
    const held = await transaction.run(
      sql`UPDATE change_readers SET holder = ${nodeId} WHERE name = ${name}
            AND NOT EXISTS (SELECT 1 FROM nodes WHERE id = holder AND id <> ${nodeId} AND ended = 0)`,
    );
    return held === 1;
  },
);

/** The reader's place, if this node holds it; no other node can take it until the transaction ends. */
export async function isHeld(
  transaction: Transaction,
  { name, nodeId }: Holding,
): Promise<{ readonly place: number } | 'notHeld' | 'dropped'> {
  const reader = await transaction.first<{ place: number; holder: number | null }>(
    sql`SELECT place, holder FROM change_readers WHERE name = ${name} ${forUpdate}`,
  );
  if (reader === undefined) return 'dropped';
  return reader.holder === nodeId ? { place: reader.place } : 'notHeld';
}

/** The changes after the first place, up to and including the second. */
export interface JournalPage {
  readonly from: number;
  readonly to: number;
}

interface Taking extends Holding {
  /** Up to this place of the journal. */
  readonly to: number;
  readonly limit: number;
}

/** Takes the next page of the journal and moves the reader past it, if this node holds the reader. */
export async function takePage(
  transaction: Transaction,
  { name, nodeId, to, limit }: Taking,
  take: (page: JournalPage) => Promise<void>,
): Promise<Advanced | 'notHeld'> {
  const reader = await isHeld(transaction, { name, nodeId });
  if (typeof reader === 'string') return reader;
  const { last, count } = (await transaction.first<{ last: number | null; count: number }>(
    sql`SELECT MAX(place) AS last, COUNT(*) AS count FROM (SELECT place FROM changes
        WHERE place > ${reader.place} AND place <= ${to} ORDER BY place LIMIT ${limit}) AS page`,
  )) ?? { last: null, count: 0 };
  if (last === null) return { place: reader.place, isMore: false };
  await take({ from: reader.place, to: last });
  await transaction.run(
    sql`UPDATE change_readers SET place = ${last}, stuck_since = NULL WHERE name = ${name}`,
  );
  return { place: last, isMore: count === limit };
}

/** All nodes may be down for this long. After that the reader is dropped, and changes from that time are not reported. */
const patienceMs = 7 * 86_400_000;

/**
 * Ensures that the reader exists from now on, whether or not a process reads under its name yet; true when it did not exist
 * before. It starts at the end of the journal. A company that begins to be listened to in the same transaction misses no
 * changes, because until the commit no other transaction records changes of its messages.
 */
export async function keepReader(transaction: Transaction, name: string): Promise<boolean> {
  const place = await endOfJournal(transaction);
  const made = await transaction.run(
    sql`INSERT INTO change_readers (name, place, patience_ms) VALUES (${name}, ${place}, ${patienceMs})
        ON CONFLICT (name) DO NOTHING`,
  );
  return made === 1;
}

/** Making a reader for the first of those who need it, and removing it with the last, take turns. */
export async function lockReader(transaction: Transaction, name: string): Promise<void> {
  await transaction.first(sql`SELECT name FROM change_readers WHERE name = ${name} ${forUpdate}`);
}
