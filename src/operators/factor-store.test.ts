/** Second factors of operators against the store: nothing is taken twice, and nothing of a user counts for an operator. */
import { generateSync } from 'otplib/functional';
import { expect, test } from 'vitest';
import { openNode } from '../../test/harness/authentication-node.ts';
import { Authenticator } from '../../test/harness/authenticator.ts';
import { plant } from '../../test/harness/search-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { challengeMs, FactorSecrets } from '../portal/factor.ts';
import { beginPasskey, beginTotp, dropFactor, finishPasskey, finishTotp } from '../portal/factors.ts';
import { askFor, prove } from '../portal/second-step.ts';
import { digestOf, newToken, sessionSecret } from '../portal/session.ts';
import { operatorFactors, resetOperatorFactors } from './factor-store.ts';
import { admitOperator, beginOperatorSession } from './session-store.ts';
import { holderOf } from './sign-in.ts';

const serverSecret = 'the secret of a server under test';
const origin = 'https://sms.example';
const secrets = new FactorSecrets(serverSecret, 'operator');
const ofUsers = new FactorSecrets(serverSecret);
const tokenSecret = sessionSecret(serverSecret);
const address = '192.0.2.1';

test('[PORT-12] What is signed or sealed for a user is worth nothing for an operator of the same name', () => {
  const now = 1_700_000_000_000;
  const signed = ofUsers.sign('sign in', { username: '11' }, now + challengeMs);
  expect(secrets.open('sign in', signed, now)).toBeUndefined();
  expect(() => secrets.openTotp('11', ofUsers.sealTotp(11, 'GEZDGNBV'))).toThrow(/can't be opened/);
  expect(secrets.recoveryDigest('11', 'abcde')).not.toBe(ofUsers.recoveryDigest(11, 'abcde'));
  // A device keeps one passkey for each handle.
  expect(secrets.handleOf('11')).not.toEqual(ofUsers.handleOf(11));
  expect(secrets.handleOf('x'.repeat(200)).length).toBeLessThanOrEqual(64);
});

eachStore('second factors of operators', (engine) => {
  async function open() {
    const node = await openNode(await engine.openFreshStore());
    const { store, clock, records } = node;
    for (const username of ['olle', 'alice'])
      await store.write(plant, { table: 'operators', values: { username, password_hash: username } });
    const refused: object[] = [];
    const services = {
      store,
      clock,
      secrets,
      factors: operatorFactors,
      attempts: new FactorAttempts(records, { record: (event) => void refused.push(event) }, 'operator'),
      publicUrl: () => origin,
      mailDomain: undefined,
    };
    let count = 0;
    const begin = async (
      { factorAt, ...more }: { readonly factorAt?: number; readonly [name: string]: unknown } = {},
      username = 'olle',
    ) => {
      count += 1;
      const digest = digestOf(newToken(tokenSecret, 'operator'));
      const session = { digest, id: `s${count}`, username, createdAt: clock.now(), usedAt: clock.now() };
      const from = { network: '', browser: '', passwordMark: passwordMarkOf(username) };
      const refusal = await store.write(beginOperatorSession, {
        ...more,
        session: { ...session, ...from, factorAt },
      });
      return refusal ?? digest;
    };
    const holding = (session: string, requiresFactor = false) =>
      holderOf({ requiresFactor }, { username: 'olle', passwordMark: '', session });
    const give = (given: object, username = 'olle') =>
      prove(services, { owner: username, username, address }, given);
    const admits = async (digest: string) =>
      (await store.read(admitOperator, { digest, now: clock.now() })) !== undefined;
    const setUp = async (session: string) => {
      const { secret, token } = await beginTotp(services, holding(session));
      const code = (steps = 0) =>
        generateSync({ secret, epoch: Math.floor(clock.now() / 1_000) + steps * 30 });
      const { recoveryCodes } = await finishTotp(services, holding(session), { token, code: code(-1) });
      return { code, recoveryCodes };
    };
    return { ...node, services, refused, begin, holding, give, admits, setUp };
  }

  test('[PORT-12] Once an operator has codes, no password alone begins a session, and a code or recovery code begins one, even of two at once', async () => {
    const { begin, admits, setUp, give } = await open();
    const [own, other] = [await begin(), await begin()];
    const { code, recoveryCodes } = await setUp(own);
    expect(recoveryCodes).toHaveLength(10);
    expect([await admits(own), await admits(other)]).toEqual([true, false]);
    expect(await begin()).toBe('factorNeeded');
    // Another operator has none.
    expect(await begin({}, 'alice')).not.toBe('factorNeeded');
    for (const given of [code(), recoveryCodes[0]]) {
      const proofs = await Promise.all([give({ code: given }), give({ code: given })]);
      const begun = await Promise.all(proofs.map((proof) => begin({ proof })));
      expect(begun.filter((one) => one === 'factorUsed')).toHaveLength(1);
      await expect(give({ code: given })).rejects.toMatchObject({ code: 'invalid_value' });
    }
    // What was signed when the password was right begins one session at most.
    const challenge = { digest: 'right', expiresAt: Number.MAX_SAFE_INTEGER };
    const [second, third] = recoveryCodes.slice(1, 3);
    expect(await begin({ challenge, proof: await give({ code: second }) })).not.toBe('factorUsed');
    expect(await begin({ challenge, proof: await give({ code: third }) })).toBe('factorUsed');
    await expect(give({ code: third }, 'alice')).rejects.toMatchObject({ code: 'invalid_value' });
  });

  test('[PORT-12] [AUTH-6] Codes of an operator may be guessed eight times in five minutes, and a user of the same name is not locked', async () => {
    const { begin, setUp, give, refused, services, records } = await open();
    const { code } = await setUp(await begin());
    const guesses = Array.from({ length: 12 }, () =>
      give({ code: '000000' }).catch(({ code: said }: { code: string }) => said),
    );
    const said = await Promise.all(guesses);
    expect(said.filter((one) => one === 'invalid_value')).toHaveLength(8);
    await expect(give({ code: code() })).rejects.toMatchObject({ code: 'too_many_attempts' });
    expect(refused).toContainEqual(
      expect.objectContaining({ event: 'login_failed', operator: 'olle', method: 'factor' }),
    );
    const attempt = { username: 'olle', address };
    expect(() => services.attempts.check(attempt)).toThrow();
    expect(() => new FactorAttempts(records, { record: () => undefined }).check(attempt)).not.toThrow();
  });

  test('[PORT-12] A passkey of an operator begins one session for each challenge, and another site’s or operator’s begins none', async () => {
    const { begin, holding, services, give } = await open();
    const own = await begin();
    const device = new Authenticator('a phone', origin);
    const setup = await beginPasskey(services, holding(own));
    const otherHolder = { ...holding(own), owner: 'alice' };
    const answer = device.register(setup);
    const wrong = { code: 'invalid_value' };
    await expect(finishPasskey(services, otherHolder, { name: 'x', answer })).rejects.toMatchObject(wrong);
    await finishPasskey(services, holding(own), { name: 'phone', answer });
    expect(await begin()).toBe('factorNeeded');
    const asked = (await askFor(services, 'olle')).passkey;
    if (asked === undefined) throw new Error('no passkey is asked for');
    const evil = device.use(asked, 1, 'https://evil.example');
    await expect(give({ passkey: evil })).rejects.toMatchObject(wrong);
    await expect(give({ passkey: device.use(asked, 1) }, 'alice')).rejects.toMatchObject(wrong);
    const proofs = await Promise.all([1, 2].map((use) => give({ passkey: device.use(asked, use) })));
    const begun = await Promise.all(proofs.map((proof) => begin({ proof })));
    expect(begun.filter((one) => one === 'factorUsed')).toHaveLength(1);
  });

  test('[PORT-12] An operator’s last factor stays where one is required, changes need a recent one, and a command removes all', async () => {
    const { begin, holding, setUp, services, store, clock, admits } = await open();
    const own = await begin();
    await setUp(own);
    const drop = (isRequired: boolean) => dropFactor(services, holding(own, isRequired), undefined);
    await expect(drop(true)).rejects.toMatchObject({ code: 'in_use' });
    clock.time += 11 * 60_000;
    await expect(drop(false)).rejects.toMatchObject({ code: 'factor_needed' });
    const reset = () => store.write(resetOperatorFactors, { username: 'olle', now: clock.now() });
    expect(await begin({ from: own, factorAt: clock.now() })).toMatch(/^[\w-]{43}$/);
    expect([await reset(), await admits(own), await reset()]).toEqual([true, false, false]);
    expect(await begin({ from: own })).toBe('ended');
    const again = await begin();
    expect(again).not.toBe('factorNeeded');
    expect((await store.read(operatorFactors.read, 'olle')).recoveryDigests).toEqual([]);
    clock.time += 11 * 60_000;
    await expect(setUp(again)).rejects.toMatchObject({ code: 'password_needed' });
  });
});
