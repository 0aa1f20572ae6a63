/** A user as the administrators of its company see it, and what of it they may change. */
import { createHash } from 'node:crypto';
import type { Account } from '../accounts/account.ts';
import type { Role } from '../accounts/role.ts';
import { managedError } from '../accounts/set-keys.ts';
import type { UserRecord } from '../accounts/user-records.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { standardMaxRecipients } from '../batches/batch.ts';
import type { FieldError, Told } from '../foundation/errors.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { fault, quoted } from '../foundation/result.ts';

/** What a change may give, by its name in a provisioning file. */
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
  | 'email';

/** Undefined stays; in `limits` each by itself, and null clears. */
export type UserChange = {
  readonly [Key in Exclude<ChangeableKey, 'limits'>]?: UserRecord[Key] | null | undefined;
} & {
  readonly partsPerMinute?: number | null | undefined;
  readonly partsPerDay?: number | null | undefined;
  readonly countries?: readonly string[] | null | undefined;
};

export interface CompanyUser {
  readonly user: Account['user'];
  /** The keys that a provisioning file has set, by its own names; empty where no file names the user. */
  readonly managedKeys: readonly string[];
  /** Some file names it, be it with no key more than its name. */
  readonly isManaged: boolean;
}

/** Changes whenever anything shown of the user changes. */
export function versionOf({ user }: CompanyUser): string {
  const { id: _, company: __, passwordHash, ...shown } = user;
  const text = JSON.stringify({ ...shown, hasPassword: passwordHash !== undefined });
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The keys of a file that the change is about. */
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
    limits: Object.values(limits).every((limit) => limit === undefined) ? undefined : limits,
  };
}

function settled<Value>(given: Value | null | undefined, before: Value | undefined): Value | undefined {
  return given === undefined ? before : (given ?? undefined);
}

/** The defaults of a new user: it may do as much as the administrator who makes it. */
export function rightsLike(
  own: UserRecord,
): Pick<UserRecord, 'quotaParts' | 'limits' | 'senders' | 'maxBatch'> {
  const { quotaParts, limits, senders, maxBatch } = own;
  return { quotaParts, limits, senders, maxBatch };
}

/** The first right that grew beyond the own ones; what the user had before it may keep. */
export function faultOfRights(
  own: UserRecord,
  before: UserRecord | undefined,
  after: UserRecord,
): FieldError | undefined {
  const holders = before === undefined ? [own] : [own, before];
  const wide = rights.find(({ reaches }) => !reaches(holders, after));
  if (wide === undefined) return undefined;
  const { field, what } = wide;
  const error = `You can give nobody more than you have yourself: ${what(own)}. Nothing was changed.`;
  return { field, code: 'beyond_own_rights', error };
}

interface Right {
  /** As calls name it. */
  readonly field: string;
  /** Whether one or another of the holders has each of what is wanted. */
  readonly reaches: (holders: readonly UserRecord[], wanted: UserRecord) => boolean;
  readonly what: (own: UserRecord) => string;
}

const rights: readonly Right[] = [
  {
    field: 'roles',
    reaches: (holders, wanted) =>
      wanted.roles.every((role) => holders.some((holder) => rolesOf(holder).has(role))),
    what: (own) => `your roles are ${[...rolesOf(own)].join(', ')}`,
  },
  bounded('quotaParts', 'SMS parts in all', ({ quotaParts }) => quotaParts),
  bounded('partsPerMinute', 'SMS parts in a minute', ({ limits }) => limits?.partsPerMinute),
  bounded('partsPerDay', 'SMS parts in a day', ({ limits }) => limits?.partsPerDay),
  bounded('maxBatch', 'recipients of a batch', ({ maxBatch = standardMaxRecipients }) => maxBatch),
  within('countries', 'countries', ({ limits }) => limits?.countries),
  within('senders', 'senders', ({ senders }) => senders),
  {
    field: 'smtpSplit',
    reaches: (holders, wanted) => !wanted.smtpSplit || holders.some(({ smtpSplit }) => smtpSplit),
    what: () => 'nothing goes back to you by mail',
  },
];

/** The administrator of a company may do all that the one of its e-mail senders may. */
function rolesOf({ roles }: UserRecord): ReadonlySet<Role> {
  return new Set(roles.includes('companyAdmin') ? [...roles, 'emailAdmin' as const] : roles);
}

function bounded(field: string, noun: string, of: (user: UserRecord) => number | undefined): Right {
  const most = (user: UserRecord) => of(user) ?? Number.POSITIVE_INFINITY;
  return {
    field,
    reaches: (holders, wanted) => holders.some((holder) => most(wanted) <= most(holder)),
    what: (own) => `your limit is ${of(own)} ${noun}`,
  };
}

function within(field: string, noun: string, of: (user: UserRecord) => readonly string[] | undefined): Right {
  return {
    field,
    reaches(holders, wanted) {
      const held = holders.map(of);
      const asked = of(wanted);
      if (asked === undefined) return held.includes(undefined);
      return asked.every((one) => held.some((some) => some === undefined || some.includes(one)));
    },
    what: (own) => `your ${noun} are ${of(own)?.join(', ')}`,
  };
}

export interface Refusal extends Told {
  readonly field?: string;
}

/** At most this many users can be made by calls; an operator's file may have more. */
export const maxUsersOfCompany = 10_000;

export function faultOfVersion(before: CompanyUser, ifMatch: IfMatch): Refusal | undefined {
  if (isMatch(ifMatch, versionOf(before))) return undefined;
  const { username } = before.user;
  const error = `Somebody else has changed the user ${username} meanwhile. Read it again, and decide anew. Nothing was changed.`;
  return { code: 'changed_meanwhile', error };
}

export function faultOfManaged(before: CompanyUser, change: UserChange): Refusal | undefined {
  const [key] = keysOfChange(change).filter((one) => before.managedKeys.includes(one));
  return key === undefined ? undefined : managedBy(before.user.username, key);
}

export function managedBy(username: string, key?: string): Refusal {
  const { code, message } = managedError(
    key === undefined ? `The user ${username}` : `${key} of the user ${username}`,
  );
  return { code, error: message };
}

/** A stolen session must not silence the mail that tells its user of it. */
export function faultOfOwnEmail(
  { userId, session }: { readonly userId: number; readonly session: object | undefined },
  before: Account['user'],
  after: UserRecord,
): Refusal | undefined {
  if (!isOfPortal(session) || before.id !== userId || before.email === after.email) return undefined;
  const error =
    'Your own address is changed by a call with your password, or by another administrator. Nothing was changed.';
  return { code: 'own_email', error, field: 'email' };
}

/** What contradicts itself. */
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
export const tooMany: Refusal = {
  code: 'too_many_users',
  error: `The company has ${maxUsersOfCompany} users, the most that calls can make. Remove some.`,
};
export const taken = (name: string) =>
  `There is a user ${quoted(name)} already, in this company or another. Choose another name.`;

export function unknownUser(id: number): Refusal {
  return { code: 'not_found', error: `The company has no user with the id ${id}.` };
}

export function inactive({ user }: Account): Refusal {
  return fault('too_late', { sentence: 'user_inactive', user: user.username });
}
