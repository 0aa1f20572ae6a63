/** Finds what the store forbids of a plan: names of others, ids that are taken, links to what is not there. */
import { isDeepStrictEqual } from 'node:util';
import type { Route } from '../routing/route.ts';
import type { Fault } from '../yaml/fault.ts';
import { emailFaults, removedPayerFaults } from './check-email.ts';
import { bookKeyOf } from './compare.ts';
import { keyed, nameOf, outcome, usernameOf } from './edit-lists.ts';
import { type Plan, placeOf } from './plan.ts';
import type { Planned } from './planned.ts';
import type { Edits, State } from './state.ts';

/** With any fault, nothing may be applied. */
export function checkAgainstStore(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const { retiredIds } = state;
  return [
    ...idFaults(plan.companies, state.companies, nameOf, { noun: 'company', retired: retiredIds.company }),
    ...idFaults(usersOf(plan), state.users, usernameOf, { noun: 'user', retired: retiredIds.user }),
    ...idFaults(booksIn(plan), state.addressBooks, bookKeyOf, {
      noun: 'address book',
      retired: new Set(),
      labelOf: nameOf,
    }),
    ...ownerFaults(plan, state),
    ...readerFaults(plan, edits, state),
    ...routeFaults(plan, edits, state),
    ...carrierFaults(plan, state),
    ...numberFaults(plan, edits, state),
    ...emailFaults(plan, edits, state, outcome(state.users, edits.users, usernameOf)),
    ...removedUserFaults(plan, state),
    ...removedCompanyFaults(plan, state),
    ...operatorFaults(plan, state),
  ];
}

function usersOf(plan: Plan) {
  return plan.companies.filter(({ remove }) => !remove).flatMap(({ users }) => users);
}

function booksIn(plan: Plan) {
  return plan.companies
    .filter(({ remove }) => !remove)
    .flatMap(({ name, addressBooks }) => addressBooks.map((book) => ({ ...book, company: name })));
}

interface WithId {
  readonly id: number | undefined;
}

function idFaults<Kept extends WithId, Asked extends Planned & WithId>(
  asked: readonly Asked[],
  kept: readonly Kept[],
  keyOf: (item: Kept | Asked) => string,
  {
    noun,
    retired,
    labelOf = keyOf,
  }: {
    readonly noun: string;
    readonly retired: ReadonlySet<number>;
    readonly labelOf?: (item: Kept) => string;
  },
): readonly Fault[] {
  const existing = keyed<Kept>(kept, keyOf);
  const holders = new Map(kept.map((item) => [item.id, item]));
  return asked.flatMap((item) => {
    if (item.id === undefined || item.remove) return [];
    const own = existing.get(keyOf(item));
    if (own?.id === item.id) return [];
    const place = placeOf(item, 'id');
    if (own !== undefined) {
      return [{ place, sentence: `the ${noun} ${labelOf(own)} has the id ${own.id}, and ids do not change` }];
    }
    const holder = holders.get(item.id);
    if (holder !== undefined)
      return [{ place, sentence: `this id belongs to the ${noun} ${labelOf(holder)}` }];
    if (!retired.has(item.id)) return [];
    const sentence = `this id is that of a removed ${noun} and is not given again; choose another, or leave the key out`;
    return [{ place, sentence }];
  });
}

function ownerFaults(plan: Plan, state: State): readonly Fault[] {
  const existing = keyed(state.users, usernameOf);
  return plan.companies.flatMap((company) =>
    company.users.flatMap((user) => {
      const owner = existing.get(user.username)?.company ?? company.name;
      if (owner === company.name || company.remove) return [];
      const sentence = `the user ${user.username} belongs to the company ${owner}; usernames are unique in the whole service`;
      return [{ place: placeOf(user, 'username'), sentence }];
    }),
  );
}

/** Users may read books of their own company. */
function readerFaults(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const books = outcome(state.addressBooks, edits.addressBooks, bookKeyOf);
  return plan.companies.flatMap((company) =>
    company.users.flatMap((user) => {
      if (user.remove || company.remove) return [];
      const field = 'addressBooks' in user.fieldPlaces ? 'addressBooks' : 'defaultAddressBook';
      return user.addressBooks
        .filter((name) => !books.has(bookKeyOf({ company: company.name, name })))
        .map((name) => ({
          place: placeOf(user, field),
          sentence: `the company ${company.name} has no address book "${name}"`,
        }));
    }),
  );
}

