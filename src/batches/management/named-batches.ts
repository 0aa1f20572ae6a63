/** Finds batches by words of their names, among the latest: batches have no index by name. */
import type { Visibility } from '../../accounts/visibility.ts';
import { sql } from '../../storage/sql.ts';
import { inTurns, readVerb } from '../../storage/verb.ts';
import { matchesWords } from '../../wire/word-match.ts';

interface NamedQuery extends Visibility {
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
  readonly typed: string;
  /** How many of the latest batches are looked at. */
  readonly lookedAt: number;
  readonly limit: number;
}

interface NamedBatch {
  readonly id: number;
  readonly name: string;
}

/** Latest first. */
export const findNamedBatches = inTurns(
  readVerb('batches.findNamed', async (reading, query: NamedQuery): Promise<readonly NamedBatch[]> => {
    const { companyId, userId, typed, lookedAt, limit } = query;
    const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    const latest = await reading.all<NamedBatch>(
      sql`SELECT id, name FROM batches WHERE ${whose} AND code IS NOT NULL ORDER BY id DESC LIMIT ${lookedAt}`,
    );
    return latest.filter(({ name }) => name !== '' && matchesWords(name, typed)).slice(0, limit);
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);
