/** What is counted of a webhook while nothing is posted to it. */
import { expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eventsIn } from '../../../test/harness/receiver.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { WebhookRoom } from '../../../test/harness/webhook-room.ts';
import { byOperator } from '../../../test/harness/webhook-verbs.ts';
import { disableEndpoint, enableEndpoint } from '../reading/administration-store.ts';
import { recordProgress } from './sending-store.ts';

eachStore('a webhook that is disabled', (engine) => {
  const room = new WebhookRoom(engine);
  const { hook, work, put, until, endpoint } = room;
  /** Nothing else is posted to. */
  const provisionAlone = () =>
    provisioningOf(() => room.store).linesOf(`companies: [{ name: Company, webhooks: [${hook('one')}] }]`);

  test('[HOOK-4] misses what happens meanwhile, which is counted, though there is no other', async () => {
    await provisionAlone();
    room.receiver.answer = 410;
    const first = await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).disabledAt).not.toBe(null));
    // Beyond the next look, and when the node has begun anew.
    let id = 1;
    await until(async () => {
      id += 1;
      await put(id);
      expect((await endpoint('one')).lost).toBeGreaterThan(60);
    });
    await first.stop();
    await work();
    await until(async () => expect((await endpoint('one')).lost).toBe(id - 1));

    room.receiver.answer = 200;
    await room.store.write(enableEndpoint, byOperator((await endpoint('one')).id));
    id += 1;
    await put(id);
    await until(async () =>
      expect(await endpoint('one')).toMatchObject({ lastSeq: id, doneSeq: id, lost: id - 2, waiting: 0 }),
    );
    const seqs = eventsIn(room.receiver.received).map(({ seq }) => seq);
    expect(new Set(seqs)).toEqual(new Set([1, id]));
  });

  test('[HOOK-4] is done with what it has missed, though a post ends that was under way before', async () => {
    await provisionAlone();
    await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).doneSeq).toBe(1));
    const { id } = await endpoint('one');
    await room.store.write(disableEndpoint, byOperator(id, 1));
    await put(2);
    await until(async () => expect(await endpoint('one')).toMatchObject({ lastSeq: 2, doneSeq: 2, lost: 1 }));
    const progress = {
      ...{ endpointId: id, nodeId: 7, doneSeq: 1, failures: 0, failingSince: null, nextAt: 0 },
      ...{ replayNext: undefined, put: [], removed: [], disabled: undefined, now: 1, attempt: undefined },
    };
    expect(await room.store.write(recordProgress, progress)).toBe(true);
    expect(await endpoint('one')).toMatchObject({ lastSeq: 2, doneSeq: 2 });
  });
});
