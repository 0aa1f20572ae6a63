/** Passkeys against the store: what is right, that nothing is taken twice, and that a copy or another site is refused. */
import { expect, test } from 'vitest';
import { alice, openNode } from '../../test/harness/authentication-node.ts';
import { Authenticator } from '../../test/harness/authenticator.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountById } from '../accounts/account.ts';
import { callerOf, passwordMarkOf } from '../accounts/caller.ts';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { Passwords } from '../accounts/password.ts';
import { operator } from '../audit/audit-log.ts';
import { Budget } from '../foundation/budget.ts';
import { News } from '../storage/news.ts';
import { challengeMs, FactorSecrets, maxPasskeys, passkeyOrigin } from './factor.ts';
import { resetFactorsOfUser, userFactors } from './factor-store.ts';
import { beginPasskey, dropFactor, finishPasskey } from './factors.ts';
import { askFor, prove } from './second-step.ts';
import { digestOf, newToken, sessionSecret } from './session.ts';
import { beginSession } from './session-store.ts';
import { holderOf, maxConcurrentChanges, type SignIn } from './sign-in.ts';

const origin = 'https://sms.example';
const secrets = new FactorSecrets('the secret of a server under test');
const secret = sessionSecret('the secret of a server under test');

test('[PORT-12] Passkeys are offered where browsers take them: at a name, with TLS', () => {
  expect(passkeyOrigin('https://sms.example/under/a/path')).toBe('https://sms.example');
  expect(passkeyOrigin('http://localhost:8080')).toBe('http://localhost:8080');
  for (const other of ['http://sms.example', 'https://192.0.2.1', 'https://[2001:db8::1]'])
    expect(passkeyOrigin(other)).toBeUndefined();
});

