import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import { type Explanation, explainRoutes } from './explain.ts';
import type { Origin, Route } from './route.ts';
import { RoutingTable } from './routing-table.ts';

const names = ['one', 'two', 'three'];
const carriers = names.map((name, index) => ({
  id: index + 1,
  name,
  type: 'simulator' as const,
  settings: {},
}));
const senders = ['Clinic', 'Shop'];
const users = ['anna', 'bo'];

const route = fc.record({
  prefix: fc.constantFrom('', '4', '46', '467', '47'),
  carriers: fc.array(fc.constantFrom(...names, 'gone'), { minLength: 1, maxLength: 3 }),
  senders: fc.option(fc.subarray(senders, { minLength: 1 }), { nil: undefined }),
  users: fc.option(fc.subarray(users, { minLength: 1 }), { nil: undefined }),
  priority: fc.constantFrom(-1, 0, 5),
});
const routes = fc
  .array(route, { maxLength: 10 })
  .map((some) => some.map((one, index): Route => ({ ...one, name: `route ${index}` })));
const origin = fc.record({
  sender: fc.constantFrom(...senders, ''),
  username: fc.constantFrom(...users, ''),
});
const number = fc.constantFrom('46701740600', '46', '4712345678', '15550100200');
const ups = fc.subarray([1, 2, 3]).map((ids) => new Set(ids));

/**
 * Applies the rules of docs/routing.md without regard for speed: returns the carriers of the first rank that has a usable
 * carrier or, if no rank has one, those of the very first rank.
 */
function expected(
  given: readonly Route[],
  to: string,
  from: Origin,
  usable: ReadonlySet<number>,
): Set<number> {
  const idsOf = (some: readonly Route[]) =>
    some.flatMap((one) =>
      one.carriers.flatMap((name) => carriers.find((known) => known.name === name)?.id ?? []),
    );
  const serves = (one: Route) =>
    to.startsWith(one.prefix) &&
    (one.senders === undefined || one.senders.includes(from.sender)) &&
    (one.users === undefined || one.users.includes(from.username)) &&
    idsOf([one]).length > 0;
  const serving = given.filter(serves);
  const longest = Math.max(...serving.map(({ prefix }) => prefix.length));
  const ofPrefix = serving.filter(({ prefix }) => prefix.length === longest);
  const ranks: number[][] = [];
  for (const limited of [true, false])
    for (const priority of [5, 0, -1]) {
      const rank = ofPrefix.filter(
        (one) =>
          (one.senders !== undefined || one.users !== undefined) === limited && one.priority === priority,
      );
      if (rank.length > 0) ranks.push(idsOf(rank));
    }
  const first = ranks.find((ids) => ids.some((id) => usable.has(id)));
  return new Set(first?.filter((id) => usable.has(id)) ?? ranks[0] ?? []);
}

