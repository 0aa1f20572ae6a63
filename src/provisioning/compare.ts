/**
 * Compares what a file asks for with what the store holds. This yields the edits to make in the store, or the reasons why they
 * are not allowed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { RetiredKind } from '../accounts/retired-ids.ts';
import { keysOf, type SetKeys, setKeyOf } from '../accounts/set-keys.ts';
import type { Edit } from '../foundation/edit.ts';
import { groupedBy } from '../foundation/grouped.ts';
import type { OwnedNumber } from '../routing/sender-owners.ts';
import type { Fault } from '../yaml/fault.ts';
import { senderFaults } from './foreign-senders.ts';
import { type AnyKind, type Edits, forKinds, kinds, type Objects, ofKind, type Plan } from './kind-list.ts';
import { companies } from './kinds/companies.ts';
import type { Keeps, Kind, Scope, View } from './objects/kind.ts';
import { faultAt, type Planned } from './objects/planned.ts';

/** The objects in the store that a plan concerns; there may be many others, which are not read. */
export function scopeOf(plan: Plan): Scope {
  const mentions = kinds.flatMap((kind) =>
    ofKind<Planned>(plan, kind).map((asked) => kind.mentions?.(asked) ?? {}),
  );
  return Object.fromEntries(
    kinds.map((kind) => {
      const asked = ofKind<Planned>(plan, kind);
      const mentioned = mentions.flatMap((mention) => mention[kind.section] ?? []);
      const named = {
        keys: [...asked.map(kind.keyOf), ...mentioned.flatMap(({ keys = [] }) => keys)],
        ids: [
          ...asked.flatMap((item) => idIn(kind, item) ?? []),
          ...mentioned.flatMap(({ ids = [] }) => ids),
        ],
        removed: asked.filter(({ remove }) => remove).map(kind.keyOf),
        namesSenders: asked.some(({ fieldPlaces }) =>
          kind.senders?.fields.some((field) => field in fieldPlaces),
        ),
      };
      return [kind.section, named];
    }),
  );
}

function idIn(kind: AnyKind, item: object): number | undefined {
  return kind.ids && (item as { readonly id?: number }).id;
}

export interface State {
  readonly objects: Objects;
  /** Ids that the plan asks for but that belonged to a removed object. */
  readonly retiredIds: Readonly<Record<RetiredKind, ReadonlySet<number>>>;
  /** The keys that files have set. */
  readonly setKeys: readonly SetKeys[];
  /** All numbers in the store, if the plan names numbers or sender ids. */
  readonly ownedNumbers: readonly OwnedNumber[];
}

/** The path of the file; undefined when there is none. */
export type Source = string | undefined;

interface Outcome {
  readonly edits: readonly Edit<object>[];
  readonly after: ReadonlyMap<string, object>;
  readonly edited: ReadonlySet<string>;
}

/** Objects that the file does not name do not appear at all, and therefore stay as they are. */
export class Comparison implements View {
  readonly plan: Plan;
  readonly state: State;
  readonly #asked: ByKind;
  readonly #before: ByKind;
  readonly #outcomes = new Map<string, Outcome>();

  constructor(plan: Plan, state: State, source: Source) {
    this.plan = plan;
    this.state = state;
    this.#asked = byKind(plan);
    this.#before = byKind(state.objects);
    const set = groupedBy(state.setKeys, setKeyOf);
    for (const kind of kinds) {
      const edits = this.#editsOf(kind, (key, asked) => {
        const setKeys = set.get(setKeyOf({ kind: kind.section, object: key })) ?? [];
        return keepsOf(asked, setKeys, source);
      });
      this.#outcomes.set(kind.section, outcomeOf(kind, this.before(kind), edits));
    }
  }

  /** A company is removed together with everything in it. */
  #editsOf(kind: AnyKind, keepsOf: (key: string, asked: Planned) => Keeps): readonly Edit<object>[] {
    const before = this.before(kind);
    const asked = [...this.asked(kind)].flatMap(([key, item]) => {
      const was = before.get(key);
      const wanted = item.remove ? undefined : kind.after(item, was, this, keepsOf(key, item));
      return isDeepStrictEqual(was, wanted) ? [] : [{ before: was, after: wanted }];
    });
    const leaving = this.asked(companies);
    const gone = kind.within === 'file' ? [] : [...before.values()];
    const goneWith = (gone as readonly { readonly company: string }[])
      .filter(({ company }) => leaving.get(company)?.remove)
      .map((was) => ({ before: was, after: undefined }));
    return [...asked, ...goneWith];
  }

  get edits(): Edits {
    return forKinds((kind) => this.#outcomeOf(kind).edits);
  }

  asked<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Asked> {
    return this.#asked.get(kind.section) as ReadonlyMap<string, Asked>;
  }

  before<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept> {
    return this.#before.get(kind.section) as ReadonlyMap<string, Kept>;
  }

  after<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept> {
    return this.#outcomeOf(kind).after as ReadonlyMap<string, Kept>;
  }

  edited<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlySet<string> {
    return this.#outcomeOf(kind).edited;
  }

  #outcomeOf({ section }: { readonly section: string }): Outcome {
    const outcome = this.#outcomes.get(section);
    if (outcome === undefined) throw new Error(`The kind ${section} has not been compared yet.`);
    return outcome;
  }
}

