/** What the use cases for a company's users need, on a store without a server, and the callers who ask for them. */
import { findAccountByUsername } from '../../src/accounts/account.ts';
import { type Caller, callerOf } from '../../src/accounts/caller.ts';
import { Passwords } from '../../src/accounts/password.ts';
import type { UserAdministration } from '../../src/administration/administer-company-users.ts';
import { systemClock } from '../../src/foundation/clock.ts';
import { sessionSecret } from '../../src/portal/session.ts';
import { SenderOwners } from '../../src/routing/sender-owners.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';

export const administrationSecret = sessionSecret('the secret of a server under test');

export function userAdministration(store: Store, owners = new SenderOwners()): UserAdministration {
  return {
    store,
    news: new News(store),
    clock: systemClock,
    routes: () => ({ senderOwners: owners }),
    secret: administrationSecret,
    mailDomain: 'sms.example',
    publicUrl: 'https://sms.example',
    passwords: new Passwords(),
  };
}

export async function callerNamed(store: Store, username: string): Promise<Caller> {
  const account = await store.read(findAccountByUsername, username);
  if (account === undefined) throw new Error(`${username} is gone`);
  return callerOf(account);
}
