import { expect, test } from 'vitest';
import { advanceAll, putBatch } from '../../../test/harness/batches.ts';
import { hourMs, sendHoursRoom } from '../../../test/harness/send-hours.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { pauseBatch } from '../management/acting-on-batch.ts';
import { waitingBatches } from './waiting.ts';

eachStore('batches that wait', (engine) => {
  const room = sendHoursRoom(engine);
  const waiting = async (after = { time: 0, id: 0 }, limit = 10) => {
    const query = { companyId: 1, userId: null, after, limit };
    return (await waitingBatches(room.store, query, room.now)).map(({ id, time }) => [id, time]);
  };

  test('[PORT-4] [BATCH-5] Waiting batches are those with held messages, those whose messages are not made yet, and those that start later', async () => {
    await room.inLine('2026-01-15T20:00:00Z');
    const later = (hours: number) => Date.parse('2026-01-17T12:00:00Z') + hours * hourMs;
    for (const [id, scheduledAt] of [
      [2, null],
      [3, later(2)],
      [4, later(1)],
      [5, later(1)],
      [6, later(0)],
    ] as const)
      await putBatch(room.store, { id, scheduledAt });
    await advanceAll(room.store, room.now);
    const user = { companyId: 1, userId: 10, username: 'first', session: undefined };
    await room.store.write(pauseBatch, { id: 6, now: room.now, user });
    await room.sweep();
    const opening = Date.parse('2026-01-16T06:00:00Z');
    const held = [
      [2, opening],
      [1, opening],
    ];
    expect(await waiting()).toEqual([[4, later(1)], [5, later(1)], [3, later(2)], ...held]);
    expect(await waiting({ time: 0, id: 0 }, 1)).toEqual([[4, later(1)], ...held]);
    expect(await waiting({ time: later(1), id: 4 }, 1)).toEqual([[5, later(1)], ...held]);
    room.at('2026-01-16T06:00:00Z');
    expect(await waiting({ time: later(2), id: 3 })).toEqual([]);
  });
});