eachStore('passkeys', (engine) => {
  async function openNodes() {
    const { store, clock, records } = await openNode(await engine.openFreshStore());
    const services: SignIn = {
      store,
      clock,
      news: new News(store),
      secret,
      secrets,
      factors: userFactors,
      attempts: new FactorAttempts(records, { record: () => undefined }),
      passwords: new Passwords(),
      choosing: new Budget(maxConcurrentChanges),
      publicUrl: () => `${origin}/sms`,
      mailDomain: undefined,
      authenticate: () => Promise.reject(new Error('no password is given')),
    };
    const passwordMark = passwordMarkOf((await alice()).passwordHash);
    let count = 0;
    const begin = async (more: object = {}) => {
      count += 1;
      const digest = digestOf(newToken(secret, 'session'));
      const session = { digest, id: `s${count}`, userId: 11, createdAt: clock.now(), usedAt: clock.now() };
      const from = { network: '', browser: '', byLink: false };
      const order = { address: '192.0.2.1', mailDomain: undefined, passwordMark };
      const begun = await store.write(beginSession, { ...order, ...more, session: { ...session, ...from } });
      return typeof begun === 'string' ? begun : digest;
    };
    const account = await store.read(findAccountById, 11);
    if (account === undefined) throw new Error('there is no alice');
    const digest = await begin();
    const session = { digest, isByLink: false, begunAt: clock.now() };
    const holder = holderOf(services, { ...callerOf(account), session });
    const add = async (device: Authenticator, name = 'phone') =>
      finishPasskey(services, holder, {
        name,
        answer: device.register(await beginPasskey(services, holder)),
      });
    const ask = async () => {
      const { passkey } = await askFor(services, 11);
      if (passkey === undefined) throw new Error('no passkey is asked for');
      return passkey;
    };
    const give = (passkey: string) =>
      prove(services, { owner: 11, username: 'alice', address: '192.0.2.1' }, { passkey });
    const factors = () => store.read(userFactors.read, 11);
    return { store, clock, services, holder, factors, begin, add, ask, give };
  }

  const wrong = { code: 'invalid_value' };

  test('[PORT-12] A passkey is needed once it is added, and begins one session for each challenge', async () => {
    const { services, holder, factors, begin, add, ask, give } = await openNodes();
    const device = new Authenticator('a phone', origin);
    expect((await add(device)).recoveryCodes).toHaveLength(10);
    expect(await factors()).toMatchObject({
      totp: undefined,
      passkeys: [{ id: device.id, name: 'phone', counter: 0, transports: ['internal'] }],
    });
    expect(await begin()).toBe('factorNeeded');
    const asked = await ask();
    expect(asked).toMatchObject({ rpId: 'sms.example', userVerification: 'required' });
    const proofs = await Promise.all([5, 6].map((counter) => give(device.use(asked, counter))));
    const begun = await Promise.all(proofs.map((proof) => begin({ proof })));
    expect(begun.filter((one) => one === 'factorUsed')).toHaveLength(1);
    await expect(add(device)).rejects.toMatchObject({ code: 'taken' });
    expect(await dropFactor(services, holder, device.id)).toEqual({ removed: true });
    expect(await factors()).toMatchObject({ passkeys: [], recoveryDigests: [] });
  });

  test('[PORT-12] A copy of a passkey, whose count has not risen, is refused, and two uses with the same count begin one session', async () => {
    const { begin, add, ask, give } = await openNodes();
    const device = new Authenticator('a key', origin);
    await add(device);
    const proofs = [await give(device.use(await ask(), 7)), await give(device.use(await ask(), 7))];
    const begun = await Promise.all(proofs.map((proof) => begin({ proof })));
    expect(begun.filter((one) => one === 'factorUsed')).toHaveLength(1);
    for (const counter of [0, 6, 7])
      await expect(give(device.use(await ask(), counter))).rejects.toMatchObject(wrong);
    expect(await begin({ proof: await give(device.use(await ask(), 8)) })).not.toBe('factorUsed');
  });

  test('[PORT-12] What another site, another device, another user or an old challenge brings is refused', async () => {
    const { services, holder, clock, add, ask, give } = await openNodes();
    const device = new Authenticator('a phone', origin);
    const asked = await ask().catch(({ message }: Error) => message);
    expect(asked).toBe('no passkey is asked for');
    const phishing = new Authenticator('a phone', 'https://sms.example.evil.example');
    await expect(add(phishing)).rejects.toMatchObject(wrong);
    const setup = await beginPasskey(services, holder);
    const other = { ...holder, owner: 12 };
    const forOther = finishPasskey(services, other, { name: 'x', answer: device.register(setup) });
    await expect(forOther).rejects.toMatchObject(wrong);
    await add(device);
    const known = await ask();
    const ofSite = { ...known, rpId: 'evil.example' };
    const challenge = Buffer.from('made up').toString('base64url');
    const bad = [
      device.use(known, 1, 'https://evil.example'),
      device.use(ofSite, 1),
      device.use({ ...known, challenge }, 1),
      device.use({ ...known, challenge: setup.challenge }, 1),
      new Authenticator('a phone', origin).use(known, 1),
      new Authenticator('not known', origin).use(known, 1),
    ];
    for (const answer of bad) await expect(give(answer)).rejects.toMatchObject(wrong);
    for (const answer of ['{', 'null'])
      await expect(give(answer)).rejects.toMatchObject({ errors: [{ field: 'passkey' }] });
    // That was eight.
    await expect(give(device.use(known, 1))).rejects.toMatchObject({ code: 'too_many_attempts' });
    clock.time += challengeMs;
    const late = finishPasskey(services, holder, { name: 'x', answer: device.register(setup) });
    await expect(late).rejects.toMatchObject(wrong);
  });

  test('[PORT-12] A user has ten passkeys at most, and an operator removes all', async () => {
    const { store, clock, factors, add } = await openNodes();
    for (let count = 0; count < maxPasskeys; count += 1) await add(new Authenticator(`key ${count}`, origin));
    await expect(add(new Authenticator('one more', origin))).rejects.toMatchObject({ code: 'taken' });
    expect((await factors()).passkeys).toHaveLength(maxPasskeys);
    const order = { username: 'alice', by: operator, now: clock.now(), mailDomain: undefined };
    expect(await store.write(resetFactorsOfUser, order)).toBe(true);
    expect((await factors()).passkeys).toEqual([]);
  });
});