function routeFaults(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const carriers = outcome(state.carriers, edits.carriers, nameOf);
  const users = outcome(state.users, edits.users, usernameOf);
  const routes = [...outcome(state.routes, edits.routes, nameOf).values()];
  return plan.routes
    .filter(({ remove }) => !remove)
    .flatMap((route) => {
      const unknown = (field: 'carriers' | 'users', noun: string, known: ReadonlyMap<string, unknown>) =>
        (route[field] ?? [])
          .filter((name) => !known.has(name))
          .map((name) => ({ place: placeOf(route, field), sentence: `there is no ${noun} "${name}"` }));
      const faults = [...unknown('carriers', 'carrier', carriers), ...unknown('users', 'user', users)];
      const twin = routes.find((other) => other.name !== route.name && servesAlike(other, route));
      if (twin === undefined) return faults;
      const sentence = `the route "${twin.name}" is for the same numbers, senders and users with the same priority; give one of them another priority, or name all carriers in one of them and remove the other`;
      return [...faults, { place: placeOf(route, 'prefix'), sentence }];
    });
}

/** Two such routes would be one: whoever wrote them most likely meant the one to stand in for the other. */
function servesAlike(a: Route, b: Route): boolean {
  const same = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
    isDeepStrictEqual(one && new Set(one), other && new Set(other));
  return (
    a.prefix === b.prefix && a.priority === b.priority && same(a.senders, b.senders) && same(a.users, b.users)
  );
}

/** Routes that the file names have been looked at already. */
function carrierFaults(plan: Plan, state: State): readonly Fault[] {
  const named = new Set(plan.routes.map(nameOf));
  const untouched = state.routes.filter(({ name }) => !named.has(name));
  return plan.carriers
    .filter(({ remove }) => remove)
    .flatMap((carrier) => {
      const route = untouched.find(({ carriers }) => carriers.includes(carrier.name));
      if (route === undefined) return [];
      const sentence = `the route "${route.name}" uses the carrier ${carrier.name}; change or remove that route too`;
      return [{ place: placeOf(carrier, 'remove'), sentence }];
    });
}

function numberFaults(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const users = outcome(state.users, edits.users, usernameOf);
  const companies = outcome(state.companies, edits.companies, nameOf);
  return plan.numbers.flatMap((number) => {
    const { rentedBy, company, remove } = number;
    const faults: Fault[] = [];
    if (rentedBy !== undefined && !users.has(rentedBy))
      faults.push({ place: placeOf(number, 'rentedBy'), sentence: `there is no user "${rentedBy}"` });
    if (company !== undefined && !companies.has(company))
      faults.push({ place: placeOf(number, 'company'), sentence: `there is no company "${company}"` });
    return remove ? [] : faults;
  });
}

/** Numbers that the file names have been looked at already. */
function removedCompanyFaults(plan: Plan, state: State): readonly Fault[] {
  const named = new Set(plan.numbers.map(({ number }) => number));
  return plan.companies
    .filter(({ remove }) => remove)
    .flatMap((company) => {
      const own = state.numbers.find((one) => one.company === company.name && !named.has(one.number));
      if (own === undefined) return [];
      const sentence = `the number ${own.number} is in the pool of the company ${company.name}; leave out its "company", or remove it too`;
      return [{ place: placeOf(company, 'remove'), sentence }];
    });
}

/** Numbers and routes that the file names have been looked at already. */
function removedUserFaults(plan: Plan, state: State): readonly Fault[] {
  const removers = removersOf(plan, state);
  const numbers = new Set(plan.numbers.map(({ number }) => number));
  const routes = new Set(plan.routes.map(nameOf));
  const fault = (username: string, sentence: string): readonly Fault[] => {
    const remover = removers.get(username);
    return remover === undefined ? [] : [{ place: placeOf(remover, 'remove'), sentence }];
  };
  return [
    ...removedPayerFaults(plan, state, removers),
    ...state.numbers
      .filter(({ number }) => !numbers.has(number))
      .flatMap(({ number, rentedBy = '' }) =>
        fault(
          rentedBy,
          `the user ${rentedBy} rents the number ${number}; give it to somebody else or remove it too`,
        ),
      ),
    ...state.routes
      .filter(({ name }) => !routes.has(name))
      .flatMap(({ name, users = [] }) =>
        users.flatMap((username) =>
          fault(
            username,
            `the route "${name}" is limited to the user ${username}; change or remove that route too`,
          ),
        ),
      ),
  ];
}

/** By the name of each user who is to go, what in the file says so. */
function removersOf(plan: Plan, state: State): ReadonlyMap<string, Planned> {
  const removers = new Map<string, Planned>();
  for (const company of plan.companies) {
    for (const user of company.users) if (user.remove) removers.set(user.username, user);
    if (!company.remove) continue;
    const users = state.users.filter((user) => user.company === company.name);
    for (const { username } of users) removers.set(username, company);
  }
  return removers;
}

function operatorFaults(plan: Plan, state: State): readonly Fault[] {
  const existing = keyed(state.operators, usernameOf);
  return plan.operators
    .filter(({ username, remove }) => !(remove || existing.has(username)))
    .filter(({ password, passwordHash }) => password === undefined && passwordHash === undefined)
    .map(({ place }) => ({ place, sentence: 'a new operator needs a "password" or a "passwordHash"' }));
}
