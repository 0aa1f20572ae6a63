/** Finds what the store forbids of a plan: names of others, ids that are taken, links to what is not there. */
import { bookKeyOf, keyed, nameOf, usernameOf } from './compare.ts';
import type { Fault } from './fault.ts';
import { type Plan, type Planned, placeOf } from './plan.ts';
import type { Edit, Edits, State } from './state.ts';

/** With any fault, nothing may be applied. */
export function checkAgainstStore(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  return [
    ...idFaults(plan.companies, state.companies, nameOf, 'company'),
    ...idFaults(usersOf(plan), state.users, usernameOf, 'user'),
    ...idFaults(booksIn(plan), state.addressBooks, bookKeyOf, 'address book', nameOf),
    ...ownerFaults(plan, state),
    ...readerFaults(plan, edits, state),
    ...routeFaults(plan, edits, state),
    ...carrierFaults(plan, state),
    ...rentFaults(plan, edits, state),
    ...removedRenterFaults(plan, state),
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
  noun: string,
  labelOf = keyOf,
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
    return holder === undefined
      ? []
      : [{ place, sentence: `this id belongs to the ${noun} ${labelOf(holder)}` }];
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

/** The objects of a kind as they will be. */
function outcome<Kept>(
  kept: readonly Kept[],
  edits: readonly Edit<Kept>[],
  keyOf: (item: Kept) => string,
): ReadonlyMap<string, Kept> {
  const result = new Map(keyed(kept, keyOf));
  for (const { before, after } of edits) {
    if (after !== undefined) result.set(keyOf(after), after);
    else if (before !== undefined) result.delete(keyOf(before));
  }
  return result;
}

function routeFaults(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const carriers = outcome(state.carriers, edits.carriers, nameOf);
  const routes = [...outcome(state.routes, edits.routes, nameOf).values()];
  return plan.routes
    .filter(({ remove }) => !remove)
    .flatMap((route) => {
      const faults = route.carriers
        .filter((name) => !carriers.has(name))
        .map((name) => ({ place: placeOf(route, 'carriers'), sentence: `there is no carrier "${name}"` }));
      const twin = routes.find(({ name, prefix }) => prefix === route.prefix && name !== route.name);
      if (twin === undefined) return faults;
      const sentence = `the route "${twin.name}" has this prefix too; name all carriers in one of them and remove the other`;
      return [...faults, { place: placeOf(route, 'prefix'), sentence }];
    });
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

function rentFaults(plan: Plan, edits: Edits, state: State): readonly Fault[] {
  const users = outcome(state.users, edits.users, usernameOf);
  return plan.numbers.flatMap((number) => {
    const { rentedBy, remove } = number;
    if (remove || rentedBy === undefined || users.has(rentedBy)) return [];
    return [{ place: placeOf(number, 'rentedBy'), sentence: `there is no user "${rentedBy}"` }];
  });
}

/** Numbers that the file names have been looked at already. */
function removedRenterFaults(plan: Plan, state: State): readonly Fault[] {
  const named = new Set(plan.numbers.map(({ number }) => number));
  const removers = new Map<string, Planned>();
  for (const company of plan.companies) {
    for (const user of company.users) if (user.remove) removers.set(user.username, user);
    if (!company.remove) continue;
    const users = state.users.filter((user) => user.company === company.name);
    for (const { username } of users) removers.set(username, company);
  }
  return state.numbers.flatMap(({ number, rentedBy }) => {
    const remover = rentedBy === undefined || named.has(number) ? undefined : removers.get(rentedBy);
    if (remover === undefined) return [];
    const sentence = `the user ${rentedBy} rents the number ${number}; give it to somebody else or remove it too`;
    return [{ place: placeOf(remover, 'remove'), sentence }];
  });
}

function operatorFaults(plan: Plan, state: State): readonly Fault[] {
  const existing = keyed(state.operators, usernameOf);
  return plan.operators
    .filter(({ username, remove }) => !(remove || existing.has(username)))
    .filter(({ password, passwordHash }) => password === undefined && passwordHash === undefined)
    .map(({ place }) => ({ place, sentence: 'a new operator needs a "password" or a "passwordHash"' }));
}
