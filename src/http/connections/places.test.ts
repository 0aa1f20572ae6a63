import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { networkOf, wideNetworkOf } from '../origin.ts';
import { type ConnectionPlace, ConnectionPlaces, type PlaceLimits } from './places.ts';

const small: PlaceLimits = {
  maxConnections: 12,
  maxUnauthenticated: 8,
  maxPerNetwork: 4,
  maxPerWideNetwork: 6,
  isOldestReplaced: true,
};

/** Places with names, and the names of those displaced, in order. */
function placesWith(limits: PlaceLimits) {
  const places = new ConnectionPlaces(limits);
  const displaced: string[] = [];
  return {
    places,
    displaced,
    admit: (name: string, address: string, isTrusted = false): ConnectionPlace | undefined =>
      places.admit({ address, isTrusted, displace: () => displaced.push(name) }),
  };
}

describe('places of connections', () => {
  test('[DLV-8] A new client at a full address displaces the oldest unauthenticated one there, and none at other addresses', () => {
    const { admit, displaced } = placesWith(small);
    admit('other', '192.0.3.1');
    for (const name of ['a', 'b', 'c', 'd']) admit(name, '192.0.2.1');
    expect(displaced).toEqual([]);
    admit('e', '192.0.2.1');
    expect(displaced).toEqual(['a']);
    admit('f', '192.0.2.2');
    admit('g', '192.0.2.2');
    expect(displaced).toEqual(['a']);
    // The network around both is full, so its largest address gives up a place.
    admit('h', '192.0.2.3');
    expect(displaced).toEqual(['a', 'b']);
  });

  test('[DLV-8] An authenticated client keeps its place, however many unauthenticated ones come from its address', () => {
    const { admit, displaced, places } = placesWith(small);
    admit('customer', '192.0.2.1')?.know();
    for (let index = 0; index < 1_000; index++) expect(admit(`${index}`, '192.0.2.1')).toBeDefined();
    expect(displaced).toHaveLength(997);
    expect(displaced).not.toContain('customer');
    expect([places.size, places.strangers]).toEqual([4, 3]);
    // Each further connection of the customer gets a place, and keeps it once the customer is known.
    const [second, third] = [admit('second', '192.0.2.1'), admit('third', '192.0.2.1')];
    second?.know();
    third?.know();
    admit('fourth', '192.0.2.1')?.know();
    expect(admit('fifth', '192.0.2.1')).toBeUndefined();
    expect(displaced).not.toContain('second');
  });

  test('[DLV-8] Unauthenticated clients of one network, and of all networks, leave room for other networks and for known clients', () => {
    const { admit, displaced, places } = placesWith(small);
    for (let index = 0; index < 100; index++) admit(`a${index}`, `192.0.2.${index}`);
    expect(places.size).toBe(6);
    admit('b', '198.51.100.1');
    admit('c', '203.0.113.1');
    admit('d', '2001:db8::1');
    expect(displaced.every((name) => name.startsWith('a'))).toBe(true);
    expect(places.strangers).toBe(8);
    for (let index = 0; index < 4; index++) admit(`proxy${index}`, '10.0.0.1', true);
    expect(places.size).toBe(12);
    expect(admit('proxy4', '10.0.0.1', true)).toBeDefined();
    expect(displaced.at(-1)).toMatch(/^a/);
  });

  test('[DLV-8] IPv6 connections are counted by subscriber network, and by the 48-bit network around it', () => {
    const { admit, places } = placesWith({ ...small, isOldestReplaced: false });
    const admitted = (...addresses: readonly string[]) => addresses.filter((one) => admit(one, one)).length;
    expect(admitted('2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8::5')).toBe(4);
    expect(admitted('2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:3::1')).toBe(2);
    expect(admitted('2001:db8:1::1')).toBe(1);
    expect(places.size).toBe(7);
  });

  test('[DLV-8] Connection counts match the open connections, whatever comes, goes and becomes known', () => {
    const addresses = [
      '192.0.2.1',
      '192.0.2.2',
      '192.0.3.1',
      '198.51.100.1',
      '2001:db8::1',
      '2001:db8:0:1::1',
    ];
    const act = fc.record({
      what: fc.constantFrom('admit', 'admit', 'admit', 'know', 'end', 'proxy'),
      at: fc.nat({ max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), fc.boolean(), (acts, isOldestReplaced) => {
        const limits = { ...small, isOldestReplaced };
        const places = new ConnectionPlaces(limits);
        const open = new Map<ConnectionPlace, { readonly address: string; isUnauthenticated: boolean }>();
        for (const { what, at } of acts) {
          if (what === 'admit' || what === 'proxy') {
            const isTrusted = what === 'proxy';
            const address = addresses[at % addresses.length] as string;
            const before = open.size;
            const giveWay = () =>
              void open.delete([...open.keys()].find((one) => one.displace === giveWay) as ConnectionPlace);
            const place = places.admit({ address, isTrusted, displace: giveWay });
            if (place !== undefined)
              open.set(place, { address: isTrusted ? '' : address, isUnauthenticated: !isTrusted });
            else expect(open.size).toBe(before);
          }
          const [place, connection] = [...open][at % Math.max(1, open.size)] ?? [];
          if (what === 'know' && connection !== undefined) {
            place?.know();
            connection.isUnauthenticated = false;
          }
          if (what === 'end' && place !== undefined) {
            place.end();
            place.end();
            open.delete(place);
          }
          const all = [...open.values()];
          const strangers = all.filter(({ isUnauthenticated }) => isUnauthenticated);
          expect([places.size, places.strangers]).toEqual([all.length, strangers.length]);
          expect(all.length).toBeLessThanOrEqual(limits.maxConnections);
          expect(strangers.length).toBeLessThanOrEqual(limits.maxUnauthenticated);
          const counted = all.filter(({ address }) => address !== '');
          for (const address of addresses) {
            const of = (network: (address: string) => string) =>
              counted.filter((one) => network(one.address) === network(address)).length;
            expect(of(networkOf)).toBeLessThanOrEqual(limits.maxPerNetwork);
            expect(of(wideNetworkOf)).toBeLessThanOrEqual(limits.maxPerWideNetwork);
          }
        }
      }),
    );
  });

  test('[DLV-8] [CONV-12] Finding a place takes no longer when all are taken, however many networks hold them', async () => {
    const displaceAll = (strangers: number) => {
      const many = {
        maxConnections: 2 * strangers,
        maxUnauthenticated: strangers,
        maxPerNetwork: strangers,
        maxPerWideNetwork: strangers,
      };
      const { admit, displaced } = placesWith({ ...many, isOldestReplaced: true });
      const addressOf = (index: number) => `${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}.1`;
      for (let index = 0; index < 3 * strangers; index++) admit('', addressOf(index));
      expect(displaced).toHaveLength(2 * strangers);
    };
    // If each of them looked at all others, the time would be quadratic.
    await expectLinearTime(displaceAll, { from: 300, times: 10 });
  });
});
