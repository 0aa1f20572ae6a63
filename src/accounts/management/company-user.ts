/** A user as the administrators of its company see it, and what of it they may change. */
import { createHash } from 'node:crypto';
import type { Account } from '../account.ts';
import type { UserRecord } from '../user-records.ts';

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
  /** By the names of a provisioning file; empty where none names the user. */
  readonly managedKeys: readonly string[];
  /** Some file names it, be it with no key more than its name. */
  readonly isManaged: boolean;
}

/** Another one when anything is that is shown of the user. */
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
