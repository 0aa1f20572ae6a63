/** What batches are called: for pages that show messages of one person. */
import type { Visibility } from '../../accounts/visibility.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';

interface BatchName {
  readonly id: number;
  readonly name: string;
}

/** Those that have a name. */
export const readBatchNames = readVerb(
  'batches.readNames',
  async (
    reading,
    { companyId, ids }: Pick<Visibility, 'companyId'> & { readonly ids: readonly number[] },
  ): Promise<readonly BatchName[]> =>
    ids.length === 0
      ? []
      : reading.all<BatchName>(
          sql`SELECT id, name FROM batches
              WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND name <> ''`,
        ),
);
