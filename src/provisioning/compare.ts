/** Compares what a file asks for with what the store holds: the edits that lead from one to the other. */
import { isDeepStrictEqual } from 'node:util';
import { roles } from '../accounts/role.ts';
import type { CompanyPlan, Plan, Planned, UserPlan } from './plan.ts';
import type { CompanyState, Edit, Edits, State, UserState } from './state.ts';

/** Objects that the file does not name do not come up at all, and so stay as they are. */
export function compare(plan: Plan, state: State): Edits {
  return {
    companies: editsOf(plan.companies, state.companies, nameOf, companyAfter),
    users: compareUsers(plan, state),
    carriers: editsOf(plan.carriers, state.carriers, nameOf, ({ name, type, settings }) => ({
      name,
      type,
      settings,
    })),
    routes: editsOf(plan.routes, state.routes, nameOf, ({ name, prefix, carriers }) => ({
      name,
      prefix,
      carriers,
    })),
    numbers: editsOf(plan.numbers, state.numbers, numberOf, ({ number, rentedBy, pool }) => ({
      number,
      rentedBy,
      pool,
    })),
    operators: editsOf(plan.operators, state.operators, usernameOf, (operator, before) => ({
      username: operator.username,
      passwordHash: operator.passwordHash ?? before?.passwordHash ?? '',
    })),
  };
}

export const nameOf = ({ name }: { readonly name: string }): string => name;
export const usernameOf = ({ username }: { readonly username: string }): string => username;
const numberOf = ({ number }: { readonly number: string }): string => number;

export function keyed<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

function editsOf<Kept, Asked extends Planned>(
  asked: readonly Asked[],
  kept: readonly Kept[],
  keyOf: (item: Kept | Asked) => string,
  after: (asked: Asked, before: Kept | undefined) => Kept,
): readonly Edit<Kept>[] {
  const existing = keyed<Kept>(kept, keyOf);
  return asked.flatMap((item) => {
    const before = existing.get(keyOf(item));
    const wanted = item.remove ? undefined : after(item, before);
    return isDeepStrictEqual(before, wanted) ? [] : [{ before, after: wanted }];
  });
}

/** A company goes with all of its users. */
function compareUsers(plan: Plan, state: State): readonly Edit<UserState>[] {
  const leaving = new Set(plan.companies.filter(({ remove }) => remove).map(nameOf));
  const asked = plan.companies
    .filter(({ remove }) => !remove)
    .flatMap((company) => company.users.map((user) => ({ ...user, company: company.name })));
  const gone = state.users.filter(({ company }) => leaving.has(company));
  return [
    ...editsOf(asked, state.users, usernameOf, userAfter),
    ...gone.map((before) => ({ before, after: undefined })),
  ];
}

function companyAfter(company: CompanyPlan, before: CompanyState | undefined): CompanyState {
  const { name, active, quotaParts, defaultSender } = company;
  return { id: before?.id ?? company.id, name, active, quotaParts, defaultSender };
}

function userAfter(user: UserPlan & { readonly company: string }, before: UserState | undefined): UserState {
  return {
    id: before?.id ?? user.id,
    username: user.username,
    company: user.company,
    passwordHash: user.passwordHash ?? before?.passwordHash,
    roles: roles.filter((role) => user.roles.includes(role)),
    active: user.active,
    quotaParts: user.quotaParts,
    defaultSender: user.defaultSender,
    senders: user.senders && [...new Set(user.senders)],
    replaceCharacters: user.replaceCharacters,
  };
}
