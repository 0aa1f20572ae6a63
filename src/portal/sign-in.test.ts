import { beforeEach, expect, test } from 'vitest';
import { startNode } from '../../test/harness/authentication-node.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { sqliteStore } from '../../test/harness/stores.ts';
import type { CallerSession } from '../accounts/caller.ts';
import { FactorAttempts } from '../accounts/factor-attempts.ts';
import { Passwords } from '../accounts/password.ts';
import { unauthorised } from '../accounts/unauthorised.ts';
import { Budget } from '../foundation/budget.ts';
import { systemClock } from '../foundation/clock.ts';
import type { ServiceError } from '../foundation/errors.ts';
import { News } from '../storage/news.ts';
import { FactorSecrets } from './factor.ts';
import { userFactors } from './factor-store.ts';
import { sessionSecret } from './session.ts';
import { maxConcurrentChanges, type SignIn, setOwnPassword } from './sign-in.ts';

sqliteStore('changes of passwords', (engine) => {
  let services: SignIn;
  /**
   * Each of these functions reports that the current password given for a change is wrong. Until it is called, the change
   * waits.
   */
  let wrong: (() => void)[];
  /** Whenever a call gave up its place among the calls under way, or took a place again. */
  let places: ('given' | 'taken')[];

  beforeEach(async () => {
    const { store } = await engine.openFreshStore();
    const { records } = await startNode(store, false);
    wrong = [];
    places = [];
    services = {
      store,
      clock: systemClock,
      news: new News(store),
      secret: sessionSecret('the secret of a server under test'),
      factors: userFactors,
      secrets: new FactorSecrets('the secret of a server under test'),
      attempts: new FactorAttempts(records, { record: () => undefined }),
      passwords: new Passwords(),
      choosing: new Budget(maxConcurrentChanges),
      mailDomain: undefined,
      publicUrl: () => 'https://sms.example',
      authenticate: () => new Promise((_, reject) => wrong.push(() => reject(unauthorised()))),
    };
  });

  const call = {
    address: '192.0.2.1',
    browser: '',
    isOver: false,
    async whileWaiting<Result>(answer: Promise<Result>): Promise<Result> {
      places.push('given');
      try {
        return await answer;
      } finally {
        places.push('taken');
      }
    },
  };

  const change = (companyId: number, userId: number, { isByLink }: Pick<CallerSession, 'isByLink'>) => {
    const session = { digest: 'of no session', isByLink, begunAt: 0 };
    const given = { current: 'their old password', password: 'their new password' };
    return setOwnPassword(services, { ...callerOf(userId), companyId, session }, given, call);
  };
  /** Begins a change; returns the code with which the change is refused. */
  const begin = (companyId: number, userId: number) =>
    change(companyId, userId, { isByLink: false }).catch((error: ServiceError) => error.code);

  test('[PORT-2] [DLV-8] [CONV-15] Password changes under way are bounded: one per user, twenty per company, a hundred in all', async () => {
    const users = Array.from({ length: 20 }, (_, index) => index + 1);
    const begun = [1, 2, 3, 4].flatMap((companyId) => users.map((userId) => begin(companyId, userId)));
    expect([await begin(1, 20), await begin(1, 21)]).toEqual(['overloaded', 'overloaded']);
    begun.push(...users.map((userId) => begin(5, userId)));
    expect(await begin(6, 1)).toBe('overloaded');
    expect(places).toEqual(begun.map(() => 'given'));
    for (const tell of wrong.splice(0)) tell();
    expect(await Promise.all(begun)).toEqual(begun.map(() => 'invalid_value'));
    const again = begin(1, 20);
    for (const tell of wrong) tell();
    expect(await again).toBe('invalid_value');
  });

  test('[PORT-2] [DLV-8] A password change takes no place from other calls while a password is hashed', async () => {
    await expect(change(1, 1, { isByLink: true })).rejects.toMatchObject({ code: 'unauthorised' });
    expect(places).toEqual(['given', 'taken']);
  });
});
