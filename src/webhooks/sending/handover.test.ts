/** Tests two nodes, of which one posts: what happens to posts in progress when the other takes over. */
import { expect, test } from 'vitest';
import { eventsIn } from '../../../test/harness/receiver.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { WebhookRoom } from '../../../test/harness/webhook-room.ts';
import { endNode } from '../../messages/nodes/store.ts';

eachStore('posting by two nodes', (engine) => {
  const room = new WebhookRoom(engine);
  const { hook, provision, work, until, endpoint, tellOf } = room;

  test('[EVT-2] [HOOK-3] [HOOK-4] Each webhook event comes at least once and in order, even if its node loses its place during a post', async () => {
    await provision(hook('one'));
    const held: (() => void)[] = [];
    room.receiver.answer = (_, response) => held.push(() => response.writeHead(200).end());
    await work({ nodeId: 7, timeoutMs: 60_000 });
    const other = engine.name === 'postgres' ? await room.fresh.openAnother() : room.store;
    await work({ nodeId: 8, store: other, timeoutMs: 60_000 });
    const runs = Array.from({ length: 12 }, (_, place) => place + 1);
    for (const run of runs) await tellOf(run, 'JOB_START', 'JOB_REPLY', 'JOB_REPLY');
    const ofHook = () => room.receiver.received.filter(({ url }) => url === '/hook');
    // The maximum number of concurrent posts, each for a different run.
    await until(() => expect(ofHook()).toHaveLength(8));
    const first = ofHook().map(({ headers }) => headers['webhook-id']);
    expect(new Set(first).size).toBe(8);

    await room.store.write(endNode, { id: 7, beat: 0, ended: 0 });
    // The other node can't know the outcome of these posts, so it repeats them.
    await until(() => expect(ofHook()).toHaveLength(16));
    expect(
      ofHook()
        .slice(8)
        .map(({ headers }) => headers['webhook-id'])
        .sort(),
    ).toEqual(first.sort());
    for (const answer of held.splice(0)) answer();
    room.receiver.answer = 200;
    await until(async () => expect(await endpoint('one')).toMatchObject({ doneSeq: 36, waiting: 0 }));

    const events = eventsIn(ofHook());
    const seqs = [...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 36 }, (_, place) => place + 1));
    for (const run of runs) {
      const own = events.filter(({ data }) => data.jobid === String(run)).map(({ seq }) => seq);
      expect([...new Set(own)]).toEqual([...new Set(own)].sort((a, b) => a - b));
    }
  });
});
