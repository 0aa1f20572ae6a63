/** Tests a sign-in by link while another node's transaction removes its user. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { openFreshStore } from '../../test/harness/stores.ts';
import { operator } from '../audit/audit-log.ts';
import { digestOf, newToken, sessionSecret } from './session.ts';
import { beginByLink } from './session-store.ts';
import { makeLink } from './sign-in.ts';

const secret = sessionSecret('the secret of a server under test');
const now = 1_700_000_000_000;

describePostgres('a link of a user who is removed', () => {
  test('[PORT-2] A login link locks the user before it is used up, so that neither transaction meets a deadlock', async () => {
    const { store, place, dispose } = await openFreshStore('postgres');
    const other = new pg.Client({ connectionString: place });
    await other.connect();
    try {
      await store.write(putCompany, { id: 1, name: 'Nordic Care' });
      await store.write(putUser, { id: 11, companyId: 1, username: 'alice', passwordHash: 'first' });
      const order = { username: 'alice', companyId: null, by: operator };
      const link = await makeLink({ store, clock: { now: () => now }, secret }, order);
      const session = {
        digest: digestOf(newToken(secret, 'session')),
        id: 's1',
        createdAt: now,
        usedAt: now,
        network: '192.0.2.1',
        browser: '',
        byLink: true,
      };
      await other.query('BEGIN');
      // If there were a deadlock, this transaction would detect it.
      await other.query(`SET LOCAL deadlock_timeout = '10ms'`);
      await other.query('SELECT id FROM users WHERE id = 11 FOR UPDATE');
      const linkDigest = digestOf(link?.split('#')[1] ?? '');
      const begun = store.write(beginByLink, {
        address: '192.0.2.1',
        mailDomain: undefined,
        linkDigest,
        session,
      });
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => {
        // Otherwise the transaction would keep seeing the result of its first query.
        await other.query('SELECT pg_stat_clear_snapshot()');
        return (await other.query(waiting)).rows.length > 0;
      });
      await other.query('DELETE FROM login_links WHERE user_id = 11');
      await other.query('COMMIT');
      expect(await begun).toBeUndefined();
    } finally {
      await other.end();
      await dispose();
    }
  });
});
