import { expect, test, vi } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { setPasswordHash } from '../accounts/logins.ts';
import { operator } from '../audit/audit-log.ts';
import { News } from '../storage/news.ts';
import { FactorSecrets } from './factor.ts';
import { digestOf, linkMs, maxAgeMs, maxIdleMs, newToken, sessionSecret } from './session.ts';
import { beginByLink, beginSession, changePassword, endSessions, findSession } from './session-store.ts';
import { Sessions } from './sessions.ts';
import { makeLink } from './sign-in.ts';

const secret = sessionSecret('the secret of a server under test');
const place = { network: '192.0.2.1', browser: '', byLink: false };
const from = { address: '192.0.2.1', mailDomain: undefined };
const userId = 11;

async function openNode({ store }: FreshStore) {
  await store.write(putCompany, { id: 1, name: 'Nordic Care' });
  await store.write(putUser, { id: userId, companyId: 1, username: 'alice', passwordHash: 'first' });
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  // News that has been read stays trusted, since this stopwatch stands still.
  const news = new News(store, { elapsed: () => 0 });
  const failures: object[] = [];
  const log = { warn: (details: object) => void failures.push(details) };
  const secrets = new FactorSecrets('the secret of a server under test');
  const sessions = new Sessions({ store, news, clock, secret, secrets, log });
  let count = 0;
  const sessionAt = (createdAt = clock.time) => {
    const token = newToken(secret, 'session');
    count += 1;
    const session = { ...place, userId, id: `s${count}`, createdAt, usedAt: clock.time };
    return { token, session: { ...session, digest: digestOf(token) } };
  };
  async function begin(createdAt?: number) {
    const { token, session } = sessionAt(createdAt);
    const account = await store.read(findAccountByUsername, 'alice');
    const passwordMark = account && passwordMarkOf(account.user.passwordHash);
    expect(await store.write(beginSession, { ...from, session, passwordMark })).toBeDefined();
    return { token, digest: session.digest };
  }
  const letIn = async (token: string) => sessions.authenticate({ kind: 'session', token });
  return { store, clock, news, sessions, sessionAt, begin, letIn };
}

const refused = { code: 'unauthorised' };

eachStore('sessions of the portal', (engine) => {
  test('[PORT-2] A portal session ends when it is not used, and when it is old, however much it is used', async () => {
    const { clock, sessions, begin, letIn } = await openNode(await engine.openFreshStore());
    const idle = await begin();
    const old = await begin(clock.time - maxAgeMs + maxIdleMs);
    expect(await letIn(idle.token)).toMatchObject({ username: 'alice' });
    clock.time += maxIdleMs - 1;
    expect(await sessions.goesOn(idle.digest)).toBe(true);
    expect(await letIn(old.token)).toMatchObject({ username: 'alice' });
    clock.time += 1;
    expect(await sessions.goesOn(idle.digest)).toBe(false);
    await expect(letIn(idle.token)).rejects.toMatchObject(refused);
    await expect(letIn(old.token)).rejects.toMatchObject(refused);
  });

  test('[PORT-2] An open portal page costs the store nothing until there is news that its session has ended', async () => {
    const { store, clock, news, sessions, begin } = await openNode(await engine.openFreshStore());
    const { digest } = await begin();
    const read = vi.spyOn(store, 'read');
    const asked = () => read.mock.calls.filter(([verb]) => (verb as object) === findSession).length;
    await news.read();
    expect(await sessions.goesOn(digest)).toBe(true);
    const before = asked();
    clock.time += 600_000;
    expect(await sessions.goesOn(digest)).toBe(true);
    expect(asked()).toBe(before);
    await store.write(endSessions, { userId, which: { digest }, now: clock.time, by: operator });
    await news.read();
    expect(await sessions.goesOn(digest)).toBe(false);
  });

  test('[PORT-2] A login link is good for half an hour', async () => {
    const { store, clock, sessionAt } = await openNode(await engine.openFreshStore());
    const open = async (after: number) => {
      const order = { username: 'alice', companyId: null, by: operator };
      const linkToken = (await makeLink({ store, clock, secret }, order))?.split('#')[1] ?? '';
      clock.time += after;
      const linkDigest = digestOf(linkToken);
      return store.write(beginByLink, { ...from, linkDigest, session: sessionAt().session });
    };
    expect(await open(linkMs - 1)).toMatchObject({ account: { user: { username: 'alice' } } });
    expect(await open(linkMs)).toBeUndefined();
  });

  test('[PORT-2] [PORT-12] No session goes on from one that has ended meanwhile', async () => {
    const { store, clock, sessionAt, begin } = await openNode(await engine.openFreshStore());
    const { digest } = await begin();
    const passwordMark = passwordMarkOf('first');
    const goOn = () =>
      store.write(beginSession, { ...from, from: digest, session: sessionAt().session, passwordMark });
    expect(await goOn()).toMatchObject({ account: { user: { id: userId } } });
    await store.write(endSessions, { userId, which: { digest }, now: clock.time, by: operator });
    expect(await goOn()).toBeUndefined();
  });

  test('[PORT-2] A session that has ended, or began under an earlier password, cannot set a password', async () => {
    const { store, clock, sessionAt, begin } = await openNode(await engine.openFreshStore());
    const set = (asking: string) =>
      store.write(changePassword, {
        passwordHash: 'own',
        session: sessionAt().session,
        asking,
        by: operator,
      });
    const hash = async () => (await store.read(findAccountByUsername, 'alice'))?.user.passwordHash;
    const ended = await begin();
    const reset = await begin();
    const which = { digest: ended.digest };
    await store.write(endSessions, { userId, which, now: clock.time, by: operator });
    expect(await set(ended.digest)).toBeUndefined();
    await store.write(setPasswordHash, {
      kind: 'user',
      username: 'alice',
      passwordHash: 'by the operator',
      now: 0,
    });
    expect(await set(reset.digest)).toBeUndefined();
    expect(await hash()).toBe('by the operator');
    expect(await set((await begin()).digest)).toMatchObject({ user: { passwordHash: 'own' } });
    expect(await hash()).toBe('own');
  });
});
