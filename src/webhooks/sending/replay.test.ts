/** Tests posting a range of events again: patiently, to its end, and no further than the operator wants. */
import { expect, test } from 'vitest';
import { eventsIn } from '../../../test/harness/receiver.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { WebhookRoom } from '../../../test/harness/webhook-room.ts';
import { byOperator } from '../../../test/harness/webhook-verbs.ts';
import {
  beginReplay,
  disableEndpoint,
  findAttempt,
  replayAttempt,
} from '../management/administration-store.ts';
import { Replay } from './replay.ts';
import { recordProgress } from './sending-store.ts';

const outcome = { isTaken: false, isPosted: true, isGone: false, askedMs: undefined, chance: 0.5 };
const day = 86_400_000;

test('[HOOK-4] [HOOK-5] A replay continues after what was accepted, and is given up when a post is not accepted for a day', () => {
  const replay = new Replay(5, 9);
  replay.begin(0);
  replay.settle(6, { ...outcome, isTaken: true }, 1);
  expect([replay.next, replay.tries, replay.isDue(99), replay.isDue(100)]).toEqual([7, 0, false, true]);
  replay.settle(8, outcome, 1_000);
  expect([replay.next, replay.tries, replay.isDue(1_999), replay.isDue(2_000)]).toEqual([7, 1, false, true]);
  replay.settle(8, { ...outcome, askedMs: 60_000 }, 7_000);
  expect([replay.next, replay.dueAt]).toEqual([7, 67_000]);
  replay.setBack(60_000);
  expect([replay.isDue(6_999), replay.isDue(7_000)]).toEqual([false, true]);
  replay.settle(8, outcome, 1_000 + day);
  expect([replay.next, replay.isGivenUp]).toEqual([null, true]);
});

eachStore('replays', (engine) => {
  const room = new WebhookRoom(engine);
  const { hook, provision, work, put, until, endpoint } = room;
  const idsIn = () => room.receiver.received.map(({ headers }) => headers['webhook-id']);

  test('[HOOK-4] [HOOK-5] A replay waits for a receiver that is away, and loses no event', async () => {
    await provision(hook('one'));
    await work();
    await put(1, 2, 3);
    await until(async () => expect(await endpoint('one')).toMatchObject({ doneSeq: 3 }));
    const { id } = await endpoint('one');
    const recover = room.failOnce();
    expect(await room.store.write(beginReplay, { ...byOperator(id), from: 0, to: 2_000 })).toBe(3);
    await until(async () => expect(await endpoint('one')).toMatchObject({ failures: 1, replayNext: 1 }));
    recover();
    await until(async () => expect(await endpoint('one')).toMatchObject({ failures: 0, replayNext: null }));
    expect(idsIn()).toEqual([1, 2, 3, 1, 1, 2, 3].map((seq) => `evt_${id}_${seq}`));
    expect(eventsIn(room.receiver.received).at(-1)).toMatchObject({ seq: 3 });
  });

  test('[HOOK-5] A replay of one attempt has the events of that attempt, even if others have numbers in between', async () => {
    await provision(hook('one'));
    await work();
    await put(1, 2, 3);
    await until(async () => expect(await endpoint('one')).toMatchObject({ doneSeq: 3 }));
    const { id } = await endpoint('one');
    const attempt = {
      number: 900,
      at: 1,
      firstSeq: 1,
      events: 2,
      tries: 1,
      address: null,
      status: 200,
      durationMs: 1,
      error: null,
      answer: '',
      seqs: [1, 3],
    };
    const progress = {
      endpointId: id,
      nodeId: 7,
      timesEnabled: 0,
      doneSeq: 3,
      failures: 0,
      failingSince: null,
      nextAt: 0,
      replayNext: undefined,
      put: [],
      removed: [],
      disabled: undefined,
      now: 1,
      attempt,
    };
    expect(await room.store.write(recordProgress, progress)).toBe(0);
    const found = await room.store.read(findAttempt, { endpointId: id, number: 900 });
    expect(found?.events.map(({ seq }) => seq)).toEqual([1, 3]);
    expect(await room.store.write(replayAttempt, { ...byOperator(id), number: 900 })).toBe(2);
    expect(await room.store.write(replayAttempt, { ...byOperator(id), number: 901 })).toBe(undefined);
    await until(async () => expect(await endpoint('one')).toMatchObject({ replayNext: null }));
    expect(idsIn().slice(3)).toEqual([1, 3].map((seq) => `evt_${id}_${seq}`));
  });

  test('[HOOK-5] A replay ends when the endpoint is disabled, whatever its node does meanwhile', async () => {
    await provision(hook('one'));
    await work();
    await put(1, 2, 3);
    await until(async () => expect(await endpoint('one')).toMatchObject({ doneSeq: 3 }));
    const { id } = await endpoint('one');
    room.failOnce();
    await room.store.write(beginReplay, { ...byOperator(id), from: 0, to: 2_000 });
    await until(async () => expect(await endpoint('one')).toMatchObject({ failures: 1 }));
    await room.store.write(disableEndpoint, byOperator(id));
    expect(await endpoint('one')).toMatchObject({ disabledReason: 'by the operator', replayNext: null });
  });
});
