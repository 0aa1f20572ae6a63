/** Tests of runs whose people have opted out, or opt out by their answers. */
import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { setOptOutPolicy } from '../../test/harness/quota-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { storedReason } from '../foundation/sentences.ts';
import { listDueReplies } from '../messages/incoming/opt-out-replies.ts';
import { sendReply } from '../messages/incoming/send-opt-out-replies.ts';
import { addOptOuts, findOptedOut } from '../opt-outs/opt-out.ts';
import { readRecord } from './record.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const secret = '00';

eachStore('runs and people who have opted out', (engine) => {
  let fresh: FreshStore;
  let room: JobsRoom;
  const clock = { time: start, now: () => clock.time };

  beforeEach(async () => {
    clock.time = start;
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    await fresh.store.write(putPool, ['4610001', '4610002']);
    room = new JobsRoom(fresh.store, clock);
  });

  async function honour(): Promise<void> {
    room.optOuts = 'honour';
    await fresh.store.write(setOptOutPolicy, { id: 1, policy: 'honour' });
  }

  const optedOut = async (place: number) => {
    const phones = [phoneAt(place)];
    const found = await fresh.store.read(findOptedOut, { companyId: 1, phones, secret });
    return [...(found.get(phoneAt(place)) ?? [])];
  };
  const stateOf = async (place: number) => (await room.read(1)).people[place]?.state;

  test('[OPT-1] [JOB-13] [JOB-14] a run does not ask who has opted out, and its record says why', async () => {
    await honour();
    const by = { username: 'admin', session: undefined };
    const optOuts = [{ phone: phoneAt(0), category: 'notification', source: 'api' }] as const;
    await fresh.store.write(addOptOuts, { companyId: 1, by, now: start, secret, optOuts });
    await room.start({ id: 1, people: 2 });
    expect(await room.textsTo(1, 0)).toEqual([]);
    expect(await room.textsTo(1, 1)).toEqual(['Can you come?']);
    expect(await stateOf(0)).toBe('unreachable');
    const record = await fresh.store.read(readRecord, { runId: 1, owner: { companyId: 1, userId: 10 } });
    expect(record?.entries).toContainEqual(
      expect.objectContaining({
        kind: 'unreached',
        people: [0],
        why: storedReason({ sentence: 'for_codes', codes: 'opted_out' }),
      }),
    );
    // The opt-out is of notifications, and the job type may say that the run's messages are essential.
    await room.start({ id: 2, people: 1, settings: { category: 'essential' } });
    expect(await room.textsTo(2, 0)).toHaveLength(1);
  });

  test('[OPT-2] [JOB-10] a word that opts out counts as a NO in a live run, and is confirmed from the number of the run', async () => {
    await honour();
    await room.start({ id: 1, people: 3 });
    const { from } = (await room.texts(1))[0] ?? {};
    await room.answer(1, 0, 'Avsluta!');
    await room.answer(1, 1, 'JA');
    room = new JobsRoom(await fresh.reopen(), clock);
    await room.settle(1);
    expect([await stateOf(0), await stateOf(1)]).toEqual(['no', 'yes']);
    expect([await optedOut(0), await optedOut(1)]).toEqual([['all'], []]);
    // The run thanks nobody who has opted out.
    expect(await room.textsTo(1, 0)).toEqual(['Can you come?']);
    const due = await fresh.store.read(listDueReplies, { now: clock.time, limit: 10 });
    expect(due).toMatchObject([{ phone: phoneAt(0), number: from, way: 'job', word: 'stop' }]);
    for (const one of due) await sendReply(room.sending, one);
    expect(await fresh.store.read(listDueReplies, { now: clock.time, limit: 10 })).toEqual([]);
    // The number still waits for the person's answer to the run.
    await room.answer(1, 0, 'START');
    await room.settle(1);
    expect(await optedOut(0)).toEqual([]);
    await room.answer(1, 0, 'ja');
    await room.settle(1);
    expect(await stateOf(0)).toBe('yes');
  });

  test('[OPT-2] [JOB-4] HELP to a live run is answered by the run alone, and to one that has ended by the company', async () => {
    await honour();
    await room.start({ id: 1, people: 1 });
    await room.answer(1, 0, 'HELP');
    await room.settle(1);
    expect(await room.textsTo(1, 0)).toHaveLength(2);
    expect(await fresh.store.read(listDueReplies, { now: clock.time, limit: 10 })).toEqual([]);
    clock.time += 61 * minuteMs;
    await room.settle(1);
    clock.time += minuteMs;
    await room.answer(1, 0, 'HELP');
    expect(await fresh.store.read(listDueReplies, { now: clock.time, limit: 10 })).toMatchObject([
      { word: 'help' },
    ]);
  });

  test('[OPT-2] where the company ignores opt-outs, a run reads the words as it always has', async () => {
    await room.start({ id: 1, people: 2 });
    await room.answer(1, 0, 'UNSUBSCRIBE');
    await room.answer(1, 1, 'STOP');
    await room.settle(1);
    expect([await stateOf(0), await stateOf(1)]).toEqual(['asked', 'no']);
    expect([await optedOut(0), await optedOut(1)]).toEqual([[], []]);
  });
});
