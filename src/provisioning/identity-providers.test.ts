/** Tests identity providers in the provisioning file: reading, comparing, reporting and storing them. */
import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listProviders, placeOfClientSecret } from '../accounts/identity-providers.ts';
import { Sealing } from '../foundation/sealing.ts';
import type { Store } from '../storage/store.ts';

eachStore('applying identity providers', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf, faultsOf } = provisioningOf(() => store);
  const company = 'companies: [{ name: Care }]\n';
  const care = (more: string) =>
    `oidc: [{ name: care, issuer: "https://login.example/x", clientId: carillon ${more} }]`;
  const stored = async () => (await store.read(listProviders, null))[0];

  test('[PORT-12] [RUN-3] A provisioning file makes, changes and removes identity providers, and the report shows no secret', async () => {
    const staff = ', roles: { claim: groups, map: { staff: [send] } }';
    const file = `${company}${care(`, company: Care, label: Care, clientSecret: "first one", create: true${staff}`)}`;
    expect(await linesOf(file)).toEqual([
      '+ company Care',
      '+ identity provider care: company Care, label Care, issuer https://login.example/x, clientId carillon, roles {"claim":"groups","map":{"staff":["send"]}}, create true',
    ]);
    expect(await linesOf(file)).toEqual([]);
    const sealed = (await stored())?.clientSecret ?? '';
    expect(sealed).not.toContain('first one');
    expect(new Sealing('of a test').open(sealed, placeOfClientSecret('care'))).toBe('first one');
    expect(await linesOf(file.replace('first one', 'second one'))).toEqual([
      '~ identity provider care: clientSecret changed',
    ]);
    expect(await linesOf(`${company}${care(', clientSecret: "second one"')}`)).toEqual([
      expect.stringMatching(
        /^~ identity provider care: company Care -> any, label Care -> care, roles \{.*\} -> as they are, create true -> false$/,
      ),
    ]);
    expect(await linesOf(`${company}${care('')}`)).toEqual([
      '~ identity provider care: clientSecret changed',
    ]);
    expect((await stored())?.clientSecret).toBeUndefined();
    expect(await linesOf('oidc: [{ name: care, remove: true }]')).toEqual(['- identity provider care']);
    expect(await stored()).toBeUndefined();
  });

  test('[PORT-12] [RUN-3] An identity provider whose users could be anybody, or have no company, is refused', async () => {
    const faultOf = async (issuer: string) =>
      (await faultsOf(`oidc: [{ name: x, clientId: c, issuer: "${issuer}" }]`))[0];
    for (const whose of ['common', 'organizations', 'consumers'])
      expect(await faultOf(`https://login.microsoftonline.com/${whose}/v2.0`)).toMatch(
        /anybody with a Microsoft account/,
      );
    expect(await faultOf('http://login.example')).toMatch(/must begin with https/);
    expect(await faultOf('https://login.example?x=1')).toMatch(/no query/);
    expect(await faultsOf(care(', company: Nobody'))).toEqual([
      expect.stringContaining('there is no company "Nobody"'),
    ]);
    expect(await faultsOf(`${company}${care(', company: Care, create: true')}`)).toEqual([
      expect.stringContaining('needs "company" and "roles" too'),
    ]);
    await linesOf(`${company}${care(', company: Care')}`);
    expect(await faultsOf('companies: [{ name: Care, remove: true }]')).toEqual([
      expect.stringContaining('the identity provider care is for users of the company Care; remove it too'),
    ]);
  });
});
