/** A user as the administrators of its company see it, and the settings that they may change. */

import { createHash } from 'node:crypto';
import type { Account } from '../accounts/account.ts';
import type { Role } from '../accounts/role.ts';
import { managedFault } from '../accounts/set-keys.ts';
import { type SmppLogin, standardBinds, standardWindow } from '../accounts/smpp-logins.ts';
import { maxUsersOfCompany, type UserRecord } from '../accounts/user-records.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { standardMaxRecipients } from '../batches/batch.ts';
import type { ReadableBooks } from '../contacts/reader-records.ts';
import { type ErrorContent, type FieldError, faultOfField } from '../foundation/errors.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { fault, quoted } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import { type Category, standardCategory } from '../wire/category.ts';

/** Settings that a change may contain, by their names in a provisioning file. */
export type ChangeableKey =
  | 'roles'
  | 'active'
  | 'quotaParts'
  | 'limits'
  | 'defaultSender'
  | 'senders'
  | 'replaceCharacters'
  | 'maxBatch'
  | 'smtpSplit'
  | 'email'
  | 'category'
  | 'systemUser'
  | 'smpp'
  | keyof ReadableBooks;

/** An undefined setting is unchanged, and null clears it; each setting in `limits` can be changed separately. */
export type UserChange = {
  readonly [Key in Exclude<ChangeableKey, 'limits' | 'systemUser' | 'smpp' | keyof ReadableBooks>]?:
    | UserRecord[Key]
    | null
    | undefined;
} & {
  readonly addressBooks?: readonly string[] | undefined;
  readonly defaultAddressBook?: string | null | undefined;
  readonly systemUser?: string | null | undefined;
  /** The whole login but its password. */
  readonly smpp?: Omit<SmppLogin, 'passwordHash'> | null | undefined;
  readonly partsPerMinute?: number | null | undefined;
  readonly partsPerDay?: number | null | undefined;
  readonly countries?: readonly string[] | null | undefined;
};

export interface CompanyUser extends ReadableBooks {
  readonly user: Account['user'];
  /** The keys set by a provisioning file, by their names in the file; empty if no file names the user. */
  readonly managedKeys: readonly string[];
  /** Whether a file names the user, even if it sets nothing but the name. */
  readonly isManaged: boolean;
  /** The system user whose jobs the user may start. */
  readonly systemUser: string | undefined;
  /** The login of the user's programs at the SMPP server. */
  readonly smpp: SmppLogin | undefined;
  /** Unix time in milliseconds; undefined for a user who has not signed in. */
  readonly lastSignIn: number | undefined;
}

/** Whether a user can sign in: `noPassword` is for those who are active, and have yet to choose a password. */
export const userStates = ['active', 'noPassword', 'inactive'] as const;
export type UserState = (typeof userStates)[number];

/** Changes whenever a displayed property of the user changes. */
export function versionOf(one: CompanyUser): string {
  const { id: _, company: __, passwordHash, ...settings } = one.user;
  const { addressBooks, defaultAddressBook, systemUser } = one;
  const hasPassword = passwordHash !== undefined;
  const smpp = one.smpp && showLogin(one.smpp);
  const text = JSON.stringify({
    ...settings,
    hasPassword,
    addressBooks,
    defaultAddressBook,
    systemUser,
    smpp,
  });
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** In one order, however it was given, since the version is made from it. */
export function showLogin({ systemId, binds, window, throughput, networks, passwordHash }: SmppLogin) {
  const hasPassword = passwordHash !== '';
  return { systemId, binds, window, throughput, networks: networks && [...networks], hasPassword };
}

/** The provisioning keys that the change affects. */
export function keysOfChange(change: UserChange): readonly ChangeableKey[] {
  const { partsPerMinute, partsPerDay, countries, ...own } = change;
  const isOfLimits = [partsPerMinute, partsPerDay, countries].some((given) => given !== undefined);
  const given = Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : key));
  return [...(given as ChangeableKey[]), ...(isOfLimits ? (['limits'] as const) : [])];
}

