import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, idsOf, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { holdTime, letTimeGo, passDuring } from '../../../test/harness/held-time.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { systemStopwatch } from '../../foundation/clock.ts';
import { databasePath, openDatabase } from '../../storage/sqlite/database.ts';
import { status } from '../message.ts';
import { Purge, readBelievedTime } from './purge.ts';

const day = 24 * 60 * 60 * 1_000;

eachStore('the purge', (engine) => {
  const given = deliveryStore(engine);

  function begin(now: number, clock = { now: () => now }, stopwatch = systemStopwatch) {
    const store = new FaultyStore(given.store);
    const log = { warn: () => undefined, info: () => undefined };
    return {
      store,
      purge: new Purge({ store, clock, stopwatch, retentionDays: 30, aged: [], alsoPurge: [], log }),
    };
  }

  const ids = async () => idsOf(await given.store.read(listMessages, null));

  test('[RUN-6] The purge removes messages older than the retention, company by company', async () => {
    const ended = { status: status.DELIVERED, stage: null };
    await given.store.write(putMessages, [
      ...range(1, 700).map((id) => ({ id, ...ended, createdAt: 10 * day })),
      ...range(701, 710).map((id) => ({ id, ...ended, createdAt: 80 * day })),
    ]);
    await begin(100 * day).purge.run();
    expect(await ids()).toEqual(range(701, 710));
  });

  test('[RUN-6] After each step the purge rests, however much there is to purge', async () => {
    const ended = { status: status.DELIVERED, stage: null };
    await given.store.write(
      putMessages,
      range(1, 700).map((id) => ({ id, ...ended, createdAt: 10 * day })),
    );
    holdTime();
    try {
      const run = begin(100 * day).purge.run();
      await until(async () => (await ids()).length < 700);
      for (let look = 0; look < 20; look++) expect(await ids()).toHaveLength(200);
      await passDuring(run);
      expect(await ids()).toEqual([]);
    } finally {
      letTimeGo();
    }
  });

  test('[RUN-6] A clock that jumps ahead purges nothing, and once it is set right only old messages are purged', async () => {
    const ended = { status: status.DELIVERED, stage: null };
    await given.store.write(putMessages, [
      { id: 1, ...ended, createdAt: 10 * day },
      { id: 2, ...ended, createdAt: 99 * day },
    ]);
    const clock = { time: 100 * day, now: () => clock.time };
    const { purge } = begin(0, clock);
    clock.time += 365 * day;
    await purge.run();
    expect(await ids()).toEqual([1, 2]);
    clock.time -= 365 * day;
    await purge.run();
    expect(await ids()).toEqual([2]);
  });

  test('[RUN-6] A clock that is wrong at the start purges nothing until it has held for a day, whatever is stored meanwhile', async () => {
    const ended = { status: status.DELIVERED, stage: null };
    await given.store.write(putMessages, [{ id: 1, ...ended, createdAt: 90 * day }]);
    await begin(100 * day).purge.run();
    const wrong = { time: 465 * day, now: () => wrong.time };
    const stopwatch = { time: 0, elapsed: () => stopwatch.time };
    // Neither a second start nor messages stored at the wrong time make the clock right.
    for (const id of [2, 3]) {
      const { purge } = begin(0, wrong, stopwatch);
      await given.store.write(putMessages, [{ id, ...ended, createdAt: wrong.time }]);
      stopwatch.time += day - 1;
      wrong.time += day - 1;
      await purge.run();
      expect(await ids()).toEqual([1, 2, 3].slice(0, id));
    }
    const { purge } = begin(0, wrong, stopwatch);
    stopwatch.time += day;
    wrong.time += day;
    await purge.run();
    expect(await ids()).toEqual([2, 3]);
  });

  test('[RUN-6] The purge begins a minute after the server starts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { purge, store } = begin(100 * day);
    try {
      purge.start();
      const purges = () => store.calls.filter((verb) => verb === readBelievedTime.name).length;
      vi.advanceTimersByTime(59_999);
      expect(purges()).toBe(0);
      vi.advanceTimersByTime(1);
      await until(() => purges() === 1);
    } finally {
      vi.useRealTimers();
      await purge.stop();
    }
  });

  test.skipIf(engine.name === 'postgres')(
    '[RUN-6] The purge leaves nothing of purged texts in any file of the store, even while somebody else is reading',
    async () => {
      const ended = { status: status.DELIVERED, stage: null };
      const text = 'a text that is gone one day';
      await given.store.write(putMessages, [
        ...range(1, 2_000).map((id) => ({ id, ...ended, text, createdAt: 10 * day })),
        { id: 2_001, ...ended, text: 'a young text', createdAt: 99 * day },
      ]);
      const folder = given.fresh.place;
      const holds = (words: string) =>
        readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(words));
      expect(holds(text)).toBe(true);
      const reader = openDatabase(databasePath(folder), { readOnly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT COUNT(*) FROM messages').get();
      await begin(100 * day).purge.run();
      // Nothing waits for the reader.
      await given.store.write(putMessages, [{ id: 2_002, ...ended, createdAt: 99 * day }]);
      reader.close();
      await until(() => !holds(text));
      expect(holds('a young text')).toBe(true);
    },
  );
});
