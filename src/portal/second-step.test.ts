/** Codes of apps and recovery codes against the store: what is right, what is taken once, and how often may be guessed. */
import { generateSync } from 'otplib/functional';
import { expect, test } from 'vitest';
import { alice, minuteMs, openNode, startNode } from '../../test/harness/authentication-node.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { operator } from '../audit/audit-log.ts';
import { challengeMs, FactorSecrets } from './factor.ts';
import { userFactors } from './factor-store.ts';
import { prove } from './second-step.ts';
import { digestOf, newToken, sessionSecret } from './session.ts';
import { beginSession, findSession } from './session-store.ts';
import { stepOf } from './totp.ts';

const origin = 'https://sms.example';
const secrets = new FactorSecrets('the secret of a server under test');
const tokenSecret = sessionSecret('the secret of a server under test');
/** Appendix B of RFC 6238: "12345678901234567890". */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** The last six of the eight digits in the table, since apps show six. */
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

test('[PORT-12] Codes are those of RFC 6238, and those of the step before and the next are taken too', () => {
  for (const [seconds, code] of vectors) {
    const step = Math.floor(seconds / 30);
    expect(stepOf(rfcSecret, code, seconds * 1_000)).toBe(step);
    expect(stepOf(rfcSecret, code, (seconds + 30) * 1_000)).toBe(step);
    expect(stepOf(rfcSecret, code, (seconds - 30) * 1_000)).toBe(step);
    expect(stepOf(rfcSecret, code, (seconds + 60) * 1_000)).toBeUndefined();
    expect(stepOf(rfcSecret, code, Math.abs(seconds - 60) * 1_000)).toBe(seconds === 59 ? 1 : undefined);
    expect(stepOf(rfcSecret, code, seconds * 1_000, step)).toBeUndefined();
  }
  for (const wrong of ['', '28708', '2870820', '28708x', '٢٨٧٠٨٢'])
    expect(stepOf(rfcSecret, wrong, 59_000)).toBeUndefined();
});

test('[PORT-12] What is signed for one step of a sign-in is worth nothing for another, changed, or after five minutes', () => {
  const now = 1_700_000_000_000;
  const signed = secrets.sign('sign in', { userId: 11 }, now + challengeMs);
  expect(secrets.open('sign in', signed, now)).toMatchObject({ userId: 11 });
  expect(secrets.open('set up codes', signed, now)).toBeUndefined();
  expect(secrets.open('sign in', signed, now + challengeMs)).toBeUndefined();
  expect(secrets.open('sign in', `x${signed}`, now)).toBeUndefined();
  expect(new FactorSecrets('another secret').open('sign in', signed, now)).toBeUndefined();
  const sealed = secrets.sealTotp(11, rfcSecret);
  expect(sealed).not.toContain(rfcSecret);
  expect(secrets.openTotp(11, sealed)).toBe(rfcSecret);
  expect(() => secrets.openTotp(12, sealed)).toThrow(/can't be opened/);
});

eachStore('second factors', (engine) => {
  /** Two nodes on one store, and alice with codes and one recovery code. */
  async function openNodes() {
    const first = await openNode(await engine.openFreshStore());
    const second = await startNode(first.store, false);
    const { store, clock } = first;
    const passwordMark = passwordMarkOf((await alice()).passwordHash);
    let count = 0;
    const begin = (more: object = {}) => {
      count += 1;
      const digest = digestOf(newToken(tokenSecret, 'session'));
      const session = { digest, id: `s${count}`, userId: 11, createdAt: clock.now(), usedAt: clock.now() };
      const from = { network: '', browser: '', byLink: false };
      const order = { address: '192.0.2.1', mailDomain: undefined, passwordMark };
      return store
        .write(beginSession, { ...order, ...more, session: { ...session, ...from } })
        .then((begun) => (typeof begun === 'string' ? begun : digest));
    };
    const asking = await begin();
    const challenge = { digest: 'set up', expiresAt: clock.now() };
    const recoveryDigests = [secrets.recoveryDigest(11, 'abcde-fghjk')];
    const own = { owner: 11, asking, by: operator, now: clock.now(), mailDomain: undefined };
    const totp = { secret: secrets.sealTotp(11, rfcSecret), step: Math.floor(clock.now() / 30_000) - 1 };
    const added = await store.write(userFactors.addTotp, { ...own, ...totp, challenge, recoveryDigests });
    expect(added).toMatchObject({ isFirst: true });
    const attemptsOf = ({ records }: typeof first) =>
      new FactorAttempts(records, { record: () => undefined });
    const nodes = [attemptsOf(first), attemptsOf(second)];
    const give = (code: string, node = 0, address = '192.0.2.1') =>
      prove(
        {
          store,
          clock,
          factors: userFactors,
          secrets,
          publicUrl: () => origin,
          attempts: nodes[node] as FactorAttempts,
        },
        { owner: 11, username: 'alice', address },
        { code },
      );
    const codeNow = () => generateSync({ secret: rfcSecret, epoch: Math.floor(clock.now() / 1_000) });
    return { first, second, store, clock, begin, asking, give, codeNow };
  }

  test('[PORT-12] A code or a recovery code that two nodes verify at the same time begins one session', async () => {
    const { store, begin, asking, give, codeNow } = await openNodes();
    expect(await begin()).toBe('factorNeeded');
    for (const code of [codeNow(), 'ABCDE FGHJK']) {
      const proofs = await Promise.all([give(code, 0), give(code, 1)]);
      const begun = await Promise.all(proofs.map((proof) => begin({ proof })));
      expect(begun.filter((one) => one === 'factorUsed')).toHaveLength(1);
      const [digest = ''] = begun.filter((one) => one !== 'factorUsed');
      expect(await store.read(findSession, digest)).toMatchObject({ session: { userId: 11 } });
      await expect(give(code)).rejects.toMatchObject({ code: 'invalid_value' });
    }
    expect(await store.read(findSession, asking)).toMatchObject({
      session: { factorAt: expect.any(Number) },
    });
  });

  test('[PORT-12] [AUTH-6] Codes may be guessed eight times in five minutes, whatever the network and however many at once, over all nodes', async () => {
    const { first, second, give, codeNow } = await openNodes();
    const guesses = Array.from({ length: 20 }, (_, place) =>
      give('000000', 0, `198.51.${place}.1`).catch(({ code }: { code: string }) => code),
    );
    const said = await Promise.all(guesses);
    expect(said.filter((code) => code === 'invalid_value')).toHaveLength(8);
    expect(said.filter((code) => code === 'too_many_attempts')).toHaveLength(12);
    await expect(give(codeNow())).rejects.toMatchObject({ code: 'too_many_attempts' });
    // What the first node has counted is stored when it stops.
    await first.records.stop();
    await expect(give(codeNow(), 1)).rejects.toMatchObject({ code: 'too_many_attempts' });
    // The password is counted by itself.
    expect(await second.byPassword('alice', 'correct horse')).toBe('alice');
    for (const node of [first, second]) {
      node.clock.time += 6 * minuteMs;
      node.stopwatch.time += 6 * minuteMs;
    }
    expect(await give(codeNow(), 1)).toMatchObject({ kind: 'code' });
  });
});
