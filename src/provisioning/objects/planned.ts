/** What every object of a provisioning file has: where it stands, which keys it names, and whether it is to go. */
import type { Fault, Place } from '../../yaml/fault.ts';
import { type Field, type Fields, type Located, object, type Read } from '../../yaml/fields.ts';

/** With the places that faults found later are told by. */
export interface Planned {
  readonly place: Place;
  /** Of the keys that the file gives a value. */
  readonly fieldPlaces: Readonly<Record<string, Place>>;
  /** Keys that the file says `null` for: they get their defaults. */
  readonly resets: readonly string[];
  /** The object is to go; whatever else the file says of it does not count. */
  readonly remove: boolean;
}

/** Where a field of a planned object stands, or would stand. */
export function placeOf(planned: Pick<Planned, 'place' | 'fieldPlaces'>, field: string): Place {
  const { place, fieldPlaces } = planned;
  return fieldPlaces[field] ?? { ...place, path: `${place.path}.${field}` };
}

export function faultAt(planned: Planned, field: string, sentence: string): Fault {
  return { place: placeOf(planned, field), sentence };
}

/** What no file can give back to its default: `null` is as wrong here as any other value of another kind. */
const withoutDefault: ReadonlySet<string> = new Set(['id', 'password', 'passwordHash', 'type', 'remove']);

interface PlannedOptions {
  /** Keys that an object has to give unless it is to go. */
  readonly needs?: readonly string[];
}

/** An object of which `key: null` gives a key its default back. */
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

/** An object without its keys that have no value, as it is kept in a column of JSON. */
export function withoutAbsent<Item extends object>(
  item: Item,
): { readonly [Key in keyof Item]: Exclude<Item[Key], undefined> } {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Item]: Exclude<Item[Key], undefined>;
  };
}
