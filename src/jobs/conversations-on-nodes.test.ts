/** Tests a run's step while another node's transaction is storing an SMS in one of the conversations that the step changes. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { openFreshStore } from '../../test/harness/stores.ts';

const start = Date.parse('2026-06-15T12:00:00Z');

describePostgres('conversations of a run that another node changes', () => {
  test('[JOB-3] [PORT-4] [RUN-2] A step that sends SMS and takes comments holds no conversation while it waits for another, so that no SMS being stored meets a deadlock', async () => {
    const { store, place, dispose } = await openFreshStore('postgres');
    const other = new pg.Client({ connectionString: place });
    await other.connect();
    const clock = { time: start, now: () => clock.time };
    const lock = (at: number) =>
      other.query('SELECT id FROM conversations WHERE phone = $1 FOR UPDATE NOWAIT', [phoneAt(at)]);
    const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    try {
      await fillStore(store);
      await store.write(putPool, ['4610001']);
      const room = new JobsRoom(store, clock);
      await room.start({ id: 1, people: 2 });
      for (const person of [0, 1]) await room.answer(1, person, 'How long?');
      await other.query('BEGIN');
      await lock(0);
      const stepped = room.proceed(1);
      await until(async () => {
        await other.query('SELECT pg_stat_clear_snapshot()');
        return (await other.query(isWaiting)).rows.length > 0;
      });
      expect((await lock(1)).rows).toHaveLength(1);
      await other.query('COMMIT');
      await stepped;
      const told = await room.texts(1);
      expect(told.map(({ place: to }) => to).sort()).toEqual([0, 0, 1, 1]);
      const kept = await other.query(
        'SELECT unread, last_message_id::float8 AS last FROM conversations ORDER BY phone',
      );
      expect(kept.rows.map(({ unread }) => unread)).toEqual([1, 1]);
      expect(kept.rows.every(({ last }) => last !== null)).toBe(true);
    } finally {
      await other.end();
      await dispose();
    }
  });
});
