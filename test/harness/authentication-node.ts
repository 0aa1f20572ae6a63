/** A node that authenticates against a store, with clock, stopwatch and news under the test's control. */

import { apiKeySecret, issueApiKey, loginRecordSecret } from '../../src/accounts/api-keys.ts';
import { authentication } from '../../src/accounts/authentication.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import { KeyUses } from '../../src/accounts/key-uses.ts';
import { LoginQueue } from '../../src/accounts/login-queue.ts';
import { LoginRecords } from '../../src/accounts/login-records.ts';
import { Passwords } from '../../src/accounts/password.ts';
import type { SecurityEvent } from '../../src/foundation/security-log.ts';
import { Ids } from '../../src/storage/ids.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';
import { putCompany, putUser, type TestUser } from './account-verbs.ts';
import type { FreshStore } from './stores.ts';

export const secret = apiKeySecret('the secret of a server under test');
export const company = { id: 1, name: 'Nordic Care', defaultSender: 'NordicCare' };
export const minuteMs = 60_000;

/** The cheapest hash possible, because tests try hundreds of wrong passwords. */
const quick = () => new Passwords(2, { memoryCost: 8, timeCost: 1, parallelism: 1 });

const hashing = quick();
const rightHash = hashing.hash('correct horse');
const otherHash = hashing.hash('battery staple');

/** A user with the password "correct horse". */
export async function alice(): Promise<TestUser> {
  return { id: 11, companyId: 1, username: 'alice', passwordHash: await rightHash, roles: ['send'] };
}

/** The same user with the password "battery staple". */
export async function aliceWithOtherPassword(): Promise<TestUser> {
  return { ...(await alice()), passwordHash: await otherHash };
}

export type AuthenticationNode = Awaited<ReturnType<typeof startNode>>;

/** The node reads its news only when the test says so, unless `newsArrive` is set. */
export async function startNode(store: Store, newsArrive: boolean) {
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  const stopwatch = { time: 1_000, elapsed: () => stopwatch.time };
  const passwords = quick();
  const newsWatch = { time: 0, elapsed: () => newsWatch.time };
  const news = newsArrive ? new News(store) : new News(store, newsWatch);
  const recorded: SecurityEvent[] = [];
  const security = { record: (event: SecurityEvent) => void recorded.push(event) };
  const recordSecret = loginRecordSecret('the secret of a server under test');
  const warned: object[] = [];
  const log = { warn: (details: object) => void warned.push(details) };
  const records = new LoginRecords({ store, news, clock, stopwatch, recordSecret, log });
  await records.start();
  const uses = new KeyUses({ store, log });
  const authenticate = authentication({
    store,
    news,
    clock,
    stopwatch,
    secret,
    passwords,
    records,
    security,
    uses,
    queue: new LoginQueue(),
  });
  const issuer = { store, ids: new Ids(store, 'apiKey', 8), clock, secret };
  if (newsArrive) await news.start();
  else await news.read();

  const keyCall = (key: string) => authenticate({ kind: 'key', key }, { address: '192.0.2.1' });
  const passwordCall = (username: string, password: string, address = '192.0.2.1') =>
    authenticate({ kind: 'password', username, password }, { address });
  return {
    store,
    clock,
    stopwatch,
    /** Reports news as current, unless news arrives on its own. */
    newsWatch,
    news,
    passwords,
    records,
    uses,
    queue: new LoginQueue(),
    warned,
    /** Security events in order. */
    recorded,
    authenticate,
    issuer,
    keyCall,
    passwordCall,
    /** Resolves with the authenticated user's name or the refusal's code. */
    byKey: (key: string) => outcome(() => keyCall(key)),
    byPassword: (username: string, password: string, address?: string) =>
      outcome(() => passwordCall(username, password, address)),
    issue: (name: string, caller = { userId: 11, username: 'alice' }) => issueApiKey(issuer, caller, name),
  };
}

async function outcome(call: () => Caller | Promise<Caller>): Promise<string> {
  try {
    return (await call()).username;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** A node on a store with a company and two users; the second user has no password. */
export async function openNode({ store }: FreshStore, newsArrive = false): Promise<AuthenticationNode> {
  await store.write(putCompany, company);
  await store.write(putUser, await alice());
  await store.write(putUser, { id: 12, companyId: 1, username: 'keys only' });
  return startNode(store, newsArrive);
}
