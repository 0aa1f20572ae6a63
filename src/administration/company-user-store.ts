/** All SQL for administrators who manage the users of their company. */

import { type Account, accountColumns, findAccount, isActive, toAccount } from '../accounts/account.ts';
import { lockLeaving } from '../accounts/company-records.ts';
import { untieSubjects } from '../accounts/identity-providers.ts';
import { readJobOwners, writeJobOwners } from '../accounts/job-owner-records.ts';
import { lockOutFiles, managedKeys, smppPasswordKey } from '../accounts/set-keys.ts';
import {
  readSmppLogins,
  type SmppLogin,
  smppLoginNamed,
  writeSmppLogins,
  writeSmppPassword,
} from '../accounts/smpp-logins.ts';
import { findSystemUserId } from '../accounts/system-user-records.ts';
import {
  createUsers,
  isFullOfUsers,
  newUser,
  type UserRecord,
  updateUsers,
} from '../accounts/user-records.ts';
import type { AuditDetails } from '../audit/audit-details.ts';
import { type Act, type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { giveBooks, type ReadableBooks, readReadableBooks } from '../contacts/reader-records.ts';
import type { IfMatch } from '../foundation/if-match.ts';
import { fault, quoted } from '../foundation/result.ts';
import { maxReleasedPerStep, releaseOf, seesFewer } from '../messages/conversations/release-records.ts';
import { resetFactors } from '../portal/factor-records.ts';
import { endAllLogins, type LoginLink, lastSignIns, writeLink } from '../portal/session.ts';
import type { Plan } from '../provisioning/kind-list.ts';
import { applyByRules, loadRules } from '../provisioning/rules.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { raiseNews } from '../storage/news.ts';
import { forNoKeyUpdate, forShare, oneOf, sql } from '../storage/sql.ts';
import {
  afterLoading,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  type Transaction,
} from '../storage/verb.ts';
import { plainForm } from '../wire/sort-key.ts';
import {
  booksAfter,
  type CompanyUser,
  changed,
  faultOfBooks,
  faultOfLogin,
  faultOfManaged,
  faultOfOwnEmail,
  faultOfRights,
  faultOfSettings,
  faultOfVersion,
  inactive,
  keysOfChange,
  loginAfter,
  managedBy,
  neededBy,
  noAdministrator,
  ownFactors,
  type Refusal,
  rightsLike,
  systemUserAfter,
  taken,
  tooMany,
  type UserChange,
  type UserState,
  unknownUser,
  versionOf,
  withoutLogin,
} from './company-user.ts';

export interface UserPage {
  readonly companyId: number;
  /** Only the user with this name. */
  readonly name?: string | undefined;
  /** Only users whose names contain this, in any case and with or without accents. */
  readonly q?: string | undefined;
  readonly state?: UserState | undefined;
  readonly from: NamePlace;
  readonly limit: number;
}

export interface UsersFound {
  readonly users: readonly CompanyUser[];
  /** The name after which there may be more; undefined at the end of the list. */
  readonly readTo: string | undefined;
}

/** The names read at a time for a search, which others wait for. */
export const namesPerSearch = 1_000;

const byName = new NameOrder('users.username');

/** Sorted by name. A search may find nobody among the names that it reads at a time, and others further on. */
export const listCompanyUsers = readVerb(
  'accounts.listCompanyUsers',
  async (reading, page: UserPage): Promise<UsersFound> => {
    const { names, readTo } = await namesOf(reading, page);
    const rows = await reading.all<object>(
      sql`SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
          WHERE users.username ${oneOf('text', names)} ORDER BY ${byName.by(page.from)}`,
    );
    return { users: await shownOf(reading, rows.map(toAccount)), readTo };
  },
);

interface NamedState {
  readonly username: string;
  readonly active: number;
  readonly has_password: number;
}

async function namesOf(reading: Reading, { companyId, name, q, state, from, limit }: UserPage) {
  const isSearch = q !== undefined || state !== undefined;
  const ofName = name === undefined ? sql`` : sql`AND username = ${name}`;
  const rows = await reading.all<NamedState>(
    sql`SELECT username, active, CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS has_password FROM users
        WHERE company_id = ${companyId} ${byName.behind(from)} ${ofName}
        ORDER BY ${byName.by(from)} LIMIT ${isSearch ? namesPerSearch : limit + 1}`,
  );
  const sought = plainForm(q ?? '');
  const found = rows.filter(
    (row) =>
      (state === undefined || stateOf(row) === state) &&
      (sought === '' || plainForm(row.username).includes(sought)),
  );
  const names = found.slice(0, limit).map(({ username }) => username);
  const isWhole = rows.length < (isSearch ? namesPerSearch : limit + 1);
  if (found.length > limit) return { names, readTo: names.at(-1) };
  return { names, readTo: isWhole ? undefined : rows.at(-1)?.username };
}

function stateOf({ active, has_password }: NamedState): UserState {
  if (active === 0) return 'inactive';
  return has_password === 0 ? 'noPassword' : 'active';
}

export interface UserKey {
  readonly companyId: number;
  readonly id: number;
}

export const findCompanyUser = readVerb(
  'accounts.findCompanyUser',
  async (reading, key: UserKey): Promise<CompanyUser | null> => {
    const account = await ofCompany(reading, key);
    return account === undefined ? null : shownOne(reading, account);
  },
);

async function ofCompany(reading: Reading, { companyId, id }: UserKey, isLocked = false) {
  const account = await findAccount(reading, { id }, { isLocked });
  return account?.company.id === companyId ? account : undefined;
}

async function shownOf(reading: Reading, accounts: readonly Account[]): Promise<readonly CompanyUser[]> {
  const names = accounts.map(({ user }) => user.username);
  const ids = accounts.map(({ user }) => user.id);
  const managed = await managedKeys(reading, names);
  const books = await readReadableBooks(reading, ids);
  const signIns = await lastSignIns(reading, ids);
  const owners = await readJobOwners(reading, ids);
  const logins = await readSmppLogins(reading, { ids, systemIds: [] });
  return accounts.map(({ user }) => {
    const keys = managed.get(user.username);
    const { addressBooks, defaultAddressBook } = books.get(user.id) ?? noBooks;
    return {
      user,
      managedKeys: [...(keys ?? [])],
      isManaged: keys !== undefined,
      addressBooks,
      defaultAddressBook,
      systemUser: owners.get(user.id),
      smpp: logins.get(user.id),
      lastSignIn: signIns.get(user.id),
    };
  });
}

const noBooks: ReadableBooks = { addressBooks: [], defaultAddressBook: undefined };

async function booksOf(reading: Reading, { user }: Account): Promise<ReadableBooks> {
  return (await readReadableBooks(reading, [user.id])).get(user.id) ?? noBooks;
}

async function shownOne(reading: Reading, account: Account): Promise<CompanyUser> {
  return (await shownOf(reading, [account]))[0] as CompanyUser;
}

interface Acting extends ActingUser {
  readonly userId: number;
  readonly companyId: number;
  readonly now: number;
}

/** `one` is the user after the change, or the last state of a removed user. */
export type UserWritten =
  | { readonly kind: 'done'; readonly one: CompanyUser }
  | { readonly kind: 'refused'; readonly why: Refusal };

const refused = (why: Refusal) => ({ kind: 'refused', why }) as const;

export interface UserToMake {
  readonly by: Acting;
  readonly name: string;
  readonly change: UserChange;
  readonly link: LoginLink;
}

export const makeCompanyUser = refusable(
  singleWriteVerb(
    'accounts.makeCompanyUser',
    async (transaction, { by, name, change, link }: UserToMake): Promise<UserWritten> => {
      await lockSystemIds(transaction, change);
      const own = await administratorOf(transaction, by);
      if (own === undefined) return refused(noAdministrator);
      if ((await findAccount(transaction, { username: name })) !== undefined)
        return refused({ ...taken(name), field: 'name' });
      if (await isFullOfUsers(transaction, by.companyId)) return refused(tooMany);
      const user = changed({ ...newUser(name, own.user.company), ...rightsLike(own.user) }, change);
      const ownBooks = await booksOf(transaction, own);
      const books = booksAfter(ownBooks, change);
      const systemUser = systemUserAfter(undefined, change, user, await jobOwnerOf(transaction, own));
      const smpp = loginAfter(undefined, change);
      const why =
        faultOfRights(own.user, undefined, user) ??
        faultOfSettings(user) ??
        faultOfBooks(ownBooks, { ...noBooks, managedKeys: [], user: own.user }, books) ??
        (await faultOfSystemUser(transaction, by, change)) ??
        (await faultOfNewLogin(transaction, own, undefined, smpp));
      if (why !== undefined) return refused(why);
      await createUsers(transaction, [user]);
      const made = (await findAccount(transaction, { username: name })) as Account;
      await giveBooks(transaction, { userId: made.user.id, companyId: by.companyId }, books);
      if (systemUser !== undefined) await writeJobOwners(transaction, [{ username: name, systemUser }]);
      if (smpp !== undefined) await writeSmppLogins(transaction, [{ username: name, smpp }]);
      await writeLink(transaction, made, link);
      await record(transaction, by, {
        act: 'user.make',
        object: name,
        details: { sentence: 'roles_given', roles: String(user.roles) },
      });
      return { kind: 'done', one: await shownOne(transaction, made) };
    },
    // Each call counts the existing users.
    () => 20,
  ),
);

export interface UserToChange {
  readonly by: Acting;
  readonly id: number;
  readonly ifMatch: IfMatch;
  readonly change: UserChange;
}

export const changeCompanyUser = refusable(
  singleWriteVerb(
    'accounts.changeCompanyUser',
    async (transaction, { by, id, ifMatch, change }: UserToChange): Promise<UserWritten> => {
      await lockSystemIds(transaction, change);
      const own = await administratorOf(transaction, by);
      if (own === undefined) return refused(noAdministrator);
      const account = await ofCompany(transaction, { companyId: by.companyId, id }, true);
      if (account === undefined) return refused(unknownUser(id));
      const before = await shownOne(transaction, account);
      const after = changed(account.user, change);
      const books = booksAfter(before, change);
      const systemUser = systemUserAfter(before, change, after, await jobOwnerOf(transaction, own));
      const smpp = loginAfter(before.smpp, change);
      const why =
        faultOfVersion(before, ifMatch) ??
        faultOfManaged(before, change) ??
        faultOfOwnEmail(by, account.user, after) ??
        faultOfRights(own.user, account.user, after) ??
        faultOfSettings(after) ??
        faultOfBooks(await booksOf(transaction, own), before, books) ??
        (await faultOfSystemUser(transaction, by, change)) ??
        (await faultOfNewLogin(transaction, own, before.smpp, smpp)) ??
        (await faultOfLast(transaction, account, after));
      if (why !== undefined) return refused(why);
      const one = { ...before, ...books, systemUser, smpp, user: { ...after, id } };
      if (versionOf(one) === versionOf(before)) return { kind: 'done', one };
      await updateUsers(transaction, [after]);
      if (JSON.stringify(books) !== JSON.stringify(booksAfter(before, {})))
        await giveBooks(transaction, { userId: id, companyId: by.companyId }, books);
      if (systemUser !== before.systemUser)
        await writeJobOwners(transaction, [{ username: after.username, systemUser }]);
      if (smpp !== before.smpp) await writeSmppLogins(transaction, [{ username: after.username, smpp }]);
      if (!after.active) await endAllLogins(transaction, id);
      const roles = { sentence: 'roles_given', roles: String(after.roles) } as const;
      const details = keysOfChange(change).map((key) => (key === 'roles' ? roles : key));
      await record(transaction, by, {
        act: actOf(account.user, after),
        object: after.username,
        details,
      });
      if (seesFewer(account.user, after)) await release(transaction, by, account);
      return { kind: 'done', one };
    },
    ({ change }) => (change.active === false || change.roles !== undefined ? maxReleasedPerStep : 1),
  ),
);

function actOf(before: UserRecord, after: UserRecord): Act {
  if (before.active === after.active) return 'user.change';
  return after.active ? 'user.activate' : 'user.deactivate';
}

/** Why the user can't start the jobs of the system user that a change names. */
async function faultOfSystemUser(
  transaction: Transaction,
  { companyId }: Acting,
  { systemUser }: UserChange,
): Promise<Refusal | undefined> {
  if (systemUser == null) return undefined;
  // It is not removed meanwhile.
  const found = await findSystemUserId(transaction, companyId, systemUser, forShare);
  if (found !== undefined) return undefined;
  const said = { sentence: 'unknown_owner', owner: quoted(systemUser) } as const;
  return { ...fault('invalid_value', said), field: 'systemUser' };
}

/** What a system id and a login are before the change stays so until it is committed, whatever other nodes and files do. */
async function lockSystemIds(transaction: Transaction, { smpp }: UserChange): Promise<void> {
  if (smpp !== undefined) await lockOutFiles(transaction);
}

/** Why the user can't have the login. Nothing tells whose a system id is. */
async function faultOfNewLogin(
  transaction: Transaction,
  { user: { id } }: Account,
  before: SmppLogin | undefined,
  after: SmppLogin | undefined,
): Promise<Refusal | undefined> {
  if (after === undefined || after === before) return undefined;
  const { systemId } = after;
  const logins = await readSmppLogins(transaction, { ids: [id], systemIds: [systemId] });
  const isTaken = [...logins.values()].some((login) => login.systemId === systemId);
  if (isTaken && systemId !== before?.systemId) return { ...taken(systemId), field: 'smpp.systemId' };
  return faultOfLogin(logins.get(id), before, after);
}

async function jobOwnerOf(reading: Reading, { user }: Account): Promise<string | undefined> {
  return (await readJobOwners(reading, [user.id])).get(user.id);
}

export interface UserToRemove {
  readonly by: Acting;
  readonly id: number;
  readonly ifMatch: IfMatch;
  /** The result of `planOfRemoval`. */
  readonly plan: Plan;
}

/** Follows the rules of provisioning files: sent messages stay, and users that are still needed are reported. */
export const removeCompanyUser = refusable(
  afterLoading(
    loadRules,
    singleWriteVerb(
      'accounts.removeCompanyUser',
      async (transaction, { by, id, ifMatch, plan }: UserToRemove): Promise<UserWritten> => {
        await lockOutFiles(transaction);
        const own = await administratorOf(transaction, by);
        if (own === undefined) return refused(noAdministrator);
        const key = { companyId: by.companyId, id };
        const named = await ofCompany(transaction, key);
        if (named === undefined) return refused(unknownUser(id));
        // Takes the strongest lock from the start; upgrading from a weaker one could deadlock with another transaction that
        // does the same.
        await lockLeaving(transaction, { companies: [], usernames: [named.user.username] });
        const account = await ofCompany(transaction, key);
        if (account === undefined) return refused(unknownUser(id));
        const before = await shownOne(transaction, account);
        const { username } = account.user;
        const why =
          faultOfVersion(before, ifMatch) ??
          (before.isManaged ? managedBy(username) : undefined) ??
          (await faultOfLast(transaction, account, undefined));
        if (why !== undefined) return refused(why);
        const needs = await applyByRules(transaction, plan);
        if (needs.length > 0) return refused(neededBy(needs));
        await record(transaction, by, { act: 'user.remove', object: username });
        await release(transaction, by, account);
        return { kind: 'done', one: before };
      },
      () => maxReleasedPerStep,
    ),
  ),
);

export interface FactorsToReset {
  readonly by: Acting;
  readonly id: number;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

/** For a user who has lost a phone or a key. An administrator can't remove their own second factors this way. */
export const resetUserFactors = refusable(
  singleWriteVerb(
    'accounts.resetUserFactors',
    async (transaction, { by, id, mailDomain }: FactorsToReset) => {
      if ((await administratorOf(transaction, by)) === undefined) return refused(noAdministrator);
      const account = await ofCompany(transaction, { companyId: by.companyId, id }, true);
      if (account === undefined) return refused(unknownUser(id));
      if (id === by.userId) return refused(ownFactors);
      const reset = await resetFactors(transaction, account, { by: byUser(by), now: by.now, mailDomain });
      const { username } = account.user;
      return { kind: 'done', username, removed: reset !== undefined, isNotified: reset?.isNotified } as const;
    },
  ),
);

export interface LinkToMake {
  readonly by: Acting;
  readonly id: number;
  readonly link: LoginLink;
}

/** The holder of the link signs in as the user, so the link must not grant more than its creator may do. */
export const linkCompanyUser = refusable(
  singleWriteVerb(
    'accounts.linkCompanyUser',
    async (transaction, { by, id, link }: LinkToMake): Promise<UserWritten> => {
      const own = await administratorOf(transaction, by);
      if (own === undefined) return refused(noAdministrator);
      const account = await ofCompany(transaction, { companyId: by.companyId, id }, true);
      if (account === undefined) return refused(unknownUser(id));
      if (!isActive(account)) return refused(inactive(account));
      const fault = faultOfRights(own.user, undefined, account.user);
      if (fault !== undefined) return refused(fault);
      await writeLink(transaction, account, link);
      const { username } = account.user;
      await recordAct(transaction, {
        companyId: by.companyId,
        at: by.now,
        by: byUser(by),
        act: 'user.link',
        object: username,
      });
      return { kind: 'done', one: await shownOne(transaction, account) };
    },
  ),
);

export interface SmppPasswordToSet {
  readonly by: Acting;
  readonly id: number;
  readonly passwordHash: string;
}

/** Who binds with the password acts as the user, so it must not grant more than its creator may do. */
export const setSmppPasswordOfUser = refusable(
  singleWriteVerb(
    'accounts.setSmppPasswordOfUser',
    async (transaction, { by, id, passwordHash }: SmppPasswordToSet) => {
      // A file rewrites the whole login.
      await lockOutFiles(transaction);
      const own = await administratorOf(transaction, by);
      if (own === undefined) return refused(noAdministrator);
      const account = await ofCompany(transaction, { companyId: by.companyId, id }, true);
      if (account === undefined) return refused(unknownUser(id));
      const { username } = account.user;
      const fault = faultOfRights(own.user, undefined, account.user);
      if (fault !== undefined) return refused(fault);
      const keys = (await managedKeys(transaction, [username])).get(username);
      if (keys?.has(smppPasswordKey)) return refused(managedBy(username, smppPasswordKey));
      const systemId = await writeSmppPassword(transaction, id, passwordHash);
      if (systemId === undefined) return refused(withoutLogin(username));
      await record(transaction, by, { act: 'password.set', object: smppLoginNamed(systemId) });
      return { kind: 'done', systemId } as const;
    },
  ),
);

/** From now on another subject of an identity provider may sign in as the user, if it has the user's name there. */
export const releaseCompanyUser = refusable(
  singleWriteVerb(
    'accounts.releaseCompanyUser',
    async (transaction, { by, id }: Omit<LinkToMake, 'link'>): Promise<UserWritten> => {
      const own = await administratorOf(transaction, by);
      if (own === undefined) return refused(noAdministrator);
      const account = await ofCompany(transaction, { companyId: by.companyId, id }, true);
      if (account === undefined) return refused(unknownUser(id));
      const fault = faultOfRights(own.user, undefined, account.user);
      if (fault !== undefined) return refused(fault);
      const providers = await untieSubjects(transaction, id);
      const { username } = account.user;
      if (providers.length > 0)
        await record(transaction, by, {
          act: 'user.release',
          object: username,
          details: providers.join(', '),
        });
      return { kind: 'done', one: await shownOne(transaction, account) };
    },
  ),
);

/** The administrator's current state: a role may have been removed since the call was authenticated. */
async function administratorOf(reading: Reading, { userId }: Acting): Promise<Account | undefined> {
  const own = await findAccount(reading, { id: userId });
  return own !== undefined && isActive(own) && own.user.roles.includes('companyAdmin') ? own : undefined;
}

async function record(
  transaction: Transaction,
  by: Acting,
  what: { readonly act: Act; readonly object: string; readonly details?: AuditDetails },
): Promise<void> {
  const { companyId, now: at } = by;
  await recordAct(transaction, { companyId, at, by: byUser(by), ...what });
  await raiseNews(transaction, 'accounts');
}

function release(transaction: Transaction, by: Acting, { user }: Account): Promise<void> {
  return releaseOf(transaction, [user], { by: byUser(by), at: by.now });
}

const isAdministrator = ({ active, roles }: UserRecord) => active && roles.includes('companyAdmin');

async function faultOfLast(
  transaction: Transaction,
  { user, company }: Account,
  after: UserRecord | undefined,
): Promise<Refusal | undefined> {
  if (!isAdministrator(user) || (after !== undefined && isAdministrator(after))) return undefined;
  // Two administrators who change each other at the same time are serialised by locking the company.
  await transaction.first(sql`SELECT id FROM companies WHERE id = ${company.id} ${forNoKeyUpdate}`);
  const other = await transaction.first(
    sql`SELECT id FROM users WHERE company_id = ${company.id} AND id <> ${user.id} AND active = 1
          AND roles LIKE '%"companyAdmin"%' LIMIT 1`,
  );
  if (other !== undefined) return undefined;
  return fault('last_administrator', { sentence: 'last_administrator', user: user.username });
}
