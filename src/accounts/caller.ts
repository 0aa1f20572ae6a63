/**
 * The facts about an account that a request needs. The object is shared by all requests of the account, so it is never
 * modified.
 */
import { createHash } from 'node:crypto';
import type { operatorSession } from '../audit/audit-log.ts';
import { errorOfFields } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { type Category, type OptOutPolicy, standardCategory } from '../wire/category.ts';
import { cleanNumber, countryCodeOf } from '../wire/phone-number.ts';
import { knownZone } from '../wire/time-zone.ts';
import { type Account, findAccountById, isActive } from './account.ts';
import type { KeyScope } from './key-scopes.ts';
import type { Role } from './role.ts';
import { inBoth } from './sending-limits.ts';

export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly companyId: number;
  readonly roles: ReadonlySet<Role>;
  /** The user's default sender; for a user without one, the company's default sender. */
  readonly defaultSender: string | undefined;
  /** The only senders that the caller may use; undefined allows any. */
  readonly allowedSenders: ReadonlySet<string> | undefined;
  readonly replaceCharacters: boolean;
  /** The maximum number of recipients of a batch; undefined means the general limit. */
  readonly maxBatch: number | undefined;
  /** The only countries that the caller may send to, as ISO 3166 codes; undefined allows all. */
  readonly allowedCountries: ReadonlySet<string> | undefined;
  /** The company's code for numbers that begin with a single 0; see `countryCodeOf`. */
  readonly countryCode?: string | undefined;
  /** The company's time zone, by its IANA name, if this node knows it; undefined means UTC. */
  readonly timeZone?: string | undefined;
  /** The category of messages in calls that give none; by default the standard one. */
  readonly category?: Category;
  /** What the company does about people who have opted out; by default nothing. */
  readonly optOuts?: OptOutPolicy;
  /** The scopes of the API key that authenticated the caller; undefined: all that the user may do. */
  readonly scopes?: ReadonlySet<KeyScope> | undefined;
  /** See `passwordMarkOf`. Undefined when the caller was found without a login. */
  readonly passwordMark?: string;
  /** The portal session that authenticated the caller, or the mark of an operator who acts as the user. */
  readonly session: CallerSession | typeof operatorSession | undefined;
}

export interface CallerSession {
  readonly digest: string;
  readonly isByLink: boolean;
  readonly begunAt: number;
  /** The identity provider that the user signed in with, and when. */
  readonly byProvider?: { readonly name: string; readonly at: number } | undefined;
  /** When a second factor was last given in the session; undefined for never. */
  readonly factorAt?: number | undefined;
  /** Whether a second factor is required, and none has been given in the session. */
  readonly lacksFactor?: boolean;
}

/** A mark that changes with the password. */
export function passwordMarkOf(passwordHash: string | undefined): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url');
}

export function callerOf(account: Account): Caller & { readonly passwordMark: string } {
  const { user, company } = account;
  return {
    passwordMark: passwordMarkOf(user.passwordHash),
    userId: user.id,
    username: user.username,
    companyId: company.id,
    roles: new Set(user.roles),
    defaultSender: user.defaultSender ?? company.defaultSender,
    allowedSenders: inBoth(user.senders, company.senders),
    replaceCharacters: user.replaceCharacters,
    maxBatch: user.maxBatch,
    allowedCountries: inBoth(user.limits?.countries, company.limits?.countries),
    countryCode: company.countryCode,
    timeZone: company.timeZone && knownZone(company.timeZone),
    category: user.category ?? standardCategory,
    optOuts: company.optOuts ?? 'off',
    session: undefined,
  };
}

/** A phone number in a call, as digits; `field` names the parameter in the error for anything else. */
export function numberIn(
  caller: Pick<Caller, 'countryCode'>,
  field: string,
  given: string,
  defaultCountryCode?: string,
): string {
  const number = cleanNumber(given, countryCodeOf(caller, defaultCountryCode));
  if (number.ok) return number.value;
  throw errorOfFields(number, field);
}

/** The caller's current state; undefined when there is no such user, or the user is no longer allowed in. */
export async function findCaller(store: Store, userId: number): Promise<Caller | undefined> {
  const account = await store.read(findAccountById, userId);
  return account !== undefined && isActive(account) ? callerOf(account) : undefined;
}
