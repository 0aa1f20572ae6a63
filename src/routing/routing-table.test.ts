import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CarrierRecord } from '../carriers/provisioned/carrier-record.ts';
import type { Route } from './route.ts';
import { RoutingTable } from './routing-table.ts';

function carrier(id: number, name: string): CarrierRecord {
  return { id, name, type: 'simulator', settings: {} };
}

const anyone = { sender: 'Clinic', username: 'anna' };
const carriers = [carrier(1, 'one'), carrier(2, 'two'), carrier(3, 'three')];

function route(prefix: string, ...names: readonly string[]): Route {
  return { name: prefix === '' ? 'all' : prefix, prefix, carriers: names };
}

describe('the routing table', () => {
  test('[DLV-2] The routing table finds the route with the longest prefix of the number', () => {
    const table = new RoutingTable([route('', 'one'), route('46', 'two'), route('46701', 'three')], carriers);
    expect(table.carrierFor('46701740600', anyone)).toBe(3);
    expect(table.carrierFor('46731230001', anyone)).toBe(2);
    expect(table.carrierFor('4670', anyone)).toBe(2);
    expect(table.carrierFor('4712345678', anyone)).toBe(1);
    expect(table.carrierFor('4', anyone)).toBe(1);
  });

  test('[DLV-2] A number that is itself the prefix of a route takes that route', () => {
    const table = new RoutingTable([route('46701', 'three')], carriers);
    expect(table.carrierFor('46701', anyone)).toBe(3);
    expect(table.carrierFor('4670', anyone)).toBeUndefined();
  });

  test('[DLV-2] A number without a route has no carrier', () => {
    expect(new RoutingTable([], carriers).carrierFor('46701740600', anyone)).toBeUndefined();
    expect(
      new RoutingTable([route('47', 'one')], carriers).carrierFor('46701740600', anyone),
    ).toBeUndefined();
  });

  test('[DLV-2] The carriers of a route take turns, each route separately', () => {
    const table = new RoutingTable([route('46', 'one', 'two'), route('47', 'two', 'three')], carriers);
    const turns = (number: string) => [1, 2, 3, 4].map(() => table.carrierFor(number, anyone));
    const swedish = turns('4670');
    expect(new Set(swedish)).toEqual(new Set([1, 2]));
    expect(swedish[0]).not.toBe(swedish[1]);
    expect(swedish.slice(2)).toEqual(swedish.slice(0, 2));
    expect(new Set(turns('4790'))).toEqual(new Set([2, 3]));
  });

  test('[DLV-2] Asking a copy of the routing table takes no turn from messages that are sent', () => {
    const table = new RoutingTable([route('46', 'one', 'two')], carriers);
    const first = table.carrierFor('4670', anyone);
    expect(table.copy().carrierFor('4670', anyone)).toBeDefined();
    expect(table.carrierFor('4670', anyone)).not.toBe(first);
    expect(table.nameOf(first ?? 0)).toBe(carriers[(first ?? 0) - 1]?.name);
  });

  test('[DLV-2] A route with a removed carrier uses its other carriers; if it has none, a shorter prefix applies', () => {
    const table = new RoutingTable(
      [route('', 'one'), route('46', 'gone', 'two'), route('467', 'gone')],
      carriers,
    );
    expect([1, 2, 3].map(() => table.carrierFor('4670', anyone))).toEqual([2, 2, 2]);
    expect(table.carrierFor('4712', anyone)).toBe(1);
  });

  test('[DLV-2] The carrier of a number is one of those of its longest prefix, whatever the routes are', () => {
    const digits = fc.stringMatching(/^[0-9]{0,4}$/);
    const names = fc.subarray(['one', 'two', 'three', 'gone'], { minLength: 1 });
    const routes = fc.uniqueArray(fc.record({ prefix: digits, carriers: names }), {
      selector: ({ prefix }) => prefix,
      maxLength: 12,
    });
    fc.assert(
      fc.property(routes, fc.stringMatching(/^[0-9]{1,8}$/), (given, number) => {
        const table = new RoutingTable(
          given.map((one) => ({ ...one, name: one.prefix })),
          carriers,
        );
        const ids = new Map(carriers.map(({ name, id }) => [name, id]));
        const served = given.filter(({ carriers: named }) => named.some((name) => ids.has(name)));
        const longest = served
          .filter(({ prefix }) => number.startsWith(prefix))
          .sort((a, b) => b.prefix.length - a.prefix.length)[0];
        const expected = (longest?.carriers ?? [])
          .map((name) => ids.get(name))
          .filter((id) => id !== undefined);
        const seen = new Set(expected.map(() => table.carrierFor(number, anyone)));
        // There are as many calls as carriers, so each has had its turn.
        expect(seen).toEqual(new Set(expected));
        if (expected.length === 0) expect(table.carrierFor(number, anyone)).toBeUndefined();
      }),
    );
  });
});
