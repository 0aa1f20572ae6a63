/** Changes that an operator makes to users. A running server picks up each change within a second. */
import { ServiceError } from '../foundation/errors.ts';
import { orThrow } from '../foundation/result.ts';
import type { Store } from '../storage/store.ts';
import type { ReadVerb } from '../storage/verb.ts';
import { type Account, findAccountByUsername } from './account.ts';
import { hasLogin, type Login, type LoginKind, listOperators, listUsers, setPasswordHash } from './logins.ts';
import { checkNewPassword, type Passwords } from './password.ts';
import { newSmppPassword, setSmppPassword } from './smpp-logins.ts';

const pageSize = 1_000;

export function allUsers(store: Store): Promise<readonly Account[]> {
  return allOf(store, listUsers, ({ user }) => user.username);
}

export function allOperators(store: Store): Promise<readonly { readonly username: string }[]> {
  return allOf(store, listOperators, ({ username }) => username);
}

async function allOf<Item>(
  store: Store,
  page: ReadVerb<{ readonly after: string; readonly limit: number }, readonly Item[]>,
  nameOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1);
    const found = await store.read(page, { after: last === undefined ? '' : nameOf(last), limit: pageSize });
    items.push(...found);
    if (found.length < pageSize) return items;
  }
}

export async function findUser(store: Store, username: string): Promise<Account> {
  const account = await store.read(findAccountByUsername, username);
  if (account === undefined) throw unknown('user', username);
  return account;
}

export async function requireLogin(store: Store, kind: LoginKind, username: string): Promise<void> {
  if (!(await store.read(hasLogin, { kind, username }))) throw unknown(kind, username);
}

/** Only the new password works from now on. API keys are not affected. */
export async function setPassword(
  store: Store,
  passwords: Passwords,
  { password, ...login }: Login & { readonly password: string; readonly now: number },
): Promise<void> {
  const passwordHash = await passwords.hash(orThrow(checkNewPassword(password)));
  if (!(await store.write(setPasswordHash, { ...login, passwordHash })))
    throw unknown(login.kind, login.username);
}

/** Gives the user's SMPP login a random password, which is told only now. */
export async function makeSmppPassword(
  store: Store,
  passwords: Passwords,
  { username, now }: { readonly username: string; readonly now: number },
): Promise<{ readonly systemId: string; readonly password: string }> {
  const password = newSmppPassword();
  const passwordHash = await passwords.hash(password);
  const systemId = await store.write(setSmppPassword, { username, passwordHash, now });
  if (systemId !== undefined) return { systemId, password };
  await requireLogin(store, 'user', username);
  throw new ServiceError(
    'not_found',
    `The user ${username} has no SMPP login. Give the user one in a provisioning file (smpp: { systemId: … }).`,
  );
}

function unknown(kind: LoginKind, username: string): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no ${kind} ${username}. Create ${kind}s with a provisioning file (carillon apply).`,
  );
}