/**
 * A key that this file set and now leaves out is reset, unless another file has set it too. Keys that this file has never
 * set stay.
 */
function keepsOf(asked: Planned, set: readonly SetKeys[], source: Source): Keeps {
  const own = new Set(set.filter((one) => one.source === source).flatMap(({ keys }) => keys));
  const others = new Set(set.filter((one) => one.source !== source).flatMap(({ keys }) => keys));
  const named = new Set([...keysOf(asked), ...asked.resets]);
  return (name) => !named.has(name) && (others.has(name) || !own.has(name));
}

function outcomeOf(
  kind: AnyKind,
  existing: ReadonlyMap<string, object>,
  edits: readonly Edit<object>[],
): Outcome {
  const all = new Map(existing);
  const edited = new Set<string>();
  for (const { before, after } of edits) {
    if (after === undefined) {
      if (before !== undefined) all.delete(kind.keyOf(before));
      continue;
    }
    const key = kind.keyOf(after);
    all.set(key, after);
    edited.add(key);
  }
  return { edits, after: all, edited };
}

/** By section, then by key. */
type ByKind = ReadonlyMap<string, ReadonlyMap<string, object>>;

function byKind(all: Plan | Objects): ByKind {
  return new Map(kinds.map((kind) => [kind.section, byKey(ofKind<object>(all, kind), kind.keyOf)]));
}

/** If two items have the same key, the first is used; the second is a fault of the file. */
function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item> {
  const all = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!all.has(key)) all.set(key, item);
  }
  return all;
}

/**
 * Faults found with the help of the store: ids that are taken, and the faults that each kind checks for. With any
 * fault, nothing may be applied.
 */
export function check(comparison: Comparison): readonly Fault[] {
  const faults = kinds.flatMap((kind) => [
    ...idFaults(kind, comparison),
    ...[...comparison.asked(kind).values()].flatMap((asked) => kind.faultsOf?.(asked, comparison) ?? []),
    ...(kind.faults?.(comparison) ?? []),
  ]);
  return [...faults, ...senderFaults(comparison)];
}

function idFaults(kind: AnyKind, comparison: Comparison): readonly Fault[] {
  const { ids } = kind;
  if (ids === undefined) return [];
  const existing = comparison.before(kind);
  const holders = new Map([...existing.values()].map((item) => [idIn(kind, item), item]));
  const named = (item: object) => `the ${ids.noun} ${(item as Record<string, unknown>)[kind.keyField]}`;
  return [...comparison.asked(kind)].flatMap(([key, asked]) => {
    const id = idIn(kind, asked);
    if (id === undefined || asked.remove) return [];
    const own = existing.get(key);
    if (own !== undefined) {
      const ownId = idIn(kind, own);
      const sentence = `${named(own)} has the id ${ownId}, and ids cannot be changed`;
      return ownId === id ? [] : [faultAt(asked, 'id', sentence)];
    }
    const holder = holders.get(id);
    if (holder !== undefined) return [faultAt(asked, 'id', `this id belongs to ${named(holder)}`)];
    if (ids.retired === undefined || !comparison.state.retiredIds[ids.retired].has(id)) return [];
    const sentence = `this id belonged to a removed ${ids.noun} and is not reused; choose another, or leave the key out`;
    return [faultAt(asked, 'id', sentence)];
  });
}
