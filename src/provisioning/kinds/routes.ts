/** Routes in a provisioning file: which carriers take messages to which numbers. */
import { isDeepStrictEqual } from 'node:util';
import { type Route, simulatedRoutes } from '../../routing/route.ts';
import { routeRecords } from '../../routing/route-records.ts';
import { hasDecimals, withoutSeparators } from '../../wire/phone-number.ts';
import type { Fault } from '../../yaml/fault.ts';
import { explicitList, flag, list, optional, type Read, text, wholeNumber } from '../../yaml/fields.ts';
import { name, remove, sender, username } from '../objects/fields.ts';
import { type Kind, keeping, removedAmong, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { carriers } from './carriers.ts';
import { userRemovers, users } from './users.ts';

interface RoutePlan extends Planned, Required<Route> {
  readonly priority: number;
  readonly simulated: boolean;
}

const prefix = text((written) => {
  const digits = withoutSeparators(written);
  return /^([1-9]\d{0,14})?$/.test(digits) && !hasDecimals(written)
    ? { value: digits }
    : { wrong: 'must be the first digits of numbers, country code first; "" is for all numbers' };
});

/** A route for nobody would be a mistake. */
function someNames(read: Read<string>, noun: string, leftOut = ''): Read<readonly string[]> {
  return (tree, faults) => {
    if (tree.kind === 'list' && tree.items.length === 0) {
      faults.push({ place: tree.place, sentence: `must name at least one ${noun}${leftOut}` });
    }
    return leftOut === '' ? list(read)(tree, faults) : explicitList(read, 'any')(tree, faults);
  };
}

const orLeftOut = '; leave the key out for any';

const routeFields = planned({
  name: optional(name, undefined),
  prefix: optional(prefix, undefined),
  carriers: optional(someNames(name, 'carrier'), []),
  senders: optional(someNames(sender, 'sender', orLeftOut), undefined),
  users: optional(someNames(username, 'user', orLeftOut), undefined),
  priority: optional(wholeNumber(-1_000_000, 1_000_000), 0),
  simulated: optional(flag, false),
  remove,
});

const route: Read<RoutePlan> = (tree, faults) => {
  const read = routeFields(tree, faults);
  if (read === undefined) return undefined;
  const { place, fieldPlaces } = read;
  if (!('prefix' in fieldPlaces || (read.remove && 'name' in fieldPlaces))) {
    faults.push({ place, sentence: 'needs a key "prefix"; "" is for all numbers' });
  }
  if (!(read.remove || 'carriers' in fieldPlaces)) {
    faults.push({ place, sentence: 'needs a key "carriers" with at least one carrier' });
  }
  return { ...read, name: read.name ?? read.prefix ?? '', prefix: read.prefix ?? '' };
};

export const routes: Kind<RoutePlan, Route> = {
  section: 'routes',
  within: 'file',
  noun: 'this route',
  read: route,
  keyField: 'name',
  hasEmptyKey: true,
  keyOf: ({ name }) => name,
  mentions: ({ users = [] }) => ({ users: { keys: users } }),
  load: routeRecords.all,
  after({ name, prefix, carriers, senders, users, priority, simulated }, before, _, keeps) {
    const wanted = {
      name,
      prefix,
      carriers,
      senders: once(senders),
      users: once(users),
      priority,
      simulated,
    };
    return keeping<Route>(wanted, before, keeps, ['name', 'prefix', 'carriers']);
  },
  describe: lines(({ name }) => `route ${name === '' ? '""' : name}`, {
    absent: { senders: 'any', users: 'any' },
    ordinary: { priority: 0, simulated: false },
  }),
  faultsOf: routeFaults,
  faults: (view) => [...simulationFaults(view), ...carrierFaults(view), ...userFaults(view)],
  create: routeRecords.put,
  change: routeRecords.put,
  remove: routeRecords.remove,
  news: ['carriers'],
};

function once(names: readonly string[] | undefined): readonly string[] | undefined {
  return names && [...new Set(names)];
}

function routeFaults(asked: RoutePlan, view: View): readonly Fault[] {
  if (asked.remove) return [];
  const unknown = (field: 'carriers' | 'users', noun: string, known: ReadonlyMap<string, unknown>) =>
    (asked[field] ?? [])
      .filter((name) => !known.has(name))
      .map((name) => faultAt(asked, field, `there is no ${noun} "${name}"`));
  const faults = [
    ...unknown('carriers', 'carrier', view.after(carriers)),
    ...unknown('users', 'user', view.after(users)),
  ];
  const all = view.after(routes);
  const own = all.get(asked.name);
  const twin = [...all.values()].find((other) => own && other.name !== own.name && servesAlike(other, own));
  if (twin === undefined) return faults;
  const sentence = `the route "${twin.name}" is for the same numbers, senders and users with the same priority; give one of them another priority, or name all carriers in one of them and remove the other`;
  return [...faults, faultAt(asked, 'prefix', sentence)];
}

/** Two such routes would be the same: most likely, the author meant one of them as a fallback for the other. */
function servesAlike(a: Route, b: Route): boolean {
  const same = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
    isDeepStrictEqual(one && new Set(one), other && new Set(other));
  return (
    a.prefix === b.prefix && a.priority === b.priority && same(a.senders, b.senders) && same(a.users, b.users)
  );
}

/** A message that a simulator reports as delivered reaches nobody. */
function simulationFaults(view: View): readonly Fault[] {
  const [all, asked] = [view.after(carriers), view.asked(routes)];
  const isReal = (name: string) => all.has(name) && all.get(name)?.type !== 'simulator';
  const real =
    [...asked.values()].find((route) => !route.remove && route.carriers?.some(isReal)) ??
    [...view.asked(carriers).values()].find(({ name }) => isReal(name));
  return simulatedRoutes(view.after(routes).values(), all.values())
    .filter(({ simulated }) => simulated !== true)
    .flatMap(({ name, carriers: taking }) => {
      const simulator = taking.find((one) => all.get(one)?.type === 'simulator') ?? '';
      const why = `the simulator ${simulator} reports messages as delivered although no phone gets them, while there are routes to real carriers`;
      const route = asked.get(name);
      if (route !== undefined)
        return [faultAt(route, 'carriers', `${why}; set "simulated: true" if that is intended`)];
      if (real === undefined) return [];
      const sentence = `${why}: the route "${name}" leads to it; remove that route too, or set "simulated: true" there`;
      return [faultAt(real, 'name', sentence)];
    });
}

/** Checks only routes that are not in the file; for the others, the carriers have already been checked. */
function carrierFaults(view: View): readonly Fault[] {
  const untouched = [...view.before(routes).values()].filter(({ name }) => !view.asked(routes).has(name));
  return removedAmong(view.asked(carriers)).flatMap((carrier) => {
    const route = untouched.find(({ carriers }) => carriers.includes(carrier.name));
    if (route === undefined) return [];
    const sentence = `the route "${route.name}" uses the carrier ${carrier.name}; change or remove that route too`;
    return [faultAt(carrier, 'remove', sentence)];
  });
}

/** Checks only routes whose users are not given in the file; all others have already been checked. */
function userFaults(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  if (removers.size === 0) return [];
  return [...view.after(routes).values()]
    .filter(({ name }) => view.asked(routes).get(name)?.users === undefined)
    .flatMap(({ name, users = [] }) =>
      users.flatMap((username) => {
        const remover = removers.get(username);
        if (remover === undefined) return [];
        const sentence = `the route "${name}" is limited to the user ${username}; change or remove that route too`;
        return [faultAt(remover, 'remove', sentence)];
      }),
    );
}
