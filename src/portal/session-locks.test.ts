/** Tests sign-ins while another node's transaction removes the user or the provider, or adds the user's first second factor. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { putCompany, putProvider, putUser } from '../../test/harness/account-verbs.ts';
import { until } from '../../test/harness/awake.ts';
import { describePostgres } from '../../test/harness/engines.ts';
import { openFreshStore } from '../../test/harness/stores.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { listProviders } from '../accounts/identity-providers.ts';
import { operator } from '../audit/audit-log.ts';
import { beginByProvider } from './provider-store.ts';
import { digestOf, newToken, sessionSecret } from './session.ts';
import { beginByLink, beginSession } from './session-store.ts';
import { makeLink } from './sign-in.ts';

const secret = sessionSecret('the secret of a server under test');
const now = 1_700_000_000_000;
const care = {
  name: 'care',
  company: 'Nordic Care',
  label: 'Care',
  issuer: 'https://login.example',
  clientId: 'carillon',
  clientSecret: undefined,
  scopes: [],
  username: 'preferred_username',
  roles: undefined,
  create: true,
  shown: false,
};

/** A store with alice, and a connection of another node, whose transaction has begun. */
async function openLocked() {
  const { store, place, dispose } = await openFreshStore('postgres');
  const other = new pg.Client({ connectionString: place });
  await other.connect();
  await store.write(putCompany, { id: 1, name: 'Nordic Care' });
  await store.write(putProvider, care);
  const [provider = care] = await store.read(listProviders, null);
  await store.write(putUser, { id: 11, companyId: 1, username: 'alice', passwordHash: 'first' });
  const order = { username: 'alice', companyId: null, by: operator };
  const link = await makeLink({ store, clock: { now: () => now }, secret }, order);
  const digest = digestOf(newToken(secret, 'session'));
  const session = { digest, id: 's1', createdAt: now, usedAt: now, network: '192.0.2.1', browser: '' };
  await other.query('BEGIN');
  // If there were a deadlock, this transaction would detect it.
  await other.query(`SET LOCAL deadlock_timeout = '10ms'`);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    other,
    byLink: () =>
      store.write(beginByLink, {
        address: '192.0.2.1',
        mailDomain: undefined,
        linkDigest: digestOf(link?.split('#')[1] ?? ''),
        session: { ...session, byLink: true },
      }),
    byPassword: () =>
      store.write(beginSession, {
        address: '192.0.2.1',
        mailDomain: undefined,
        passwordMark: passwordMarkOf('first'),
        session: { ...session, userId: 11, byLink: false },
      }),
    byProvider: () =>
      store.write(beginByProvider, {
        address: '192.0.2.1',
        mailDomain: undefined,
        provider,
        identity: { issuer: provider.issuer, subject: 'alice', username: 'alice', roles: undefined },
        session: { ...session, byLink: false, provider: provider.name, confirmedAt: now },
        confirms: undefined,
      }),
    isWaiting: () =>
      until(async () => {
        // Otherwise the transaction would keep seeing the result of its first query.
        await other.query('SELECT pg_stat_clear_snapshot()');
        return (await other.query(waiting)).rows.length > 0;
      }),
    async dispose() {
      await other.end();
      await dispose();
    },
  };
}

describePostgres('a sign-in during a change of its user', () => {
  test('[PORT-2] A login link locks the user before it is used up, so that neither transaction meets a deadlock', async () => {
    const { other, byLink, isWaiting, dispose } = await openLocked();
    try {
      await other.query('SELECT id FROM users WHERE id = 11 FOR UPDATE');
      const begun = byLink();
      await isWaiting();
      await other.query('DELETE FROM login_links WHERE user_id = 11');
      await other.query('COMMIT');
      expect(await begun).toBeUndefined();
    } finally {
      await dispose();
    }
  });

  test.each(['byPassword', 'byLink'] as const)(
    '[PORT-12] A sign-in while the first second factor is added needs the factor too (%s)',
    async (way) => {
      const opened = await openLocked();
      const { other } = opened;
      try {
        // As `userFactors` does.
        await other.query('SELECT id FROM users WHERE id = 11 FOR NO KEY UPDATE');
        await other.query('DELETE FROM sessions WHERE user_id = 11');
        await other.query(
          `INSERT INTO totp_secrets (user_id, secret, used_step, created_at, used_at) VALUES (11, 'sealed', 1, 1, 1)`,
        );
        let isOver = false;
        const begun = opened[way]().finally(() => {
          isOver = true;
        });
        await Promise.race([begun, opened.isWaiting()]);
        expect(isOver).toBe(false);
        await other.query('COMMIT');
        expect(await begun).toBe('factorNeeded');
      } finally {
        await opened.dispose();
      }
    },
  );

  test('[PORT-12] [PORT-2] A sign-in at an identity provider waits for the file that removes the provider, and then begins no session', async () => {
    const { other, byProvider, isWaiting, dispose } = await openLocked();
    try {
      await other.query(`DELETE FROM identity_providers WHERE name = 'care'`);
      const begun = byProvider();
      await isWaiting();
      await other.query('COMMIT');
      expect(await begun).toBe('over');
    } finally {
      await dispose();
    }
  });
});
