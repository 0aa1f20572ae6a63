/**
 * Turns the passwords of a plan into hashes, and those of carriers into sealed ones, before it goes to the store. What is
 * stored and says the same is kept, lest every password look changed.
 */
import { Passwords } from '../accounts/password.ts';
import type { CarrierSecrets } from '../carriers/carrier-secrets.ts';
import { nameOf, usernameOf } from './edit-lists.ts';
import type { Plan } from './plan.ts';
import type { State } from './state.ts';

interface PasswordHolder {
  readonly username: string;
  readonly remove: boolean;
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
  const hashesOf = (
    holders: readonly { readonly username: string; readonly passwordHash: string | undefined }[],
  ) => new Map(holders.map((holder) => [usernameOf(holder), holder.passwordHash]));
  const users = hashesOf(state.users);
  const operators = hashesOf(state.operators);
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

export function sealCarriers(plan: Plan, state: State, secrets: CarrierSecrets): Plan {
  const stored = new Map(state.carriers.map((carrier) => [nameOf(carrier), carrier.settings]));
  const carriers = plan.carriers.map((carrier) =>
    carrier.remove ? carrier : { ...carrier, settings: secrets.seal(carrier, stored.get(carrier.name)) },
  );
  return { ...plan, carriers };
}
