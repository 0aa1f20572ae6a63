/**
 * Administrators' changes to the users of their company and to these users' API keys. Nodes see each change within a second.
 */
import type { KeyObject } from 'node:crypto';
import type { Caller } from '../accounts/caller.ts';
import { type KeysOfCompany, listKeysOfCompany } from '../accounts/company-keys.ts';
import { listUserIdentities, type TiedIdentity } from '../accounts/identity-providers.ts';
import type { Passwords } from '../accounts/password.ts';
import { requireRole } from '../accounts/role.ts';
import { newSmppPassword } from '../accounts/smpp-logins.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import type { IfMatch } from '../foundation/if-match.ts';
import { digestOf, isRecent, linkMs, newToken, type Session } from '../portal/session.ts';
import { openSessionsOf } from '../portal/sessions.ts';
import { end } from '../portal/sign-in.ts';
import type { SenderOwners } from '../routing/sender-owners.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';
import type { News } from '../storage/news.ts';
import type { CompanyUser, Refusal, UserChange } from './company-user.ts';
import {
  changeCompanyUser,
  findCompanyUser,
  linkCompanyUser,
  listCompanyUsers,
  makeCompanyUser,
  releaseCompanyUser,
  removeCompanyUser,
  resetUserFactors,
  setSmppPasswordOfUser,
  type UserPage,
  type UsersFound,
  type UserWritten,
} from './company-user-store.ts';
import { changeUserKey, type UserKey, userKeys } from './user-key.ts';

export interface UserAdministration extends Context {
  readonly news: News;
  readonly routes: () => { readonly senderOwners: SenderOwners };
  /** The result of `sessionSecret`. */
  readonly secret: KeyObject;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
  /** The public address of the server. */
  readonly publicUrl: string;
  readonly passwords: Passwords;
}

interface Page {
  readonly limit: number;
}

export async function pageOfUsers(
  { store }: UserAdministration,
  caller: Caller,
  page: Page & Pick<UserPage, 'name' | 'q' | 'state' | 'from'>,
): Promise<UsersFound> {
  return store.read(listCompanyUsers, { companyId: companyOf(caller), ...page });
}

export async function readUser(
  { store }: UserAdministration,
  caller: Caller,
  id: string,
): Promise<CompanyUser> {
  const one = await store.read(findCompanyUser, { companyId: companyOf(caller), id: Number(id) });
  if (one === null) throw new ServiceError('not_found', { sentence: 'none_such', noun: 'user', id });
  return one;
}

export interface WithLink {
  readonly one: CompanyUser;
  /** Works once, within half an hour, and signs its holder in as the user. */
  readonly link: string;
}

export async function makeUser(
  services: UserAdministration,
  caller: Caller,
  user: { readonly name: string; readonly change: UserChange },
): Promise<WithLink> {
  const by = actorOf(services, caller);
  refuseForeignSenders(services, by.companyId, user.change);
  const { url, link } = newLink(services);
  const written = await services.store.write(makeCompanyUser, {
    by,
    ...user,
    link,
  });
  return { one: await doneOf(services, caller, written), link: url };
}

export async function linkUser(services: UserAdministration, caller: Caller, id: string): Promise<WithLink> {
  const { url, link } = newLink(services);
  const order = { by: actorOf(services, caller), id: Number(id), link };
  const written = await services.store.write(linkCompanyUser, order);
  return { one: await doneOf(services, caller, written), link: url };
}

/** Gives the user's SMPP login a random password, which is told only now. */
export async function makeSmppPasswordOf(
  services: UserAdministration,
  caller: Caller,
  id: string,
): Promise<{ readonly systemId: string; readonly password: string }> {
  const by = actorOf(services, caller);
  const { store, news, passwords } = services;
  const password = newSmppPassword();
  const order = { by, id: Number(id), passwordHash: await passwords.hash(password) };
  const written = await store.write(setSmppPasswordOfUser, order);
  if (written.kind === 'refused') throw refusal(written.why);
  await news.read();
  announceHint(store, caller.companyId, 'users');
  return { systemId: written.systemId, password };
}

/** Lets another identity at a provider sign in as the user. */
export async function releaseUser(
  services: UserAdministration,
  caller: Caller,
  id: string,
): Promise<CompanyUser> {
  const order = { by: actorOf(services, caller), id: Number(id) };
  return doneOf(services, caller, await services.store.write(releaseCompanyUser, order));
}

/** The token follows the `#`, so it reaches no server and no log. */
function newLink({ clock, secret, publicUrl }: UserAdministration) {
  const token = newToken(secret, 'link');
  const link = { digest: digestOf(token), expiresAt: timeIn(clock, linkMs) };
  return { url: `${publicUrl}/portal/link#${token}`, link };
}

interface Named {
  readonly id: string;
  readonly ifMatch: IfMatch;
}

export async function changeUser(
  services: UserAdministration,
  caller: Caller,
  { id, ifMatch, change }: Named & { readonly change: UserChange },
): Promise<CompanyUser> {
  const by = actorOf(services, caller);
  refuseForeignSenders(services, by.companyId, change);
  const order = { by, id: Number(id), ifMatch, change };
  return doneOf(services, caller, await services.store.write(changeCompanyUser, order));
}

