/**
 * A portal session: who is signed in with a browser, for how long, and the token with which the browser proves it. Rooms that
 * grant or end a user's access do so with what is defined here, in their own transactions.
 */
import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Account } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { networkOf } from '../http/origin.ts';
import { raiseNews } from '../storage/news.ts';
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface Session {
  /** SHA-256 of the session's token, which only the browser has. */
  readonly digest: string;
  /** Lets the user distinguish the session from others. */
  readonly id: string;
  readonly userId: number;
  /** When the session, or the session by an identity provider that it goes on from, was begun. */
  readonly createdAt: number;
  /** Updated at most once a minute. */
  readonly usedAt: number;
  /** The network that the session was begun from. */
  readonly network: string;
  readonly browser: string;
  /** The account's standing when the session was begun (`standingOf`); see `stillStands`. */
  readonly standing: string;
  /** Whether the session was begun with a link, so that a password has yet to be set. */
  readonly byLink: boolean;
  /** The name of the identity provider that the user signed in with; undefined for a password or a link. */
  readonly provider?: string | undefined;
  /**
   * When the user last proved to the provider who they are, which may be long before the session; 0 if the provider does not
   * say. Undefined without a provider.
   */
  readonly confirmedAt?: number | undefined;
  /** When a second factor was last given in the session; undefined for never. */
  readonly factorAt?: number | undefined;
}

export const hourMs = 3_600_000;
/** The time without use after which a session ends. */
export const maxIdleMs = 12 * hourMs;
export const maxAgeMs = 30 * 24 * hourMs;
/** The same for a session by an identity provider, which alone knows when a user has left. */
export const maxProviderAgeMs = 24 * hourMs;
/** Maximum number of sessions per user; one more ends the least recently used. */
export const maxSessions = 50;
/** The use of a session is written at most this often. */
export const touchEveryMs = 60_000;
/** How long a link that begins a session works. */
export const linkMs = hourMs / 2;

interface Standing {
  readonly passwordMark: string;
  readonly roles: Iterable<string>;
}

/** The password, represented by its mark, and the roles: `mB3…q0 companyAdmin send`. */
export function standingOf({ passwordMark, roles }: Standing): string {
  return [passwordMark, ...[...roles].sort()].join(' ');
}

/**
 * A new password ends what was begun with the previous one, and so does an additional role: the holder of the token has given
 * no password since, and would get access that the session did not begin with. With one role fewer, a session continues
 * with less access, since roles are checked on each call.
 */
export function stillStands(begunWith: string, { passwordMark, roles }: Standing): boolean {
  const [mark, ...had] = begunWith.split(' ');
  return mark === passwordMark && [...roles].every((role) => had.includes(role));
}

export function isAlive(
  { createdAt, usedAt, provider }: Pick<Session, 'createdAt' | 'usedAt' | 'provider'>,
  now: number,
): boolean {
  const age = provider === undefined ? maxAgeMs : maxProviderAgeMs;
  return now < usedAt + maxIdleMs && now < createdAt + age;
}

const recentMs = 10 * 60_000;

/**
 * Whether a password or a second factor was given so recently that it need not be given again. The clock of the node that
 * noted it may be ahead.
 */
export function isRecent(at: number | undefined, now: number): boolean {
  return at !== undefined && Math.abs(now - at) < recentMs;
}

/** The session with this id, the one with this digest, or all but the one with this digest. */
export type EndedSessions =
  | { readonly id: string }
  | { readonly digest: string }
  | { readonly allBut: string };

export interface LoginLink {
  readonly digest: string;
  readonly expiresAt: number;
}

/** Replaces the previous link. The user stays locked until the transaction ends. */
export async function writeLink(
  transaction: Transaction,
  account: Account,
  { digest, expiresAt }: LoginLink,
): Promise<void> {
  await transaction.run(
    sql`INSERT INTO login_links (user_id, digest, standing, expires_at)
        VALUES (${account.user.id}, ${digest}, ${standingOf(callerOf(account))}, ${expiresAt})
        ON CONFLICT (user_id) DO UPDATE SET
          digest = excluded.digest, standing = excluded.standing, expires_at = excluded.expires_at`,
  );
}

/** A session of a closed account must not revive with the account. */
export async function endAllLogins(transaction: Transaction, userId: number): Promise<void> {
  await transaction.run(sql`DELETE FROM login_links WHERE user_id = ${userId}`);
  await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${userId}`);
  await raiseNews(transaction, 'sessions');
}

/** Users who signed in at a provider that is gone have to sign in in another way. */
export async function endSessionsOfProviders(
  transaction: Transaction,
  providers: readonly string[],
): Promise<void> {
  await transaction.run(sql`DELETE FROM sessions WHERE provider ${oneOf('text', providers)}`);
  await raiseNews(transaction, 'sessions');
}

export const dayMs = 86_400_000;

/**
 * When users last signed in, by user id: to the millisecond for as long as their networks are kept, after that to the UTC day.
 */
export async function lastSignIns(
  reading: Reading,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const days = await reading.all<{ user_id: number; day: number }>(
    sql`SELECT user_id, day FROM sign_in_mails WHERE user_id ${oneOf('bigint', userIds)}`,
  );
  const exact = await reading.all<{ user_id: number; at: number }>(
    sql`SELECT user_id, MAX(seen_at) AS at FROM sign_in_networks
        WHERE user_id ${oneOf('bigint', userIds)} GROUP BY user_id`,
  );
  return new Map([
    ...days.map(({ user_id, day }) => [user_id, day * dayMs] as const),
    ...exact.map(({ user_id, at }) => [user_id, at] as const),
  ]);
}

/** The purpose of a token: a link's token is not valid for a session, nor a user's for an operator. */
type TokenKind = 'session' | 'link' | 'operator';

/** The HMAC key, derived from the server's secret for this use only. */
export function sessionSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon session 1', 32)));
}

/**
 * 256 random bits, and a signature of 96, so that a false token causes no store access:
 *
 *   8f3K…(43 characters).Qx7a…(16 characters)
 */
export function newToken(secret: KeyObject, kind: TokenKind): string {
  const random = randomBytes(32).toString('base64url');
  return `${random}.${signature(secret, kind, random)}`;
}

export function isToken(secret: KeyObject, kind: TokenKind, text: string): boolean {
  if (!/^[\w-]{43}\.[\w-]{16}$/.test(text)) return false;
  const [random = '', signed = ''] = text.split('.');
  return timingSafeEqual(Buffer.from(signed), Buffer.from(signature(secret, kind, random)));
}

function signature(secret: KeyObject, kind: TokenKind, random: string): string {
  return createHmac('sha256', secret).update(`${kind} ${random}`).digest('base64url').slice(0, 16);
}

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A session that begins now, and the token that only its browser gets. */
export function newSession(
  { clock, secret }: { readonly clock: Clock; readonly secret: KeyObject },
  kind: Exclude<TokenKind, 'link'>,
  { address, browser }: Pick<Call, 'address' | 'browser'>,
) {
  const token = newToken(secret, kind);
  const now = clock.now();
  const id = randomBytes(12).toString('base64url');
  const from = { network: networkOf(address), browser: browserOf(browser) };
  return { token, session: { digest: digestOf(token), id, createdAt: now, usedAt: now, ...from } };
}

const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
  ['curl', 'curl'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** A few words by which the user recognises the browser; an empty string when nothing is known. */
export function browserOf(userAgent: string): string {
  const named = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent.includes(part))?.[1];
  return [named(browsers), named(systems)].filter((name) => name !== undefined).join(', ');
}