export function changed(user: UserRecord, change: UserChange): UserRecord {
  const { partsPerMinute, partsPerDay, countries, ...own } = change;
  const limits = {
    partsPerMinute: settled(partsPerMinute, user.limits?.partsPerMinute),
    partsPerDay: settled(partsPerDay, user.limits?.partsPerDay),
    countries: settled(countries, user.limits?.countries),
  };
  return {
    ...user,
    roles: own.roles ?? user.roles,
    active: own.active ?? user.active,
    replaceCharacters: own.replaceCharacters ?? user.replaceCharacters,
    smtpSplit: own.smtpSplit ?? user.smtpSplit,
    quotaParts: settled(own.quotaParts, user.quotaParts),
    maxBatch: settled(own.maxBatch, user.maxBatch),
    defaultSender: settled(own.defaultSender, user.defaultSender),
    senders: settled(own.senders, user.senders),
    email: settled(own.email, user.email),
    category: ownCategory(own.category === undefined ? user.category : own.category),
    limits: Object.values(limits).every((limit) => limit === undefined) ? undefined : limits,
  };
}

/** The standard category counts as none. */
function ownCategory(category: Category | null | undefined): Category | undefined {
  return category === standardCategory ? undefined : (category ?? undefined);
}

/** What is undefined stays as it was, and null takes it away. */
export function settled<Value>(
  given: Value | null | undefined,
  before: Value | undefined,
): Value | undefined {
  return given === undefined ? before : (given ?? undefined);
}

/** A user who can no longer read the default book has none. */
export function booksAfter(before: ReadableBooks, change: UserChange): ReadableBooks {
  const addressBooks = [...new Set(change.addressBooks ?? before.addressBooks)].sort();
  const former = before.defaultAddressBook;
  const kept = former !== undefined && addressBooks.includes(former) ? former : undefined;
  return { addressBooks, defaultAddressBook: settled(change.defaultAddressBook, kept) };
}

/** A user who is given the role `jobs` but no system user gets the administrator's. `before` is undefined for a new user. */
export function systemUserAfter(
  before: CompanyUser | undefined,
  { systemUser: given }: UserChange,
  after: UserRecord,
  own: string | undefined,
): string | undefined {
  if (given !== undefined) return given ?? undefined;
  const isNew = after.roles.includes('jobs') && before?.user.roles.includes('jobs') !== true;
  return before?.systemUser ?? (isNew ? own : undefined);
}

/** The password stays, whatever else of a login changes. */
export function loginAfter(before: SmppLogin | undefined, { smpp }: UserChange): SmppLogin | undefined {
  if (smpp === undefined) return before;
  return smpp === null ? undefined : { ...smpp, passwordHash: before?.passwordHash ?? '' };
}

/** `own` are the books of the administrator; the user may keep books that it had before. */
export function faultOfBooks(
  own: ReadableBooks,
  before: Pick<CompanyUser, 'managedKeys' | 'user'> & ReadableBooks,
  { addressBooks, defaultAddressBook }: ReadableBooks,
): Refusal | undefined {
  const isChanged = defaultAddressBook !== before.defaultAddressBook;
  if (isChanged && before.managedKeys.includes('defaultAddressBook'))
    return managedBy(before.user.username, 'defaultAddressBook');
  const lent = [...own.addressBooks, ...before.addressBooks];
  if (!addressBooks.every((name) => lent.includes(name))) {
    const list = own.addressBooks.map(quoted).join(', ');
    return beyond('addressBooks', { sentence: 'own_list', of: 'address books', list });
  }
  if (defaultAddressBook === undefined || addressBooks.includes(defaultAddressBook)) return undefined;
  const said = { sentence: 'default_book_not_listed', book: quoted(defaultAddressBook) } as const;
  return { ...fault('invalid_value', said), field: 'defaultAddressBook' };
}

