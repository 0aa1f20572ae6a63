/** A reader that several nodes share: one of them holds it as long as it lives, and reads for all. */
import { byDialect, sql } from '../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';

export interface Holding {
  readonly name: string;
  readonly nodeId: number;
}

/** True when this node holds it from now on, or did already. */
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

/** The place that it has come to, where this node holds it: nobody else does until the transaction ends. */
export async function isHeld(
  transaction: Transaction,
  { name, nodeId }: Holding,
): Promise<{ readonly place: number } | 'notHeld' | 'dropped'> {
  const reader = await transaction.first<{ place: number; holder: number | null }>(
    sql`SELECT place, holder FROM change_readers WHERE name = ${name} ${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`,
  );
  if (reader === undefined) return 'dropped';
  return reader.holder === nodeId ? { place: reader.place } : 'notHeld';
}

export async function moveHeldReader(transaction: Transaction, name: string, to: number): Promise<void> {
  await transaction.run(
    sql`UPDATE change_readers SET place = ${to}, stuck_since = NULL WHERE name = ${name}`,
  );
}
