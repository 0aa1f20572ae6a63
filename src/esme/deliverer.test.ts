import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { boundClient } from '../../test/harness/client-room.ts';
import { eraseIncoming, keepIncoming } from '../../test/harness/esme-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { enterNode } from '../messages/nodes/store.ts';
import type { Store } from '../storage/store.ts';
import { Deliverer } from './deliverer.ts';
import { beforeAll, readDeliveries } from './delivery.ts';

const userId = 11;
const nodeId = 1;
const nothing = () => undefined;

eachStore('delivering to an SMPP client', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Clinic' });
    await store.write(putUser, { id: userId, companyId: 1, username: 'anna' });
    await store.write(enterNode, { nodeId, now: 0 });
  });

  test('[ESME-3] What a client refuses for now holds up nothing else, and what is erased meanwhile is not delivered', async () => {
    const texts = [
      'first refused',
      'second refused',
      'erased',
      'one',
      'two',
      'third refused',
      'fourth refused',
    ];
    for (const [index, text] of texts.entries())
      await store.write(keepIncoming, { id: index + 1, userId, text });
    await store.write(eraseIncoming, 3);
    const clock = { time: 10_000, now: () => clock.time };
    const { session, heard, write } = await boundClient();
    const got: string[] = [];
    const deliverer = new Deliverer({
      store,
      clock,
      // The clock stands still, which is not the same as being set back.
      stopwatch: { elapsed: () => 0 },
      log: { info: nothing, warn: nothing, error: nothing },
      chance: () => 0.5,
      userId,
      nodeId,
      mayDeliver: () => true,
      window: () => 1,
      sessions: () => [session],
    });
    /** Answers all that has come, and returns whether that makes so many. */
    const answered = (count: number) => {
      for (const pdu of heard.splice(0)) {
        if (pdu.command !== 'deliverSm') continue;
        const text = pdu.shortMessage.toString();
        got.push(text);
        write({
          command: 'deliverSmResp',
          sequence: pdu.sequence,
          status: text.endsWith('refused') ? 0x64 : 0,
        });
      }
      deliverer.wake();
      return got.length >= count;
    };
    await until(() => answered(6));
    expect(got).toEqual(texts.filter((text) => text !== 'erased'));
    const left = async () =>
      (await store.read(readDeliveries, { userId, after: beforeAll, limit: 9 })).map(({ place }) => place);
    await until(async () => (await left()).length === 4);
    // The second one is erased while it waits.
    await store.write(eraseIncoming, 2);
    await store.write(keepIncoming, { id: 8, userId, text: 'new' });
    clock.time += 2_000;
    deliverer.follow();
    await until(() => answered(10));
    await until(async () => (await left()).length === 3);
    expect([got.slice(6).sort(), await left()]).toEqual([
      ['first refused', 'fourth refused', 'new', 'third refused'],
      [1, 6, 7],
    ]);
    // What comes again does not go before all that is new.
    expect(got.indexOf('new')).toBeLessThan(9);
    session.drop('the test is over');
    await deliverer.stop();
  });
});
