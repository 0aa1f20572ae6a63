import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isNamed, SenderTurns } from './carriers-by-sender.ts';
import type { Route } from './route.ts';
import { RoutingTable } from './routing-table.ts';

const carriers = ['one', 'two', 'three'].map((name, index) => ({ id: index + 1, name }));
const numbers = ['46700001', '46700002', '72001', '999999999999999'];
const users = ['anna', 'bo'];

describe('the carriers of messages whose sender is chosen later', () => {
  test('[SEND-16] [DLV-2] A message whose sender is chosen later gets the carriers of messages from that number, whatever the routes', () => {
    const names = fc.subarray(['one', 'two', 'three', 'gone'], { minLength: 1 });
    const given = fc.array(
      fc.record({
        prefix: fc.constantFrom('', '4', '46', '467', '47'),
        carriers: names,
        senders: fc.option(fc.subarray([...numbers, 'Shop', '0123'], { minLength: 1 }), { nil: undefined }),
        users: fc.option(fc.subarray(users, { minLength: 1 }), { nil: undefined }),
        priority: fc.constantFrom(0, 0, 1),
      }),
      { maxLength: 8 },
    );
    const usable = fc.subarray([1, 2, 3]);
    const to = fc.constantFrom('46701740600', '4612345678', '4712345678', '12345678');
    fc.assert(
      fc.property(given, usable, to, fc.constantFrom(...users, 'cy'), (some, up, number, username) => {
        const routes = some.map((route, index): Route => ({ ...route, name: `route ${index}` }));
        const table = new RoutingTable(routes, carriers, (id) => up.includes(id));
        const found = table.carriersBySender(username)(number);
        const wayFrom = (sender: string) => table.carrierFor(number, { sender, username });
        const named = new Set(
          routes
            .filter((route) => number.startsWith(route.prefix) && `${route.carriers}` !== 'gone')
            .flatMap(({ senders }) => senders ?? []),
        );
        for (const sender of numbers) {
          const ways = new Set([1, 2, 3, 4, 5, 6].map(() => wayFrom(sender)));
          const turns = new SenderTurns();
          const chosen = found && [1, 2, 3, 4, 5, 6].map(() => turns.carrierFrom(found, sender));
          const isThere = named.has(sender) && !ways.has(undefined);
          expect(found !== undefined && isNamed(found, sender)).toBe(isThere);
          if (isThere) expect(new Set(chosen)).toEqual(ways);
        }
        if (found !== undefined) expect(found.hasOthers).toBe(wayFrom('') !== undefined);
      }),
      { numRuns: 500 },
    );
  });

  test('[SEND-16] [DLV-2] Carriers of messages whose sender is chosen later take turns, within a call and over calls', () => {
    const table = new RoutingTable(
      [{ name: 'shared', prefix: '46', carriers: ['one', 'two'], senders: numbers }],
      carriers,
    );
    const firsts = new Set<number | undefined>();
    for (let call = 0; call < 2; call++) {
      const found = table.carriersBySender('anna')('46701740600');
      const turns = new SenderTurns();
      const taken = [1, 2, 3, 4].map((_, index) => found && turns.carrierFrom(found, numbers[index] ?? ''));
      expect([...taken].sort()).toEqual([1, 1, 2, 2]);
      firsts.add(taken[0]);
    }
    expect(firsts.size).toBe(2);
  });

  test('[SEND-16] [DLV-8] Recipients of a call that find the same routes share one set of carriers by sender, even in another thread', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => String(46_700_000_000 + 7 * index));
    const routes = many.map((number) => ({
      name: number,
      prefix: '46',
      carriers: ['two'],
      senders: [number],
    }));
    const table = new RoutingTable([...routes, { name: 'all', prefix: '', carriers: ['one'] }], carriers);
    const carriersTo = table.carriersBySender('anna');
    const all = Array.from({ length: 30_000 }, (_, index) => carriersTo(String(46_731_000_000 + index)));
    expect(new Set(all).size).toBe(1);
    const [found] = structuredClone(all);
    expect(new Set(structuredClone(all)).size).toBe(1);
    const turns = new SenderTurns();
    for (const number of many) expect(found && turns.carrierFrom(found, number)).toBe(2);
    expect(found && turns.carrierFrom(found, '46700000001')).toBeUndefined();
    expect(carriersTo('4712345678')).toBeUndefined();
    // The next call returns these very numbers, not a copy.
    expect(table.carriersBySender('bo')('46731000000')?.numbers).toBe(all[0]?.numbers);
  });
});
