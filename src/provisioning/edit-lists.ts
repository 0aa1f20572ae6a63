/** What those who write edits of any kind share: which objects are new, changed or gone, and ids for the new ones. */
import { type IdKind, leaseIds } from '../storage/ids.ts';
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import type { Edit } from './state.ts';

export function created<Kept>(edits: readonly Edit<Kept>[]): readonly Kept[] {
  return edits.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []));
}

export function changed<Kept>(edits: readonly Edit<Kept>[]): readonly Kept[] {
  return edits.flatMap(({ before, after }) => (before !== undefined && after !== undefined ? [after] : []));
}

export function wanted<Kept>(edits: readonly Edit<Kept>[]): readonly Kept[] {
  return edits.flatMap(({ after }) => (after === undefined ? [] : [after]));
}

export function gone<Kept>(edits: readonly Edit<Kept>[], keyOf: (kept: Kept) => string): readonly string[] {
  return edits.flatMap(({ before, after }) =>
    before !== undefined && after === undefined ? [keyOf(before)] : [],
  );
}

/** Ids for objects without one. Ids that the file gave are passed over, now and later. */
export async function fillIds<Kept extends { readonly id: number | undefined }>(
  transaction: Transaction,
  kind: IdKind,
  objects: readonly Kept[],
): Promise<readonly (Kept & { readonly id: number })[]> {
  // A block of none makes sure that there is a row to raise.
  await leaseIds.run(transaction, [{ kind, size: 0 }]);
  const highest = Math.max(0, ...objects.flatMap(({ id }) => id ?? []));
  await transaction.run(
    sql`UPDATE id_blocks SET next_id = ${highest + 1} WHERE name = ${kind} AND next_id <= ${highest}`,
  );
  const missing = objects.filter(({ id }) => id === undefined).length;
  let [next = 0] = await leaseIds.run(transaction, [{ kind, size: missing }]);
  return objects.map((object) => ({ ...object, id: object.id ?? next++ }));
}
