/** Authenticates the programs that bind at the SMPP server, with the rules about guessing that hold for all passwords. */
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import { isActive } from './account.ts';
import { type Caller, callerOf } from './caller.ts';
import { Freshness } from './fresh-reads.ts';
import { PasswordAuthentication, type PasswordAuthenticationParts } from './password-authentication.ts';
import { findSmppAccount, type SmppAccount, type SmppLogin } from './smpp-logins.ts';

/** A user as the SMPP server knows it. */
export interface SmppClient {
  readonly caller: Caller;
  readonly login: SmppLogin;
}

export type SmppAuthentication = PasswordAuthentication<SmppAccount, SmppClient>;

type Parts = Omit<PasswordAuthenticationParts<SmppAccount, SmppClient>, 'accounts' | 'freshness'>;

export function smppAuthentication({
  news,
  store,
  ...parts
}: Parts & Pick<Context, 'store'> & { readonly news: News }): SmppAuthentication {
  return new PasswordAuthentication({
    ...parts,
    freshness: new Freshness(news, 'accounts'),
    accounts: {
      counted: 'smpp:',
      find: (systemId) => store.read(findSmppAccount, systemId),
      passwordHashOf: ({ login }) => login.passwordHash || undefined,
      admit: smppClientOf,
      named: ({ user: { username } }) => ({ username }),
      networkOwner: ({ user }) => ({ userId: user.id }),
    },
  });
}

/** Undefined when the account is not active. */
export function smppClientOf(account: SmppAccount): SmppClient | undefined {
  return isActive(account) ? { caller: callerOf(account), login: account.login } : undefined;
}
