import { expect, test } from 'vitest';
import { putCompany, putUser, removeUser } from '../../test/harness/account-verbs.ts';
import {
  alice,
  aliceWithOtherPassword,
  company,
  minuteMs,
  openNode,
} from '../../test/harness/authentication-node.ts';
import { eachStore } from '../../test/harness/stores.ts';

eachStore('authentication by password', (engine) => {
  test('[AUTH-3] An authenticated caller has the rights and settings of its account and company', async () => {
    const node = await openNode(await engine.openFreshStore());
    await node.store.write(putUser, {
      ...(await alice()),
      quotaParts: 10,
      senders: ['Alice'],
      replaceCharacters: true,
    });
    expect(await node.passwordCall('alice', 'correct horse')).toEqual({
      userId: 11,
      username: 'alice',
      companyId: 1,
      roles: new Set(['send']),
      defaultSender: 'NordicCare',
      allowedSenders: new Set(['Alice']),
      replaceCharacters: true,
      allowedCountries: undefined,
      category: 'notification',
      optOuts: 'off',
      passwordMark: expect.any(String),
      session: undefined,
    });
  });

  test('[AUTH-3] A wrong password, an unknown user and a user without a password get the same response for the same work', async () => {
    const node = await openNode(await engine.openFreshStore());
    const refusals: unknown[] = [];
    for (const username of ['alice', 'nobody', 'keys only']) {
      const before = node.passwords.verifications;
      await Promise.resolve(node.passwordCall(username, 'wrong')).catch((error) =>
        refusals.push({
          message: error.message,
          code: error.code,
          status: error.status,
          headers: error.headers,
        }),
      );
      expect(node.passwords.verifications).toBe(before + 1);
    }
    expect(refusals).toHaveLength(3);
    expect(refusals[0]).toMatchObject({ code: 'unauthorised', status: 401 });
    expect(refusals[1]).toEqual(refusals[0]);
    expect(refusals[2]).toEqual(refusals[0]);
  });

  test('[AUTH-3] User names and passwords that no account can have are refused', async () => {
    const node = await openNode(await engine.openFreshStore());
    expect(await node.byPassword('ali\u0000ce', 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('x'.repeat(100_000), 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'x'.repeat(100_000))).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct\u0000horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
  });

  test('[AUTH-4] A verified password is cached for ten minutes, then verified again', async () => {
    const node = await openNode(await engine.openFreshStore());
    const caller = await node.passwordCall('alice', 'correct horse');
    expect(node.passwordCall('alice', 'correct horse')).toBe(caller);
    node.stopwatch.time += 10 * minuteMs - 1;
    expect(node.passwordCall('alice', 'correct horse')).toBe(caller);
    expect(node.passwords.verifications).toBe(1);
    node.stopwatch.time += 1;
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(node.passwords.verifications).toBe(2);
  });

  test('[AUTH-4] Setting the clock back does not keep a password cached for longer', async () => {
    const node = await openNode(await engine.openFreshStore());
    await node.byPassword('alice', 'correct horse');
    node.clock.time -= 60 * minuteMs;
    node.stopwatch.time += 10 * minuteMs;
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(node.passwords.verifications).toBe(2);
  });

  test('[AUTH-4] Concurrent first requests share one password verification', async () => {
    const node = await openNode(await engine.openFreshStore());
    const calls = Array.from({ length: 50 }, () => node.byPassword('alice', 'correct horse'));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['alice']));
    expect(node.passwords.verifications).toBe(1);
  });

  test('[AUTH-4] A changed password is refused once the node hears of it; an unchanged one is not verified again', async () => {
    const node = await openNode(await engine.openFreshStore());
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    await node.store.write(putUser, { ...(await alice()), roles: ['jobs'] });
    await node.news.read();
    expect((await node.passwordCall('alice', 'correct horse')).roles).toEqual(new Set(['jobs']));
    expect(node.passwords.verifications).toBe(1);
    await node.store.write(putUser, await aliceWithOtherPassword());
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(await node.byPassword('alice', 'battery staple')).toBe('alice');
  });

  test('[AUTH-4] A password that changes during its verification is not cached', async () => {
    const node = await openNode(await engine.openFreshStore());
    const call = node.byPassword('alice', 'correct horse');
    await node.store.write(putUser, await aliceWithOtherPassword());
    await call;
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
  });

  test('[AUTH-7] An inactive user or company is refused once the node hears of it, and accepted when active again', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    const both = async () => [await node.byPassword('alice', 'correct horse'), await node.byKey(key)];
    expect(await both()).toEqual(['alice', 'alice']);
    await node.store.write(putUser, { ...(await alice()), active: false });
    await node.news.read();
    expect(await both()).toEqual(['unauthorised', 'unauthorised']);
    await node.store.write(putUser, await alice());
    await node.store.write(putCompany, { ...company, active: false });
    await node.news.read();
    expect(await both()).toEqual(['unauthorised', 'unauthorised']);
    await node.store.write(putCompany, company);
    await node.news.read();
    expect(await both()).toEqual(['alice', 'alice']);
  });

  test('[AUTH-7] An inactive user with the correct password is refused like one with a wrong password', async () => {
    const node = await openNode(await engine.openFreshStore());
    await node.store.write(putUser, { ...(await alice()), active: false });
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(node.passwords.verifications).toBe(1);
  });

  test('[AUTH-7] A removed user is refused once the node hears of it', async () => {
    const node = await openNode(await engine.openFreshStore());
    const key = await node.issue('app');
    expect(await node.byPassword('alice', 'correct horse')).toBe('alice');
    expect(await node.byKey(key)).toBe('alice');
    await node.store.write(removeUser, 11);
    await node.news.read();
    expect(await node.byPassword('alice', 'correct horse')).toBe('unauthorised');
    expect(await node.byKey(key)).toBe('unauthorised');
  });

  test('[RUN-4] Failed logins are reported to the operator without unknown user names', async () => {
    const node = await openNode(await engine.openFreshStore());
    await node.byPassword('alice', 'wrong');
    await node.byPassword('correct horse', 'alice');
    await node.byPassword('keys only', 'wrong', '2001:db8::1');
    await node.byKey('alice.1.1.x');
    await node.byPassword('alice', 'correct horse');
    const common = { event: 'login_failed', channel: 'http', address: '192.0.2.1' };
    expect(node.recorded).toEqual([
      { ...common, method: 'password', username: 'alice', reason: 'wrong_password' },
      { ...common, method: 'password', reason: 'unknown_user' },
      {
        ...common,
        address: '2001:db8::1',
        method: 'password',
        username: 'keys only',
        reason: 'wrong_password',
      },
      { ...common, method: 'key', reason: 'unknown_key' },
    ]);
  });
});
