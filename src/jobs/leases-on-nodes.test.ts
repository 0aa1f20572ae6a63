/** Tests a run whose leases another node rewrites at the same moment, as it does when it assigns codes to them. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { openFreshStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { theNode } from '../storage/verb.ts';
import { steer } from './steer.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;

describePostgres('leases of a run that another node writes anew', () => {
  test('[JOB-7] [JOB-8] Leases rewritten by another node keep what the run and its answers change meanwhile', async () => {
    const { store, place, dispose } = await openFreshStore('postgres');
    const other = new pg.Client({ connectionString: place });
    await other.connect();
    const clock = { time: start, now: () => clock.time };
    const lease = async () =>
      (await other.query('SELECT number, ends_at::float8, code, unclear_answer FROM number_leases')).rows[0];
    /** Locks, reads and rewrites the leases as a node does that leases a number; the change begins before the commit. */
    async function whileWritten(change: () => Promise<unknown>): Promise<void> {
      await other.query('BEGIN');
      await other.query('SELECT pg_advisory_xact_lock(7166014334)');
      await other.query('CREATE TEMP TABLE read_leases ON COMMIT DROP AS SELECT * FROM number_leases');
      await other.query('DELETE FROM number_leases');
      await other.query('INSERT INTO number_leases SELECT * FROM read_leases');
      const changed = change();
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await other.query(waiting)).rows.length > 0);
      await other.query('COMMIT');
      await changed;
    }
    try {
      await fillStore(store);
      await store.write(putPool, ['4610001']);
      const room = new JobsRoom(store, clock);
      await room.start({ id: 1, people: 1 });
      const { number, ends_at: endsAt } = await lease();
      await steer(
        store,
        clock,
        { runId: 1, owner: theNode(), by: byUser({ username: 'bob', session: undefined }) },
        { kind: 'extend', minutes: 5 },
      );
      await whileWritten(() => room.proceed(1));
      expect((await lease()).ends_at).toBe(endsAt + 5 * minuteMs);
      await other.query(`UPDATE number_leases SET code = 61, unclear_answer = 'Yes'`);
      const sms = { sender: phoneAt(0), recipient: number, text: 'Yes 61', receivedAt: start + minuteMs };
      await whileWritten(() => store.write(storeIncoming, { id: 77, ...sms }));
      expect(await lease()).toMatchObject({ code: 61, unclear_answer: null });
    } finally {
      await other.end();
      await dispose();
    }
  });
});