describe('the choice of a carrier', () => {
  test('[DLV-2] The choice of a carrier follows the rules, whatever the routes, the message and the carriers that are down', () => {
    fc.assert(
      fc.property(routes, number, origin, ups, (given, to, from, usable) => {
        const table = new RoutingTable(given, carriers, (id) => usable.has(id));
        const wanted = expected(given, to, from, usable);
        // There are enough calls for each carrier to have its turn.
        const turns = Array.from({ length: 40 }, () => table.carrierFor(to, from));
        expect(new Set(turns)).toEqual(wanted.size === 0 ? new Set([undefined]) : wanted);
      }),
      { numRuns: 500 },
    );
  });

  test('[DLV-2] The explanation of a carrier choice agrees with the choice that is made', () => {
    fc.assert(
      fc.property(routes, number, origin, ups, (given, to, from, usable) => {
        const explained = explainRoutes({
          routes: given,
          carriers,
          number: to,
          origin: from,
          isUsable: (id) => usable.has(id),
        });
        const wanted = expected(given, to, from, usable);
        const ids = explained.carriers.map((name) => names.indexOf(name) + 1);
        expect(new Set(ids)).toEqual(wanted);
        expect(explained.steps.some(({ isTaken }) => isTaken)).toBe(wanted.size > 0);
        expect(explained.waits).toBe(wanted.size > 0 && ![...wanted].some((id) => usable.has(id)));
        for (const { because } of explained.steps) expect(because).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('[DLV-2] A refused message goes to each carrier of its routes that has not refused it, and then to none', () => {
    fc.assert(
      fc.property(routes, number, origin, ups, (given, to, from, usable) => {
        const table = new RoutingTable(given, carriers, (id) => usable.has(id));
        const refusedBy = new Set<number>();
        const order: number[] = [];
        for (let id = table.carrierFor(to, from); id !== undefined; ) {
          expect(refusedBy.has(id)).toBe(false);
          refusedBy.add(id);
          order.push(id);
          id = table.carrierAfter(refusedBy, to, from);
        }
        // Carriers that are down come last.
        const down = order.map((id) => !usable.has(id));
        expect(down).toEqual([...down].sort());
        expect(refusedBy).toEqual(expected(allOfOneRank(given), to, from, new Set([1, 2, 3])));
      }),
      { numRuns: 500 },
    );
  });

  /** The same routes, as if all routes of a prefix shared its load. */
  function allOfOneRank(given: readonly Route[]): readonly Route[] {
    return given.flatMap((one) => [
      { ...one, priority: 0 },
      ...given
        .filter(
          (other) => other.prefix === one.prefix && other.senders === undefined && other.users === undefined,
        )
        .map((other) => ({ ...one, priority: 0, carriers: other.carriers })),
    ]);
  }

  test('[DLV-2] The explanation of a carrier choice gives the reason for each route that is passed over', () => {
    const given: readonly Route[] = [
      { name: 'all', prefix: '', carriers: ['one'] },
      { name: 'sweden', prefix: '46', carriers: ['two'] },
      { name: 'clinic', prefix: '46', carriers: ['three'], senders: ['Clinic'], users: ['anna'] },
      { name: 'backup', prefix: '46', carriers: ['one'], priority: -1 },
      { name: 'old', prefix: '467', carriers: ['gone'] },
      { name: 'norway', prefix: '47', carriers: ['one'] },
    ];
    const explain = (from: Origin, ...usable: number[]): Explanation =>
      explainRoutes({
        routes: given,
        carriers,
        number: '46701740600',
        origin: from,
        isUsable: (id) => usable.includes(id),
      });
    const stepsOf = ({ steps }: Explanation) =>
      steps.map(({ route: { name }, because }) => `${name}: ${because}`);
    const anna = { sender: 'Clinic', username: 'anna' };
    expect(stepsOf(explain(anna, 1, 2, 3))).toEqual([
      'old: none of its carriers exists any more',
      'clinic: takes it',
      'sweden: failover: not needed now',
      'backup: failover: not needed now',
      'all: a route with a longer prefix serves this message',
    ]);
    expect(stepsOf(explain(anna, 1))).toEqual([
      'old: none of its carriers exists any more',
      'clinic: its carriers are down',
      'sweden: its carriers are down',
      'backup: takes it',
      'all: a route with a longer prefix serves this message',
    ]);
    expect(stepsOf(explain({ sender: 'Shop', username: 'bo' }))).toEqual([
      'old: none of its carriers exists any more',
      'clinic: only for the user anna and the sender Clinic',
      'sweden: all carriers are down; it waits here',
      'backup: failover: its carriers are down too',
      'all: a route with a longer prefix serves this message',
    ]);
  });

  test('[DLV-2] Finding the carrier takes the same time, however many routes there are', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => `${1_000 + index}1740600`);
    const from = { sender: 'Clinic', username: 'anna' };
    const tables = new Map<number, RoutingTable>();
    for (const count of [500, 5_000]) {
      const many: Route[] = Array.from({ length: count }, (_, index) => ({
        name: `route ${index}`,
        prefix: String(10 + index),
        carriers: ['one', 'two'],
        ...(index % 2 === 0 ? { senders: ['Clinic'] } : {}),
      }));
      const all = [...many, { name: 'all', prefix: '', carriers: ['three'] }];
      tables.set(count, new RoutingTable(all, carriers));
    }
    // There are as many lookups as routes; if each looked at all routes, the time would be quadratic.
    const lookUp = (count: number) => {
      for (let at = 0; at < 10 * count; at++)
        tables.get(count)?.carrierFor(numbers[at % numbers.length] as string, from);
    };
    await expectLinearTime(lookUp, { from: 500, times: 10 });
  });
});
