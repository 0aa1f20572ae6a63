/**
 * An API key is a text that only this server can produce, so nothing secret is stored, and a forged key is refused without
 * reading the store:
 *
 *   alice.12.1.GhV3…   user name . id of the key . its generation . HMAC-SHA256 of all before the last full stop
 *
 * The store says whether a genuine key is still valid: not revoked, not expired, of the present generation.
 */

import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../foundation/clock.ts';
import { type ErrorContent, ServiceError } from '../foundation/errors.ts';
import { fault, quoted } from '../foundation/result.ts';
import type { Context } from '../storage/context.ts';
import type { Ids } from '../storage/ids.ts';
import { raiseNews } from '../storage/news.ts';
import { amongUnlocked, oneOf, raw, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { bigint, flag, integer, json, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Account, accountColumns, toAccount } from './account.ts';
import type { Caller } from './caller.ts';
import type { KeyScope } from './key-scopes.ts';
import { unauthorised } from './unauthorised.ts';

export interface ApiKey {
  readonly id: number;
  readonly userId: number;
  /** The user's name for the key, unique per user. */
  readonly name: string;
  /** Incremented when a key is enabled again, so that its old text stays invalid. */
  readonly generation: number;
  readonly revoked: boolean;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  /** Written at most once a minute. Undefined if no use is known. */
  readonly usedAt: number | undefined;
  /** What the key may do, among what its user may; undefined for all of it. */
  readonly scopes: readonly KeyScope[] | undefined;
  /** The only networks from which the key is accepted; undefined for any. */
  readonly networks: readonly string[] | undefined;
}

/** Includes revoked and expired keys, since these can be enabled again. */
export const maxKeysOfUser = 1_000;

export const apiKeyStates = ['enabled', 'expired', 'revoked'] as const;
export type ApiKeyState = (typeof apiKeyStates)[number];

export function apiKeyState(key: Pick<ApiKey, 'revoked' | 'expiresAt'>, now: number): ApiKeyState {
  if (key.revoked) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'enabled';
}

/** The claims in the text of a key. */
export interface ApiKeyClaim {
  readonly username: string;
  readonly keyId: number;
  readonly generation: number;
}

/**
 * The HMAC key for API keys. It is useless for anything else that the server's secret protects (RFC 5869: `info` separates
 * uses).
 */
export function apiKeySecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon api key 1', 32)));
}

/** The key for the digests under which failed logins and networks are stored; the same on all nodes. */
export function loginRecordSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon login record 1', 32)));
}

export function writeApiKey(secret: KeyObject, claim: ApiKeyClaim): string {
  const claimed = `${escapeUsername(claim.username)}.${claim.keyId}.${claim.generation}`;
  return `${claimed}.${signature(secret, claimed)}`;
}

/** Far longer than any key that is issued. */
const maxLength = 4_096;
/** The user name may contain full stops, so the other parts are matched from the right. */
const textPattern = /^(.+)\.([1-9][0-9]{0,15})\.([1-9][0-9]{0,9})$/;

/** Undefined unless this server issued the text. */
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
 * All characters of a key are unreserved in URLs (RFC 3986, section 2.3). The escape character is a tilde, because a
 * percent sign would be lost in decoding if a client put the key into a URL unescaped.
 */