/** Defaults for a new user, which give it the same rights as the administrator who creates it. */
export function rightsLike(
  own: UserRecord,
): Pick<UserRecord, 'quotaParts' | 'limits' | 'senders' | 'maxBatch'> {
  const { quotaParts, limits, senders, maxBatch } = own;
  return { quotaParts, limits, senders, maxBatch };
}

/** The first right that the administrator lacks; the user may keep rights that it had before. */
export function faultOfRights(
  own: UserRecord,
  before: UserRecord | undefined,
  after: UserRecord,
): FieldError | undefined {
  return faultBeyond(rights, own, before, after);
}

/** Every administrator may give a login's defaults. */
export function faultOfLogin(
  own: SmppLogin | undefined,
  before: SmppLogin | undefined,
  after: SmppLogin | undefined,
): FieldError | undefined {
  const binds = Math.max(standardBinds, own?.binds ?? 0);
  const window = Math.max(standardWindow, own?.window ?? 0);
  return after && faultBeyond(loginRights, { binds, window }, before, after);
}

function faultBeyond<Held>(
  rights: readonly Right<Held>[],
  own: Held,
  before: Held | undefined,
  after: Held,
): FieldError | undefined {
  const holders = before === undefined ? [own] : [own, before];
  const wide = rights.find(({ reaches }) => !reaches(holders, after));
  if (wide === undefined) return undefined;
  return beyond(wide.field, wide.what(own));
}

function beyond(field: string, held: Sentence): FieldError {
  const said = { sentence: 'beyond_own_rights', held: storedReason(held) } as const;
  return faultOfField(field, 'beyond_own_rights', said);
}

interface Right<Held> {
  /** The field's name in calls. */
  readonly field: string;
  /** Whether each of the wanted items is held by at least one of the holders. */
  readonly reaches: (holders: readonly Held[], wanted: Held) => boolean;
  readonly what: (own: Held) => Sentence;
}

const rights: readonly Right<UserRecord>[] = [
  {
    field: 'roles',
    reaches: (holders, wanted) =>
      wanted.roles.every((role) => holders.some((holder) => rolesOf(holder).has(role))),
    what: (own) => ({ sentence: 'own_roles', roles: [...rolesOf(own)].join(', ') }),
  },
  bounded('quotaParts', 'SMS parts in all', ({ quotaParts }) => quotaParts),
  bounded('partsPerMinute', 'SMS parts per minute', ({ limits }) => limits?.partsPerMinute),
  bounded('partsPerDay', 'SMS parts per day', ({ limits }) => limits?.partsPerDay),
  bounded('maxBatch', 'recipients per batch', ({ maxBatch = standardMaxRecipients }) => maxBatch),
  within('countries', 'countries', ({ limits }) => limits?.countries),
  within('senders', 'senders', ({ senders }) => senders),
  {
    field: 'smtpSplit',
    reaches: (holders, wanted) => !wanted.smtpSplit || holders.some(({ smtpSplit }) => smtpSplit),
    what: () => ({ sentence: 'own_mail' }),
  },
];

/** Any throughput and any network are defaults. */
const loginRights: readonly Right<Pick<SmppLogin, 'binds' | 'window'>>[] = [
  bounded('smpp.binds', 'SMPP binds', ({ binds }) => binds),
  bounded('smpp.window', 'unanswered SMPP requests', ({ window }) => window),
];

/** A company administrator may also do everything that an `emailAdmin` may. */
function rolesOf({ roles }: UserRecord): ReadonlySet<Role> {
  return new Set(roles.includes('companyAdmin') ? [...roles, 'emailAdmin' as const] : roles);
}

function bounded<Held>(field: string, noun: string, of: (held: Held) => number | undefined): Right<Held> {
  const most = (held: Held) => of(held) ?? Number.POSITIVE_INFINITY;
  return {
    field,
    reaches: (holders, wanted) => holders.some((holder) => most(wanted) <= most(holder)),
    what: (own) => ({ sentence: 'own_limit', most: of(own) ?? '', of: noun }),
  };
}

