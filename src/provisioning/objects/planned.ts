/** Defines what every object in a provisioning file has: its position, the keys it names, and whether it is to be removed. */
import type { Fault, Place } from '../../yaml/fault.ts';
import { type Field, type Fields, type Located, object, type Read } from '../../yaml/fields.ts';

/** Includes the positions used to report faults that are found later. */
export interface Planned {
  readonly place: Place;
  /** The positions of the keys that have a value in the file. */
  readonly fieldPlaces: Readonly<Record<string, Place>>;
  /** Keys that are `null` in the file, which get their defaults. */
  readonly resets: readonly string[];
  /** Whether the object is to be removed, in which case nothing else in the file about it counts. */
  readonly remove: boolean;
}

/** The position that a planned object's field has, or would have. */
export function placeOf(planned: Pick<Planned, 'place' | 'fieldPlaces'>, field: string): Place {
  const { place, fieldPlaces } = planned;
  return fieldPlaces[field] ?? { ...place, path: `${place.path}.${field}` };
}

export function faultAt(planned: Planned, field: string, sentence: string): Fault {
  return { place: placeOf(planned, field), sentence };
}

/** Keys that no file can reset to a default: `null` is as wrong for them as any other value of the wrong type. */
const withoutDefault: ReadonlySet<string> = new Set(['id', 'password', 'passwordHash', 'type', 'remove']);

interface PlannedOptions {
  /** Keys that an object must have unless it is to be removed. */
  readonly needs?: readonly string[];
}

/** An object in which `key: null` resets a key to its default. */
export function planned<Table extends Fields & { readonly remove: Field<boolean> }>(
  table: Table,
  { needs = [] }: PlannedOptions = {},
): Read<Located<Table> & { readonly resets: readonly string[] }> {
  const read = object(table);
  const hasDefault = (name: string) => !withoutDefault.has(name) && table[name]?.absent !== 'needed';
  return (tree, faults) => {
    const entries = tree.kind === 'map' ? [...tree.entries] : [];
    const resets = entries.flatMap(([name, { value }]) =>
      value.kind === 'nothing' && value.isNull && name in table && hasDefault(name) ? [name] : [],
    );
    const others =
      tree.kind === 'map'
        ? { ...tree, entries: new Map(entries.filter(([name]) => !resets.includes(name))) }
        : tree;
    const found = read(others, faults);
    if (found === undefined) return undefined;
    const missing = found.remove ? [] : needs.filter((name) => !(name in found.fieldPlaces));
    for (const name of missing) faults.push({ place: found.place, sentence: `needs a key "${name}"` });
    return { ...found, resets };
  };
}
