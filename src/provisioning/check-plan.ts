/** Finds what contradicts itself within one provisioning file, whatever is in the store. */
import type { Fault } from '../yaml/fault.ts';
import { kinds, ofKind, type Plan } from './kind-list.ts';
import { faultAt, type Planned } from './objects/planned.ts';

export function checkPlan(plan: Plan): readonly Fault[] {
  return kinds.flatMap((kind) => {
    const asked = ofKind<Planned>(plan, kind);
    const { ids, keyField, noun } = kind;
    return [
      ...duplicates(
        asked,
        keyField,
        kind.keyOf,
        (first) => `${noun} stands twice in the file, first ${first}`,
      ),
      ...(ids
        ? duplicates(asked, 'id', ids.idOf, (first) => `this id is already given to the ${ids.noun} ${first}`)
        : []),
      ...asked.flatMap((item) => kind.fileFaults?.(item) ?? []),
    ];
  });
}

function duplicates(
  items: readonly Planned[],
  field: string,
  valueIn: (item: Planned) => unknown,
  sentence: (first: string) => string,
): readonly Fault[] {
  const seen = new Map<unknown, Planned>();
  return items.flatMap((item) => {
    const value = valueIn(item);
    if (value === undefined) return [];
    const first = seen.get(value);
    if (first !== undefined) return [faultAt(item, field, sentence(`at ${first.place.path}`))];
    seen.set(value, item);
    return [];
  });
}