function escapeUsername(username: string): string {
  return encodeURIComponent(username)
    .replace(/[~!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '~');
}

function unescapeUsername(escaped: string): string {
  return decodeURIComponent(escaped.replaceAll('~', '%'));
}

/** The fields of a key besides its id and its user. */
export const keyFields = {
  name: text,
  generation: integer,
  revoked: flag,
  expiresAt: optional(bigint),
  createdAt: bigint,
  usedAt: optional(bigint),
  scopes: optional(json<readonly KeyScope[]>()),
  networks: optional(json<readonly string[]>()),
} as const;

const storedKey = new StoredRecord({ id: bigint, userId: bigint, ...keyFields });

export const keyColumns = raw(storedKey.names('api_keys', 'key_'));

export function toKey(row: object): ApiKey {
  return storedKey.read(row, 'key_');
}

export interface KeyWithAccount {
  readonly key: ApiKey;
  readonly account: Account;
}

export const findKeyById = readVerb(
  'accounts.findKeyById',
  async (reading, keyId: number): Promise<KeyWithAccount | undefined> => {
    const row = await reading.first<object>(sql`
      SELECT ${accountColumns}, ${keyColumns} FROM api_keys
      JOIN users ON users.id = api_keys.user_id JOIN companies ON companies.id = users.company_id
      WHERE api_keys.id = ${keyId}`);
    return row && { key: toKey(row), account: toAccount(row) };
  },
);

export async function keyOf(reading: Reading, userId: number, name: string): Promise<ApiKey | undefined> {
  const row = await reading.first<object>(
    sql`SELECT ${keyColumns} FROM api_keys WHERE user_id = ${userId} AND name = ${name}`,
  );
  return row && toKey(row);
}

export const findKeyByName = readVerb(
  'accounts.findKeyByName',
  (reading, { userId, name }: { readonly userId: number; readonly name: string }) =>
    keyOf(reading, userId, name),
);

export interface NewKey {
  /** An id allocated beforehand, and discarded if the key already exists. */
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly createdAt: number;
}

async function insertKey(
  transaction: Transaction,
  { id, userId, name, createdAt }: NewKey,
): Promise<ApiKey | 'unknownUser' | 'tooManyKeys'> {
  await transaction.run(sql`
    INSERT INTO api_keys (id, user_id, name, generation, revoked, created_at)
    SELECT CAST(${id} AS BIGINT), users.id, CAST(${name} AS TEXT), 1, 0, CAST(${createdAt} AS BIGINT)
    FROM users WHERE users.id = ${userId} AND
      (SELECT 1 FROM api_keys WHERE user_id = ${userId} LIMIT 1 OFFSET ${raw(String(maxKeysOfUser - 1))}) IS NULL
    ON CONFLICT (user_id, name) DO NOTHING`);
  const key = await keyOf(transaction, userId, name);
  if (key !== undefined) return key;
  const user = await transaction.first(sql`SELECT id FROM users WHERE id = ${userId}`);
  return user === undefined ? 'unknownUser' : 'tooManyKeys';
}

/** Why the user can't have a new key of this name. */
export async function faultOfNewKey(
  reading: Reading,
  userId: number,
  name: string,
): Promise<ErrorContent | undefined> {
  if ((await keyOf(reading, userId, name)) !== undefined)
    return fault('name_taken', { sentence: 'key_name_taken', name: quoted(name) });
  const last = await reading.first(
    sql`SELECT id FROM api_keys WHERE user_id = ${userId} LIMIT 1 OFFSET ${raw(String(maxKeysOfUser - 1))}`,
  );
  if (last !== undefined) return fault('too_many_keys', { sentence: 'keys_full', most: maxKeysOfUser });
  const user = await reading.first(sql`SELECT id FROM users WHERE id = ${userId}`);
  // The account was removed after it was authenticated.
  return user === undefined ? fault('unauthorised', unauthorised().message) : undefined;
}

/**
 * Returns the user's key of that name, and creates it if there is none and the user may have another key. No change
 * notice follows, because no node can have cached a key that did not exist, and a caller who creates many keys should
 * not invalidate the caches of others.
 */
export const getOrCreateKey = refusable(
  singleWriteVerb(
    'accounts.getOrCreateKey',
    insertKey,
    // Each call counts the existing keys, so one transaction takes at most a hundred of these calls.
    () => 10,
  ),
);

export const listKeysOfUser = readVerb(
  'accounts.listKeysOfUser',
  async (reading, username: string): Promise<readonly ApiKey[] | 'unknownUser'> => {
    const userId = await userIdOf(reading, username);
    if (userId === undefined) return 'unknownUser';
    const rows = await reading.all<object>(
      sql`SELECT ${keyColumns} FROM api_keys WHERE user_id = ${userId} ORDER BY id`,
    );
    return rows.map(toKey);
  },
);

async function userIdOf(reading: Reading, username: string): Promise<number | undefined> {
  const row = await reading.first<{ id: number }>(sql`SELECT id FROM users WHERE username = ${username}`);
  return row?.id;
}

export interface NamedKey {
  readonly username: string;
  readonly name: string;
}

/** The key after the change. */
export type KeyChange = ApiKey | 'unknownUser' | 'unknownKey';

async function changeKey(
  transaction: Transaction,
  { username, name }: NamedKey,
  change: (userId: number) => Promise<void>,
): Promise<KeyChange> {
  const userId = await userIdOf(transaction, username);
  if (userId === undefined) return 'unknownUser';
  await change(userId);
  const key = await keyOf(transaction, userId, name);
  if (key === undefined) return 'unknownKey';
  await raiseNews(transaction, 'accounts');
  return key;
}

export const revokeKeyByName = singleWriteVerb(
  'accounts.revokeKeyByName',
  (transaction, input: NamedKey): Promise<KeyChange> =>
    changeKey(transaction, input, async (userId) => {
      await transaction.run(
        sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${userId} AND name = ${input.name}`,
      );
    }),
);

/** A revoked or expired key gets a new generation, and thus a new text; an enabled key stays unchanged. */
export const enableKeyByName = singleWriteVerb(
  'accounts.enableKeyByName',
  (transaction, { now, ...input }: NamedKey & { readonly now: number }): Promise<KeyChange> =>
    changeKey(transaction, input, async (userId) => {
      await transaction.run(sql`
        UPDATE api_keys SET generation = generation + 1, revoked = 0,
          expires_at = CASE WHEN expires_at > ${now} THEN expires_at END
        WHERE user_id = ${userId} AND name = ${input.name} AND (revoked = 1 OR expires_at <= ${now})`);
    }),
);

export const expireKeyByName = singleWriteVerb(
  'accounts.expireKeyByName',
  (
    transaction,
    { expiresAt, ...input }: NamedKey & { readonly expiresAt: number | undefined },
  ): Promise<KeyChange> =>
    changeKey(transaction, input, async (userId) => {
      await transaction.run(
        sql`UPDATE api_keys SET expires_at = ${expiresAt ?? null} WHERE user_id = ${userId} AND name = ${input.name}`,
      );
    }),
);

/** Properties that are undefined stay; null allows everything. */
export interface KeyLimits {
  readonly scopes?: readonly KeyScope[] | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
}

export const limitKeyByName = singleWriteVerb(
  'accounts.limitKeyByName',
  (transaction, { scopes, networks, ...input }: NamedKey & KeyLimits): Promise<KeyChange> =>
    changeKey(transaction, input, async (userId) => {
      const set = (column: string, value: readonly string[] | null | undefined) =>
        value === undefined
          ? sql`${raw(column)} = ${raw(column)}`
          : sql`${raw(column)} = ${value && JSON.stringify(value)}`;
      await transaction.run(sql`
        UPDATE api_keys SET ${set('scopes', scopes)}, ${set('networks', networks)}
        WHERE user_id = ${userId} AND name = ${input.name}`);
    }),
);

export interface KeyUsesNow {
  readonly ids: readonly number[];
  readonly now: number;
  readonly everyMs: number;
}

/** Skips keys whose use another node has just written or is writing. */
export const keepKeyUses = singleWriteVerb(
  'accounts.keepKeyUses',
  async (transaction, { ids, now, everyMs }: KeyUsesNow) => {
    const used = sql`api_keys WHERE id ${oneOf('bigint', ids)} AND (used_at IS NULL OR used_at <= ${now - everyMs})`;
    await transaction.run(sql`UPDATE api_keys SET used_at = ${now} WHERE ${amongUnlocked('id', used)}`);
    return null;
  },
  ({ ids }) => ids.length,
);

export interface ApiKeyIssuer extends Context {
  /** Allocates ids of the kind `apiKey`. */
  readonly ids: Ids;
  /** The key that API keys are signed with (`apiKeySecret`). */
  readonly secret: KeyObject;
}

export async function issueApiKey(
  { store, ids, clock, secret }: ApiKeyIssuer,
  { userId, username }: Pick<Caller, 'userId' | 'username'>,
  name: string,
): Promise<string> {
  const now = clock.now();
  const key =
    (await store.read(findKeyByName, { userId, name })) ??
    (await store.write(getOrCreateKey, { id: await ids.draw(1), userId, name, createdAt: now }));
  // The account was removed after its password was checked.
  if (key === 'unknownUser') throw unauthorised();
  if (key === 'tooManyKeys') {
    throw new ServiceError(
      'too_many_keys',
      `The account has ${maxKeysOfUser} API keys, the limit for an account; revoked and expired keys count too. Ask for an existing key by its name: the operator can list them (carillon keys list).`,
    );
  }
  const state = apiKeyState(key, now);
  if (state !== 'enabled') {
    throw new ServiceError(
      'key_revoked',
      `The API key ${quoted(name)} ${state === 'revoked' ? 'was revoked' : 'has expired'}. Ask for a key with another name, or have the operator enable this one again (carillon keys enable).`,
    );
  }
  return writeApiKey(secret, { username, keyId: key.id, generation: key.generation });
}

/** Oldest first. */
export async function listKeys(store: Store, username: string): Promise<readonly ApiKey[]> {
  const keys = await store.read(listKeysOfUser, username);
  if (keys === 'unknownUser') throw unknownUser(username);
  return keys;
}

/** The key stops working, and its user can't get a key of that name. */
export async function revokeKey(store: Store, named: NamedKey): Promise<ApiKey> {
  return changed(store, named, await store.write(revokeKeyByName, named));
}

/** The name works again: its user can request the key and gets a new text; the old text stays invalid. */
export async function enableKey(store: Store, clock: Clock, named: NamedKey): Promise<ApiKey> {
  return changed(store, named, await store.write(enableKeyByName, { ...named, now: clock.now() }));
}

/**
 * Sets when the key expires. The time may be in the past and may be changed later; undefined means that the key doesn't
 * expire.
 */
export async function expireKey(
  store: Store,
  named: NamedKey,
  expiresAt: number | undefined,
): Promise<ApiKey> {
  return changed(store, named, await store.write(expireKeyByName, { ...named, expiresAt }));
}

/** Sets what a key may do, and from where. */
export async function limitKey(store: Store, named: NamedKey, limits: KeyLimits): Promise<ApiKey> {
  return changed(store, named, await store.write(limitKeyByName, { ...named, ...limits }));
}

async function changed(store: Store, { username, name }: NamedKey, change: KeyChange): Promise<ApiKey> {
  if (change === 'unknownUser') throw unknownUser(username);
  if (change !== 'unknownKey') return change;
  const names = (await listKeys(store, username)).map((key) => `"${key.name}"`);
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new ServiceError('not_found', `The user ${username} has no API key named "${name}": ${known}.`);
}

function unknownUser(username: string): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no user ${username}. Create users with a provisioning file (carillon apply).`,
  );
}
