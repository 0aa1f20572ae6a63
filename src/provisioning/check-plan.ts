/** Finds what contradicts itself within one provisioning file, whatever is in the store. */
import type { Fault } from '../yaml/fault.ts';
import { type NumberPlan, type Plan, placeOf, type UserPlan } from './plan.ts';
import type { Planned } from './planned.ts';

export function checkPlan(plan: Plan): readonly Fault[] {
  const users = plan.companies.flatMap((company) => company.users);
  const keyed = <Item extends Planned>(items: readonly Item[], field: keyof Item & string, noun: string) =>
    twice(items, field, (first) => `${noun} stands twice in the file, first ${first}`);
  return [
    ...keyed(plan.companies, 'name', 'this company'),
    ...keyed(users, 'username', 'this username'),
    ...plan.companies.flatMap(({ templates }) => keyed(templates, 'id', 'this template')),
    ...keyed(
      plan.companies.flatMap(({ emailSenders }) => emailSenders),
      'email',
      'this sender',
    ),
    ...plan.companies.flatMap(({ senderRules }) => keyed(senderRules, 'domain', 'this domain')),
    ...keyed(plan.carriers, 'name', 'this carrier'),
    ...keyed(plan.routes, 'name', 'this route'),
    ...keyed(plan.numbers, 'number', 'this number'),
    ...keyed(plan.operators, 'username', 'this operator'),
    ...twice(plan.companies, 'id', (first) => `this id is already given to the company ${first}`),
    ...twice(
      plan.companies.flatMap(({ addressBooks }) => addressBooks),
      'id',
      (first) => `this id is already given to the address book ${first}`,
    ),
    ...twice(users, 'id', (first) => `this id is already given to the user ${first}`),
    ...[...users, ...plan.operators].flatMap(checkPassword),
    ...users.flatMap(checkSenders),
    ...users.flatMap(checkDefaultBook),
    ...plan.companies.flatMap(({ addressBooks }) => keyed(addressBooks, 'name', 'this address book')),
    ...plan.numbers.flatMap(checkPool),
  ];
}

function twice<Item extends Planned>(
  items: readonly Item[],
  field: keyof Item & string,
  sentence: (first: string) => string,
): readonly Fault[] {
  const seen = new Map<unknown, Item>();
  const faults: Fault[] = [];
  for (const item of items) {
    const value = item[field];
    if (value === undefined) continue;
    const first = seen.get(value);
    if (first === undefined) seen.set(value, item);
    else faults.push({ place: placeOf(item, field), sentence: sentence(`at ${first.place.path}`) });
  }
  return faults;
}

function checkPassword(holder: Planned & Pick<UserPlan, 'password' | 'passwordHash'>): readonly Fault[] {
  if (holder.password === undefined || holder.passwordHash === undefined) return [];
  const sentence = 'give either "password" or "passwordHash", not both';
  return [{ place: placeOf(holder, 'passwordHash'), sentence }];
}

function checkSenders(user: UserPlan): readonly Fault[] {
  const { defaultSender, senders, remove } = user;
  if (remove || defaultSender === undefined || senders === undefined || senders.includes(defaultSender))
    return [];
  return [
    {
      place: placeOf(user, 'defaultSender'),
      sentence: `${defaultSender} is not among the "senders" that this user is limited to`,
    },
  ];
}

function checkDefaultBook(user: UserPlan): readonly Fault[] {
  const { defaultAddressBook, addressBooks, remove } = user;
  if (remove || defaultAddressBook === undefined || addressBooks.includes(defaultAddressBook)) return [];
  const sentence = `"${defaultAddressBook}" is not among the "addressBooks" that this user may read`;
  return [{ place: placeOf(user, 'defaultAddressBook'), sentence }];
}

/** An answer to a rented number is its renter's, one to the pool belongs to whoever asked. */
function checkPool(number: NumberPlan): readonly Fault[] {
  if (number.remove) return [];
  if (number.company !== undefined && !number.pool) {
    const sentence = 'says whose pool the number is in, so it needs "pool: true" beside it';
    return [{ place: placeOf(number, 'company'), sentence }];
  }
  if (!number.pool || number.rentedBy === undefined) return [];
  const sentence = `a number is either in the pool or rented; this one is rented by ${number.rentedBy}`;
  return [{ place: placeOf(number, 'pool'), sentence }];
}
