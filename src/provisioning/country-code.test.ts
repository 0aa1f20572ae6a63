import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findCaller } from '../accounts/caller.ts';
import type { Store } from '../storage/store.ts';
import { countryCodeOf } from '../wire/phone-number.ts';

const file = (more: string) =>
  `companies: [{ name: Nordic Care${more}, users: [{ username: alice, id: 11, roles: [send] }] }]`;

eachStore('the country code of a company in a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf, faultsOf } = provisioningOf(() => store);
  const codeOf = async (given?: string) => countryCodeOf((await findCaller(store, 11)) ?? {}, given);

  test('[RUN-3] [SEND-2] The company’s country code applies to its users where a call gives none, and goes with its key', async () => {
    await linesOf(file(''));
    expect([await codeOf(), await codeOf('47')]).toEqual([undefined, '47']);
    expect(await linesOf(file(', countryCode: "46"'))).toEqual([
      '~ company Nordic Care: countryCode none -> 46',
    ]);
    expect([await codeOf(), await codeOf('47'), await codeOf('')]).toEqual(['46', '47', '46']);
    expect(await linesOf(file(', countryCode: "46"'))).toEqual([]);
    expect(await linesOf(file(''))).toEqual(['~ company Nordic Care: countryCode 46 -> none']);
    expect(await codeOf()).toBeUndefined();
  });

  test.each(['"+46"', '"046"', '"46 "', '""'])(
    '[RUN-3] A company’s country code of %s is reported with its place',
    async (code) => {
      const [fault] = await faultsOf(file(`, countryCode: ${code}`));
      expect(fault).toMatch(/^companies\[0\]\.countryCode \(line 1, column \d+\): .*is not a country code/);
    },
  );
});
