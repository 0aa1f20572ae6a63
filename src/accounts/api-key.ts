/**
 * An API key is a text that this server alone can write, so that nothing secret is stored and a false one costs no
 * look into the store:
 *
 *   alice.12.1.GhV3…   user name . id of the key . its generation . HMAC-SHA256 of all before the last full stop
 *
 * Whether a true one is still good (not revoked, not expired, of the present generation) the store says.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  /** What its user calls it; unique for the user. */
  readonly name: string;
  /** Raised when a key is enabled again, so that its old text stays worthless. */
  readonly generation: number;
  readonly revoked: boolean;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  /** Written once a minute at most; undefined: never, as far as is known. */
  readonly usedAt: number | undefined;
}

/** Revoked and expired ones among them, which can be enabled again. */
export const maxKeysOfUser = 1_000;

export type ApiKeyState = 'enabled' | 'expired' | 'revoked';

export function apiKeyState(key: Pick<ApiKey, 'revoked' | 'expiresAt'>, now: number): ApiKeyState {
  if (key.revoked) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'enabled';
}

/** What the text of a key says. */
export interface ApiKeyClaim {
  readonly username: string;
  readonly keyId: number;
  readonly generation: number;
}

/** The key of the HMAC, good for nothing else that the server's secret protects (RFC 5869: `info` separates uses). */
export function apiKeySecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon api key 1', 32)));
}

/** The key of digests by which failed logins and networks are kept; the same on all nodes. */
export function loginRecordSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon login record 1', 32)));
}

export function writeApiKey(secret: KeyObject, claim: ApiKeyClaim): string {
  const claimed = `${escapeUsername(claim.username)}.${claim.keyId}.${claim.generation}`;
  return `${claimed}.${signature(secret, claimed)}`;
}

/** Far above the longest that is ever written. */
const maxLength = 4_096;
/** The user name may hold full stops itself: the rest is found from the right. */
const textPattern = /^(.+)\.([1-9][0-9]{0,15})\.([1-9][0-9]{0,9})$/;

/** Undefined when this server did not write the text. */
export function readApiKey(secret: KeyObject, text: string): ApiKeyClaim | undefined {
  if (text.length > maxLength) return undefined;
  const lastStop = text.lastIndexOf('.');
  const claimed = text.slice(0, lastStop === -1 ? 0 : lastStop);
  const expected = Buffer.from(signature(secret, claimed));
  const given = Buffer.from(text.slice(lastStop + 1));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, username, keyId, generation] = textPattern.exec(claimed) ?? [];
  if (username === undefined) return undefined;
  return { username: unescapeUsername(username), keyId: Number(keyId), generation: Number(generation) };
}

function signature(secret: KeyObject, claimed: string): string {
  return createHmac('sha256', secret).update(claimed).digest('base64url');
}

/**
 * All characters of a key are unreserved in URLs (RFC 3986, section 2.3). The escape is a tilde, not a percent sign,
 * which a client that puts the key into a URL as it stands would lose to decoding.
 */
function escapeUsername(username: string): string {
  return encodeURIComponent(username)
    .replace(/[~!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '~');
}

function unescapeUsername(escaped: string): string {
  return decodeURIComponent(escaped.replaceAll('~', '%'));
}
