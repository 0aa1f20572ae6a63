import { expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { systemClock } from '../foundation/clock.ts';
import { listRoutes } from '../routing/route-records.ts';
import type { Store } from '../storage/store.ts';
import { createDemoCompany } from './demo.ts';

const op1 = '{ name: op1, type: smpp, host: 127.0.0.1, systemId: nordic, password: secret }';
const sweden = '{ prefix: "46", carriers: [op1] }';

eachStore('a simulator beside a real carrier', (engine) => {
  const fresh = async () => {
    const { store } = await engine.openFreshStore();
    await createDemoCompany(store, systemClock);
    return { store, ...provisioningOf(() => store) };
  };
  const simulated = async (store: Store) =>
    (await store.read(listRoutes, null)).map((route) => [route.name, route.simulated]);

  test('[RUN-3] [RUN-8] [DLV-1] A simulator beside a real carrier may keep no route that is not marked as simulated', async () => {
    const { faultsOf, store } = await fresh();
    expect(await faultsOf(`carriers: [${op1}]\nroutes: [${sweden}]`)).toEqual([
      expect.stringMatching(
        /^routes\[0\].*the simulator sim .*the route "all" leads to it; remove that route/,
      ),
    ]);
    expect(
      await faultsOf(`carriers: [${op1}]\nroutes: [${sweden}, { prefix: "47", carriers: [op1, sim] }]`),
    ).toEqual([
      expect.stringContaining('the route "all" leads to it'),
      expect.stringMatching(/^routes\[1\]\.carriers.*; set "simulated: true" if that is intended/),
    ]);
    expect(await simulated(store)).toEqual([['all', false]]);
  });

  test('[RUN-3] [RUN-8] [DLV-1] A simulator beside a real carrier keeps a route marked as simulated, and the file can remove the demo’s route', async () => {
    const { linesOf, store } = await fresh();
    const tests = '{ prefix: "4799", carriers: [sim], simulated: true }';
    const lines = await linesOf(
      `carriers: [${op1}]\nroutes: [${sweden}, ${tests}, { name: all, remove: true }]`,
    );
    expect(lines.join('\n')).toContain('route 4799');
    expect(await simulated(store)).toEqual([
      ['46', false],
      ['4799', true],
    ]);
  });

  test('[RUN-3] [RUN-8] [DLV-1] A simulator beside a real carrier is not a fault as long as no route leads to the real one', async () => {
    const { linesOf } = await fresh();
    expect((await linesOf(`carriers: [${op1}]`)).join()).toContain('carrier op1');
  });

  test('[RUN-3] [RUN-8] [DLV-1] A simulator beside a real carrier holds up no file that is about something else', async () => {
    const { linesOf, faultsOf, store } = await fresh();
    await linesOf(
      `carriers: [${op1}]\nroutes: [${sweden}, { name: all, prefix: "", carriers: [sim], simulated: true }]`,
    );
    expect(await faultsOf('routes: [{ name: all, prefix: "", carriers: [sim], simulated: false }]')).toEqual([
      expect.stringMatching(/^routes\[0\]\.carriers/),
    ]);
    await linesOf('companies: [{ name: Other }]');
    expect(await simulated(store)).toEqual([
      ['46', false],
      ['all', true],
    ]);
  });
});
