/**
 * A session of the portal: who is signed in by a browser, for how long, and the token by which the browser says so. Rooms that
 * give or end a user's ways in do it by what stands here, in transactions of theirs.
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
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

export interface Session {
  /** SHA-256 of its token, which the browser alone has. */
  readonly digest: string;
  /** Its user tells it from others by this. */
  readonly id: string;
  readonly userId: number;
  readonly createdAt: number;
  /** Written once a minute at most. */
  readonly usedAt: number;
  /** From where it was begun. */
  readonly network: string;
  readonly browser: string;
  /** The standing of the account when it was begun (`standingOf`): see `stillStands`. */
  readonly standing: string;
  /** Begun by a link: a password is still to be set. */
  readonly byLink: boolean;
}

const hourMs = 3_600_000;
/** Without use. */
export const maxIdleMs = 12 * hourMs;
export const maxAgeMs = 30 * 24 * hourMs;
/** A user has so many at most; with one more, the one that was not used for longest ends. */
export const maxSessions = 50;
/** How long a link that begins a session works. */
export const linkMs = hourMs / 2;

interface Standing {
  readonly passwordMark: string;
  readonly roles: Iterable<string>;
}

/** The password, by its mark, and the roles: `mB3…q0 companyAdmin send`. */
export function standingOf({ passwordMark, roles }: Standing): string {
  return [passwordMark, ...[...roles].sort()].join(' ');
}

/**
 * Another password ends what was begun with the one before, and so does a role more: the holder of the token has given no
 * password since, and would get what it never opened. With a role less it goes on, and opens less: roles are asked for with
 * each call.
 */
export function stillStands(begunWith: string, { passwordMark, roles }: Standing): boolean {
  const [mark, ...had] = begunWith.split(' ');
  return mark === passwordMark && [...roles].every((role) => had.includes(role));
}

export function isAlive({ createdAt, usedAt }: Pick<Session, 'createdAt' | 'usedAt'>, now: number): boolean {
  return now < usedAt + maxIdleMs && now < createdAt + maxAgeMs;
}

export interface LoginLink {
  readonly digest: string;
  readonly expiresAt: number;
}

/** In place of the one before. The user is kept until the transaction ends. */
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

/** A session of an account that was closed is not to come back to life with it. */
export async function endAllLogins(transaction: Transaction, userId: number): Promise<void> {
  await transaction.run(sql`DELETE FROM login_links WHERE user_id = ${userId}`);
  await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${userId}`);
  await raiseNews(transaction, 'sessions');
}

/** What the token is for: that of a link is no session's. */
type TokenKind = 'session' | 'link';

/** The key of the HMAC, good for nothing else that the server's secret protects. */
export function sessionSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon session 1', 32)));
}

/**
 * 256 random bits, and a signature of 96, so that a false token costs no look into the store:
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

/** In a few words that its user knows again; the empty string where nothing is known. */
export function browserOf(userAgent: string): string {
  const named = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent.includes(part))?.[1];
  return [named(browsers), named(systems)].filter((name) => name !== undefined).join(', ');
}
