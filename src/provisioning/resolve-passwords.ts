/**
 * Turns the passwords of a plan into hashes, and those of carriers into sealed ones, before it goes to the store. What is
 * stored and says the same is kept, lest every password look changed.
 */
import { Passwords, passwordFault } from '../accounts/password.ts';
import type { CarrierSecrets } from '../carriers/provisioned/carrier-secrets.ts';
import type { Fault } from '../yaml/fault.ts';
import { nameOf, usernameOf } from './edit-lists.ts';
import { type Plan, placeOf } from './plan.ts';
import type { Planned } from './planned.ts';
import type { State } from './state.ts';

interface PasswordHolder extends Planned {
  readonly username: string;
  readonly password: string | undefined;
  readonly passwordHash: string | undefined;
}

/** A hash is salted: hashing anew each time would make every password look changed. */
export async function resolvePasswords(plan: Plan, state: State): Promise<Plan> {
  // As many at once as Node has threads for them; a big file waits as long as it takes.
  const passwords = new Passwords(4);
  const resolve = async <Holder extends PasswordHolder>(
    holder: Holder,
    stored: string | undefined,
  ): Promise<Holder> => {
    const { password, remove } = holder;
    if (password === undefined || remove) return { ...holder, password: undefined };
    const fits = stored !== undefined && (await passwords.matches(password, stored));
    return { ...holder, password: undefined, passwordHash: fits ? stored : await passwords.hash(password) };
  };
  const { users, operators } = storedHashes(state);
  return {
    ...plan,
    companies: await Promise.all(
      plan.companies.map(async (company) => ({
        ...company,
        users: await Promise.all(company.users.map((user) => resolve(user, users.get(user.username)))),
      })),
    ),
    operators: await Promise.all(
      plan.operators.map((operator) => resolve(operator, operators.get(operator.username))),
    ),
  };
}

/** Of new and changed ones: what was set before the rules grew stricter stays right, and its file applicable. */
export async function passwordFaults(plan: Plan, state: State): Promise<readonly Fault[]> {
  const passwords = new Passwords(4);
  const { users, operators } = storedHashes(state);
  const faultOf = async (holder: PasswordHolder, stored: string | undefined): Promise<readonly Fault[]> => {
    const { password, remove } = holder;
    if (password === undefined || remove) return [];
    const sentence = passwordFault(password);
    if (sentence === undefined) return [];
    if (stored !== undefined && (await passwords.matches(password, stored))) return [];
    return [{ place: placeOf(holder, 'password'), sentence }];
  };
  const faults = await Promise.all([
    ...plan.companies.flatMap((company) =>
      company.users.map((user) => faultOf(user, users.get(user.username))),
    ),
    ...plan.operators.map((operator) => faultOf(operator, operators.get(operator.username))),
  ]);
  return faults.flat();
}

function storedHashes(state: State) {
  const hashesOf = (
    holders: readonly { readonly username: string; readonly passwordHash: string | undefined }[],
  ) => new Map(holders.map((holder) => [usernameOf(holder), holder.passwordHash]));
  return { users: hashesOf(state.users), operators: hashesOf(state.operators) };
}

export function sealCarriers(plan: Plan, state: State, secrets: CarrierSecrets): Plan {
  const stored = new Map(state.carriers.map((carrier) => [nameOf(carrier), carrier.settings]));
  const carriers = plan.carriers.map((carrier) =>
    carrier.remove ? carrier : { ...carrier, settings: secrets.seal(carrier, stored.get(carrier.name)) },
  );
  return { ...plan, carriers };
}
