/** Authenticates API callers by password or API key. */
import type { KeyObject } from 'node:crypto';
import type { Stopwatch } from '../foundation/clock.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import type { Authenticate } from '../http/credentials/credentials.ts';
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { type Account, findAccountByUsername, isActive } from './account.ts';
import { ApiKeyAuthentication } from './api-key-authentication.ts';
import { type Caller, callerOf } from './caller.ts';
import { Freshness } from './fresh-reads.ts';
import type { KeyUses } from './key-uses.ts';
import type { LoginQueue } from './login-queue.ts';
import type { LoginRecords } from './login-records.ts';
import type { Passwords } from './password.ts';
import { type PasswordAccounts, PasswordAuthentication } from './password-authentication.ts';

export interface AuthenticationParts extends Context {
  readonly news: News;
  readonly stopwatch: Stopwatch;
  /** The key that API keys are signed with (`apiKeySecret`). */
  readonly secret: KeyObject;
  readonly passwords: Passwords;
  readonly records: LoginRecords;
  readonly security: SecurityEvents;
  readonly uses: KeyUses;
  readonly queue: LoginQueue;
}

const usersOf = (store: Store) =>
  ({
    counted: '',
    find: (username) => store.read(findAccountByUsername, username),
    passwordHashOf: ({ user }) => user.passwordHash,
    admit: (account) => (isActive(account) ? callerOf(account) : undefined),
    named: ({ user: { username } }) => ({ username }),
    networkOwner: ({ user }) => ({ userId: user.id }),
  }) satisfies PasswordAccounts<Account, Caller>;

export function authentication({ news, ...parts }: AuthenticationParts): Authenticate<Caller> {
  const freshness = new Freshness(news, 'accounts');
  const byKey = new ApiKeyAuthentication({ ...parts, freshness });
  const byPassword = new PasswordAuthentication({ ...parts, freshness, accounts: usersOf(parts.store) });
  return (credentials, from) =>
    credentials.kind === 'key'
      ? byKey.authenticate(credentials.key, from)
      : byPassword.authenticate(credentials.username, credentials.password, from);
}
