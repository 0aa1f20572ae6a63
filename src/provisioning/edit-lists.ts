/** What edits of all kinds share: how they are found, what comes of them, which objects are new, and ids for those. */
import { isDeepStrictEqual } from 'node:util';
import { type IdKind, leaseIds } from '../storage/ids.ts';
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import type { Planned } from './planned.ts';
import type { Edit } from './state.ts';

export const nameOf = ({ name }: { readonly name: string }): string => name;
export const usernameOf = ({ username }: { readonly username: string }): string => username;

export function keyed<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

/** What leads from the objects that are there to those that are asked for; all others stay as they are. */
export function editsOf<Kept, Asked extends Planned>(
  asked: readonly Asked[],
  kept: readonly Kept[],
  keyOf: (item: Kept | Asked) => string,
  after: (asked: Asked, before: Kept | undefined) => Kept | undefined,
): readonly Edit<Kept>[] {
  const existing = keyed<Kept>(kept, keyOf);
  return asked.flatMap((item) => {
    const before = existing.get(keyOf(item));
    const wanted = item.remove ? undefined : after(item, before);
    return isDeepStrictEqual(before, wanted) ? [] : [{ before, after: wanted }];
  });
}

/** The objects of a kind as they will be. */
export function outcome<Kept>(
  kept: readonly Kept[],
  edits: readonly Edit<Kept>[],
  keyOf: (item: Kept) => string,
): ReadonlyMap<string, Kept> {
  const result = new Map(keyed(kept, keyOf));
  for (const { before, after } of edits) {
    if (after !== undefined) result.set(keyOf(after), after);
    else if (before !== undefined) result.delete(keyOf(before));
  }
  return result;
}

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
