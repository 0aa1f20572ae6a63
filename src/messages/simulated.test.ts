import { expect, test } from 'vitest';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { listSimulated, putMessages } from '../../test/harness/delivery-verbs.ts';
import { claim, part, record, retrying, sent } from '../../test/harness/outcomes.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { claimMessages } from './dispatch/claim.ts';
import { recordOutcomes } from './dispatch/store.ts';

const may = Date.parse('2026-05-31T23:59:59.999Z');

eachStore('what simulators took', (engine) => {
  const given = deliveryStore(engine);
  const counted = () => given.store.read(listSimulated, null);

  test('[RUN-8] Parts that simulators took are counted by user, cost centre and month of acceptance', async () => {
    await given.store.write(putMessages, [
      { id: 1, createdAt: may },
      { id: 2, createdAt: may + 1, parts: 2 },
      { id: 3, createdAt: may + 1 },
    ]);
    await given.store.write(claimMessages, { ...claim, now: may + 5_000 });
    const taken = [part(1), part(2, 1, 2), part(2, 2, 2), part(3)];
    const advances = [sent(1), sent(2), sent(3)];
    await given.store.write(recordOutcomes, { ...record(7), isSimulator: true, advances, taken });
    expect(await counted()).toEqual([
      { month: '2026-05', parts: 1 },
      { month: '2026-06', parts: 3 },
    ]);
  });

  test('[RUN-8] Parts of real carriers and of lost claims are not counted as simulated, and parts taken later are added', async () => {
    await given.store.write(putMessages, [
      { id: 1, createdAt: may },
      { id: 2, createdAt: may, parts: 2 },
    ]);
    await given.store.write(claimMessages, { ...claim, now: may + 5_000 });
    await given.store.write(recordOutcomes, { ...record(7), advances: [sent(1)], taken: [part(1)] });
    const simulator = { isSimulator: true } as const;
    const late = { ...record(8), ...simulator, advances: [sent(2)], taken: [part(2, 1, 2)] };
    await given.store.write(recordOutcomes, late);
    expect(await counted()).toEqual([]);
    const again = { ...retrying(2), handedOver: true };
    const first = { ...record(7), ...simulator, advances: [again], taken: [part(2, 1, 2)] };
    await given.store.write(recordOutcomes, first);
    expect(await counted()).toEqual([{ month: '2026-05', parts: 1 }]);
  });
});
