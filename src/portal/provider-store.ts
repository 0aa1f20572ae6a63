/** Begins sessions of users who signed in with an identity provider. */
import { type Account, findAccount, isActive } from '../accounts/account.ts';
import { companyIds } from '../accounts/company-records.ts';
import {
  holdProvider,
  type IdentityProvider,
  tieSubject,
  userOfSubject,
} from '../accounts/identity-providers.ts';
import type { Role } from '../accounts/role.ts';
import { lockOutFiles, managedKeys } from '../accounts/set-keys.ts';
import { createUsers, isFullOfUsers, isUsername, newUser, updateUsers } from '../accounts/user-records.ts';
import { type Actor, recordAct } from '../audit/audit-log.ts';
import { maxReleasedPerStep, releaseOf, seesFewer } from '../messages/conversations/release-records.ts';
import { raiseNews } from '../storage/news.ts';
import { refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import type { Session } from './session.ts';
import { keepBegun, type SignInPlace } from './session-store.ts';

/** What a provider has vouched for. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The user's name at the provider, which may change. */
  readonly username: string;
  /** Undefined if the provider does not decide on roles. */
  readonly roles: readonly Role[] | undefined;
}

/** Why nobody is signed in; the sign-in page has a sentence for each. */
export type Refusal =
  | 'unknown_user'
  | 'other_identity'
  | 'other_user'
  | 'closed'
  | 'no_role'
  | 'too_many_users'
  | 'over';

interface ByProvider extends SignInPlace {
  /** As it was when it vouched for the user. A file may have changed or removed it meanwhile, which ends the sign-in. */
  readonly provider: IdentityProvider;
  readonly identity: Identity;
  readonly session: Omit<Session, 'userId' | 'standing'>;
  /** The only user who may sign in, to confirm who they are. */
  readonly confirms: number | undefined;
}

export const beginByProvider = refusable(
  singleWriteVerb(
    'portal.beginByProvider',
    async (transaction, { provider, identity, session, confirms, ...place }: ByProvider) => {
      const { createdAt: at } = session;
      // Files, and another sign-in of the same person, may make the same user or change the same roles.
      if (identity.roles !== undefined) await lockOutFiles(transaction);
      const known = await holdProvider(transaction, provider.name);
      if (JSON.stringify(known) !== JSON.stringify(provider)) return 'over';
      const found = await userBehind(transaction, provider, identity, at);
      if (typeof found === 'string') return found;
      if (confirms !== undefined && found.user.id !== confirms) return 'other_user';
      if (!isActive(found)) return 'closed';
      const account = await withRoles(transaction, found, identity, at);
      if (account === undefined) return 'no_role';
      const details = { sentence: 'by_provider', provider: provider.name } as const;
      const begun = await keepBegun(transaction, account, session, place, details);
      const { id, username } = account.user;
      if (seesFewer(found.user, account.user))
        await releaseOf(transaction, [{ id, username }], { by: byPortal(username), at });
      return begun;
    },
    // Each call may count the existing users, or release conversations.
    () => maxReleasedPerStep,
  ),
);

/** The user whom the provider knows by this subject. The first sign-in ties the subject to the user with its name. */
async function userBehind(
  transaction: Transaction,
  { name, company, create }: ByProvider['provider'],
  { issuer, subject, username, roles }: Identity,
  now: number,
): Promise<Account | Refusal> {
  const known = { provider: name, issuer, subject };
  const id = await userOfSubject(transaction, known);
  if (id !== undefined) {
    const account = await findAccount(transaction, { id }, { isLocked: true });
    return account !== undefined && isOf(company, account) ? account : 'unknown_user';
  }
  if (!isUsername(username)) return 'unknown_user';
  const existing = await findAccount(transaction, { username }, { isLocked: true });
  if (existing !== undefined && !isOf(company, existing)) return 'unknown_user';
  const account =
    existing ?? (create ? await makeUser(transaction, username, company, roles, now) : undefined);
  if (account === undefined) return 'unknown_user';
  if (typeof account === 'string') return account;
  return (await tieSubject(transaction, known, account.user.id, now)) ? account : 'other_identity';
}

function isOf(company: string | undefined, account: Account): boolean {
  return company === undefined || account.company.name === company;
}

async function makeUser(
  transaction: Transaction,
  username: string,
  company: string | undefined,
  roles: readonly Role[] | undefined,
  now: number,
): Promise<Account | Refusal | undefined> {
  if (company === undefined || username.trim() !== username) return undefined;
  if (roles?.length === 0) return 'no_role';
  const companyId = (await companyIds(transaction, [company])).get(company);
  if (companyId === undefined) return undefined;
  if (await isFullOfUsers(transaction, companyId)) return 'too_many_users';
  const user = { ...newUser(username, company), roles: roles ?? [] };
  await createUsers(transaction, [user]);
  await raiseNews(transaction, 'accounts');
  const details = { sentence: 'roles_given', roles: String(user.roles) } as const;
  await recordAct(transaction, {
    companyId,
    by: byPortal(username),
    act: 'user.make',
    at: now,
    object: username,
    details,
  });
  return findAccount(transaction, { username });
}

/** Roles that a provisioning file has set stay as they are. Undefined if the provider gives the user none. */
async function withRoles(
  transaction: Transaction,
  account: Account,
  { roles }: Identity,
  now: number,
): Promise<Account | undefined> {
  const { user, company } = account;
  if (roles === undefined || sameRoles(roles, user.roles)) return account;
  if ((await managedKeys(transaction, [user.username])).get(user.username)?.has('roles')) return account;
  if (roles.length === 0) return undefined;
  const changed = { ...user, roles };
  await updateUsers(transaction, [changed]);
  await raiseNews(transaction, 'accounts');
  const { username } = user;
  await recordAct(transaction, {
    companyId: company.id,
    by: byPortal(username),
    act: 'user.change',
    at: now,
    object: username,
    details: { sentence: 'roles_by_provider', before: user.roles.join(', '), after: roles.join(', ') },
  });
  return { ...account, user: changed };
}

const byPortal = (username: string): Actor => ({ channel: 'portal', username });

function sameRoles(some: readonly Role[], others: readonly Role[]): boolean {
  return some.length === others.length && some.every((role) => others.includes(role));
}
