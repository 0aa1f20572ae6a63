/** Tests that events are counted for a webhook while it is disabled. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { provisioningOf } from '../../../test/harness/provisioning.ts';
import { eventsIn } from '../../../test/harness/receiver.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { WebhookRoom } from '../../../test/harness/webhook-room.ts';
import { byOperator, failingEndpoint } from '../../../test/harness/webhook-verbs.ts';
import { disableEndpoint, enableEndpoint } from '../management/administration-store.ts';
import { readRetries, recordProgress } from './sending-store.ts';

eachStore('a webhook that is disabled', (engine) => {
  const room = new WebhookRoom(engine);
  const { hook, work, put, until, endpoint } = room;
  /** Provisions this webhook as the only one. */
  const provisionAlone = () =>
    provisioningOf(() => room.store).linesOf(`companies: [{ name: Company, webhooks: [${hook('one')}] }]`);

  test('[HOOK-4] A disabled webhook misses the events that happen meanwhile, which are counted, even if it is the only webhook', async () => {
    await provisionAlone();
    room.receiver.answer = 410;
    const first = await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).disabledAt).not.toBe(null));
    // The count continues after the next check, and after a restart of the node.
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

  test('[HOOK-4] Events that a disabled webhook has missed count as done, even if an earlier post ends later', async () => {
    await provisionAlone();
    await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).doneSeq).toBe(1));
    const { id } = await endpoint('one');
    await room.store.write(disableEndpoint, byOperator(id, 1));
    await put(2);
    await until(async () => expect(await endpoint('one')).toMatchObject({ lastSeq: 2, doneSeq: 2, lost: 1 }));
    const progress = {
      endpointId: id,
      nodeId: 7,
      timesEnabled: 0,
      doneSeq: 1,
      failures: 0,
      failingSince: null,
      nextAt: 0,
      replayNext: undefined,
      put: [],
      removed: [],
      disabled: undefined,
      now: 1,
      attempt: undefined,
    };
    expect(await room.store.write(recordProgress, progress)).toBe(0);
    expect(await endpoint('one')).toMatchObject({ lastSeq: 2, doneSeq: 2 });
  });

  test('[HOOK-4] A disabled webhook that is enabled stays enabled, whatever becomes of a post that was under way before', async () => {
    await provisionAlone();
    const held: ServerResponse[] = [];
    room.receiver.answer = (_, response) => held.push(response);
    await work({ timeoutMs: 60_000 });
    await put(1);
    await until(() => expect(held).toHaveLength(1));
    const { id } = await endpoint('one');
    await room.store.write(failingEndpoint, { endpointId: id, since: 1 });
    await room.store.write(enableEndpoint, byOperator(id));
    room.receiver.answer = 200;
    held[0]?.writeHead(410).end('gone');
    await until(async () =>
      expect(await endpoint('one')).toMatchObject({ doneSeq: 1, waiting: 0, failures: 0, disabledAt: null }),
    );
    expect(eventsIn(room.receiver.received).map(({ seq }) => seq)).toEqual([1, 1]);
    expect(room.disabled).toBe(0);
    // A later 410 disables the webhook again.
    room.receiver.answer = 410;
    await put(2);
    await until(async () => expect((await endpoint('one')).disabledAt).not.toBe(null));
  });

  test('[HOOK-4] A webhook that is enabled again does not pause because of earlier failures', async () => {
    await provisionAlone();
    await work();
    await put(1);
    await until(async () => expect((await endpoint('one')).doneSeq).toBe(1));
    const { id } = await endpoint('one');
    await room.store.write(disableEndpoint, byOperator(id, 1));
    await room.store.write(enableEndpoint, byOperator(id));
    const failed = {
      endpointId: id,
      nodeId: 7,
      timesEnabled: 0,
      doneSeq: 1,
      failures: 9,
      failingSince: 1,
      nextAt: 9e12,
      replayNext: undefined,
      removed: [],
      disabled: 'of old',
      now: 1,
      attempt: undefined,
      put: [
        { firstSeq: 1, seqs: [1], tries: 9, dueAt: 9e12 },
        { firstSeq: 2, seqs: [2], tries: 9, dueAt: null },
      ],
    };
    expect(await room.store.write(recordProgress, failed)).toBe(1);
    const stored = { failures: 0, failingSince: null, disabledAt: null, waiting: 1, givenUp: 1 };
    expect(await endpoint('one')).toMatchObject(stored);
    expect(await room.store.read(readRetries, id)).toMatchObject([{ firstSeq: 1, tries: 9, dueAt: 0 }]);
  });
});
