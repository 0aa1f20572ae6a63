/** Finds what the store forbids of a plan: ids that are taken, and what each kind looks at by itself. */
import type { Fault } from '../yaml/fault.ts';
import type { Comparison, State } from './compare.ts';
import { type AnyKind, kinds } from './kind-list.ts';
import { faultAt } from './objects/planned.ts';

/** With any fault, nothing may be applied. */
export function check(comparison: Comparison, state: State): readonly Fault[] {
  return kinds.flatMap((kind) => [
    ...idFaults(kind, comparison, state),
    ...(kind.faults?.(comparison) ?? []),
  ]);
}

function idFaults(kind: AnyKind, comparison: Comparison, { retiredIds }: State): readonly Fault[] {
  const { ids } = kind;
  if (ids === undefined) return [];
  const existing = comparison.before(kind);
  const holders = new Map([...existing.values()].map((item) => [ids.idOf(item), item]));
  return [...comparison.asked(kind)].flatMap(([key, asked]) => {
    const id = ids.idOf(asked);
    if (id === undefined || asked.remove) return [];
    const own = existing.get(key);
    if (own !== undefined) {
      const ownId = ids.idOf(own);
      const sentence = `the ${ids.noun} ${ids.labelOf(own)} has the id ${ownId}, and ids do not change`;
      return ownId === id ? [] : [faultAt(asked, 'id', sentence)];
    }
    const holder = holders.get(id);
    if (holder !== undefined)
      return [faultAt(asked, 'id', `this id belongs to the ${ids.noun} ${ids.labelOf(holder)}`)];
    if (ids.retired === undefined || !retiredIds[ids.retired].has(id)) return [];
    const sentence = `this id is that of a removed ${ids.noun} and is not given again; choose another, or leave the key out`;
    return [faultAt(asked, 'id', sentence)];
  });
}