/** Refuses senders that belong to another company, because each call that used them would be refused. */
function refuseForeignSenders(
  { routes }: UserAdministration,
  companyId: number,
  { defaultSender, senders }: UserChange,
): void {
  const owners = routes().senderOwners;
  if (defaultSender) owners.refuseForeign(companyId, defaultSender, 'defaultSender');
  for (const sender of senders ?? []) owners.refuseForeign(companyId, sender, 'senders');
}

/** The rules of provisioning files take 30 MiB of memory, and most servers never need them. */
const loadPlanning = () => import('../provisioning/file.ts');

export async function removeUser(
  services: UserAdministration,
  caller: Caller,
  { id, ifMatch }: Named,
): Promise<CompanyUser> {
  const { user } = await readUser(services, caller, id);
  const { planOfRemoval } = await loadPlanning();
  const plan = planOfRemoval(user.company, user.username);
  const order = { by: actorOf(services, caller), id: user.id, ifMatch, plan };
  return doneOf(services, caller, await services.store.write(removeCompanyUser, order));
}

export async function pageOfUsersKeys(
  services: UserAdministration,
  caller: Caller,
  { id, ...page }: Page & { readonly id: string; readonly after: number | undefined },
): Promise<readonly UserKey[]> {
  const { user } = await readUser(services, caller, id);
  return services.store.read(userKeys.list, { scopeId: user.id, ...page });
}

export async function pageOfCompanyKeys(
  { store, clock }: UserAdministration,
  caller: Caller,
  page: Omit<KeysOfCompany, 'companyId' | 'now'>,
) {
  const companyId = companyOf(caller);
  const found = await store.read(listKeysOfCompany, { companyId, now: clock.now(), ...page });
  const keys = found.keys.map(({ key: { id, ...fields }, username }) => {
    const key = { key: id, ...fields };
    return { ...key, username, version: userKeys.versionOf(key) };
  });
  return { ...found, keys };
}

interface UsersKeyChange {
  readonly id: string;
  readonly key: string;
  readonly ifMatch?: IfMatch;
  readonly change: Parameters<typeof changeUserKey>[2]['change'];
}

export async function changeUsersKey(
  services: UserAdministration,
  caller: Caller,
  { id, key, ...order }: UsersKeyChange,
): Promise<UserKey> {
  const { user } = await readUser(services, caller, id);
  requireRecentPassword(caller.session, services.clock.now());
  return changeUserKey(services, caller, { userId: user.id, id: Number(key), ...order });
}

export async function sessionsOfUser(
  services: UserAdministration,
  caller: Caller,
  id: string,
): Promise<{ readonly sessions: readonly Session[]; readonly identities: readonly TiedIdentity[] }> {
  const { user } = await readUser(services, caller, id);
  const [sessions, identities] = await Promise.all([
    openSessionsOf(services, user.id),
    services.store.read(listUserIdentities, user.id),
  ]);
  return { sessions, identities };
}

/** Ends all of the user's sessions but the one that makes the call; returns the user and how many were ended. */
export async function endSessionsOfUser(
  services: UserAdministration,
  caller: Caller,
  id: string,
): Promise<{ readonly username: string; readonly ended: number }> {
  const { user } = await readUser(services, caller, id);
  const { session } = caller;
  requireRecentPassword(session, services.clock.now());
  const own = isOfPortal(session) ? session.digest : '';
  return { username: user.username, ended: await end(services, caller, { allBut: own }, user.id) };
}

/** Removes all second factors of a user who has lost them, and ends the user's sessions. */
export async function resetFactorsOf(services: UserAdministration, caller: Caller, id: string) {
  const { store, news, mailDomain } = services;
  const order = { by: actorOf(services, caller), id: Number(id), mailDomain };
  const written = await store.write(resetUserFactors, order);
  if (written.kind === 'refused') throw refusal(written.why);
  if (written.isNotified === true) store.announce(outgoingMailTopic);
  await news.read();
  announceHint(store, caller.companyId, 'users');
  return { username: written.username, removed: written.removed };
}

function companyOf(caller: Caller): number {
  requireRole(caller, 'companyAdmin');
  return caller.companyId;
}

function actorOf({ clock }: UserAdministration, caller: Caller) {
  const { userId, username, session } = caller;
  const companyId = companyOf(caller);
  const now = clock.now();
  requireRecentPassword(session, now);
  return { companyId, userId, username, session, now };
}

/**
 * Someone with a stolen session must not create a user, a link or a role, which would outlive the session. For a session that
 * was begun with a link, no password was given.
 */
function requireRecentPassword(session: Caller['session'], now: number): void {
  // Without a session, the password came with the call, or the call is an operator's command, which needs no password.
  if (!isOfPortal(session)) return;
  if (!session.isByLink && isRecent(session.begunAt, now)) return;
  throw new ServiceError(
    'password_needed',
    'For this, you must have given your password within the last ten minutes. Sign in again. Nothing was done.',
  );
}

async function doneOf(
  { store, news }: UserAdministration,
  { companyId }: Caller,
  written: UserWritten,
): Promise<CompanyUser> {
  if (written.kind === 'refused') throw refusal(written.why);
  // On this node the change takes effect at once.
  await news.read();
  announceHint(store, companyId, 'users');
  return written.one;
}

function refusal({ field, ...why }: Refusal): ServiceError {
  return errorOfFields(why, ...(field === undefined ? [] : [field]));
}
