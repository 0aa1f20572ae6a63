/** Hashes and seals the secrets of a plan before it goes to the store. What is stored and says the same is kept. */
import { Passwords } from '../accounts/password.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Fault } from '../yaml/fault.ts';
import type { State } from './compare.ts';
import { type AnyKind, kinds, ofKind, type Plan } from './kind-list.ts';
import type { Planned } from './objects/planned.ts';

/** As many at once as Node has threads for them; a big file waits as long as it takes. */
const atOnce = 4;

export async function protectedPlan(plan: Plan, state: State, sealing: Sealing): Promise<Plan> {
  const tools = { passwords: new Passwords(atOnce), sealing };
  const sections = kinds.map(async (kind) => {
    const { protect } = kind;
    const asked = ofKind<Planned>(plan, kind);
    const before = storedOf(kind, state);
    if (protect === undefined) return [kind.section, asked] as const;
    const done = asked.map((item) =>
      item.remove ? item : protect(item, before.get(kind.keyOf(item)), tools),
    );
    return [kind.section, await Promise.all(done)] as const;
  });
  return { ...plan, ...Object.fromEntries(await Promise.all(sections)) };
}

export async function secretFaults(plan: Plan, state: State): Promise<readonly Fault[]> {
  const passwords = new Passwords(atOnce);
  const faults = kinds.flatMap((kind) => {
    const before = storedOf(kind, state);
    return ofKind<Planned>(plan, kind)
      .filter(({ remove }) => !remove)
      .map((item) => kind.secretFaults?.(item, before.get(kind.keyOf(item)), passwords) ?? []);
  });
  return (await Promise.all(faults)).flat();
}

function storedOf(kind: AnyKind, state: State): ReadonlyMap<string, object> {
  return new Map(ofKind<object>(state.objects, kind).map((item) => [kind.keyOf(item), item]));
}
