/** Which objects of the store a plan concerns: there may be many others, which are not read. */
import { kinds, ofKind, type Plan } from './kind-list.ts';
import type { Scope } from './objects/kind.ts';
import type { Planned } from './objects/planned.ts';

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
          ...asked.flatMap((item) => kind.ids?.idOf(item) ?? []),
          ...mentioned.flatMap(({ ids = [] }) => ids),
        ],
        removed: asked.filter(({ remove }) => remove).map(kind.keyOf),
      };
      return [kind.section, named];
    }),
  );
}