function within(
  field: string,
  noun: string,
  of: (user: UserRecord) => readonly string[] | undefined,
): Right<UserRecord> {
  return {
    field,
    reaches(holders, wanted) {
      const held = holders.map(of);
      const asked = of(wanted);
      if (asked === undefined) return held.includes(undefined);
      return asked.every((one) => held.some((some) => some === undefined || some.includes(one)));
    },
    what: (own) => ({ sentence: 'own_list', of: noun, list: of(own)?.join(', ') ?? '' }),
  };
}

export interface Refusal extends ErrorContent {
  readonly field?: string;
}

export function faultOfVersion(before: CompanyUser, ifMatch: IfMatch): Refusal | undefined {
  if (isMatch(ifMatch, versionOf(before))) return undefined;
  const { username } = before.user;
  return fault('changed_meanwhile', { sentence: 'changed_by_other', noun: 'user', id: username });
}

export function faultOfManaged(before: CompanyUser, change: UserChange): Refusal | undefined {
  const [key] = keysOfChange(change).filter((one) => before.managedKeys.includes(one));
  return key === undefined ? undefined : managedBy(before.user.username, key);
}

export function managedBy(username: string, key?: string): Refusal {
  const user = { noun: 'user', id: username };
  return managedFault(
    key === undefined
      ? { sentence: 'managed_object', ...user }
      : { sentence: 'managed_field', field: key, ...user },
  );
}

/** A stolen session must not silence the e-mail that would report it to its user. */
export function faultOfOwnEmail(
  { userId, session }: { readonly userId: number; readonly session: object | undefined },
  before: Account['user'],
  after: UserRecord,
): Refusal | undefined {
  if (!isOfPortal(session) || before.id !== userId || before.email === after.email) return undefined;
  const error =
    'You can change your own address only in a call with your password; another administrator can change it too. Nothing was changed.';
  return { code: 'own_email', error, field: 'email' };
}

/** The first contradiction within the settings. */
export function faultOfSettings({ defaultSender, senders, limits }: UserRecord): Refusal | undefined {
  if (limits?.countries?.length === 0)
    return { ...fault('invalid_value', { sentence: 'no_countries' }), field: 'countries' };
  if (defaultSender === undefined || senders === undefined || senders.includes(defaultSender))
    return undefined;
  const said = { sentence: 'default_sender_not_listed', sender: quoted(defaultSender) } as const;
  return { ...fault('sender_not_allowed', said), field: 'defaultSender' };
}

export const noAdministrator: Refusal = {
  code: 'role_missing',
  error: 'The account is no longer an administrator of the company.',
};
export const ownFactors: Refusal = {
  code: 'own_factors',
  error: 'Another administrator has to remove your second factors, or the operator. Nothing was changed.',
};
export const tooMany: Refusal = fault('too_many_users', { sentence: 'users_full', most: maxUsersOfCompany });
export const taken = (name: string): Refusal =>
  fault('name_taken', { sentence: 'name_elsewhere', name: quoted(name) });

const maxNamedNeeds = 10;

/** A user may pay for thousands of e-mail senders. */
export function neededBy(needs: readonly string[]): Refusal {
  const others = Math.max(0, needs.length - maxNamedNeeds);
  return fault('in_use', {
    sentence: 'user_needed',
    needs: needs.slice(0, maxNamedNeeds).join('; '),
    others,
  });
}

export function unknownUser(id: number): Refusal {
  return fault('not_found', { sentence: 'none_such', noun: 'user', id });
}

export function withoutLogin(user: string): Refusal {
  return fault('not_found', { sentence: 'no_smpp_login', user });
}

export function inactive({ user }: Account): Refusal {
  return fault('too_late', { sentence: 'user_inactive', user: user.username });
}
