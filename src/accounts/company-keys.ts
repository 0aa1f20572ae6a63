/** The API keys of all users of a company, for its administrators. */
import { literal, oneOf, sql } from '../storage/sql.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { type ApiKey, type ApiKeyState, apiKeyState, keyColumns, toKey } from './api-keys.ts';

/** A key that was not used for so long counts as unused. */
export const unusedDays = 90;
const unusedMs = unusedDays * 24 * 60 * 60_000;

export interface KeyPlace {
  readonly username: string;
  /** A key of this user. */
  readonly key: number;
}

export interface KeysOfCompany {
  readonly companyId: number;
  readonly state?: ApiKeyState | undefined;
  /** Only keys that were never used, or not for `unusedDays`. */
  readonly unused?: boolean | undefined;
  /** Only keys that never expire. */
  readonly withoutEnd?: boolean | undefined;
  readonly after: KeyPlace | undefined;
  readonly limit: number;
  readonly now: number;
}

export interface KeyOfCompany {
  readonly key: ApiKey;
  readonly username: string;
}

export interface KeysFound {
  readonly keys: readonly KeyOfCompany[];
  /** After which there may be more; undefined at the end of the list. */
  readonly readTo: KeyPlace | undefined;
}

/** The users looked at in a call, most of whom have no keys. */
const usersPerCall = 1_000;
/** Users whose keys one statement reads, and how many such statements a call makes: a user may have a thousand keys. */
const usersPerStatement = 10;
const statementsPerCall = 10;

interface Owner {
  readonly id: number;
  readonly username: string;
}

/** Sorted by user name, and the keys of a user oldest first. A page may have no key, and a later page others. */
export const listKeysOfCompany = readVerb(
  'accounts.listKeysOfCompany',
  async (reading, page: KeysOfCompany): Promise<KeysFound> => {
    const { users, isWhole } = await usersFrom(reading, page);
    const owners = users.filter(({ has }) => has === 1);
    const { limit } = page;
    const found: KeyOfCompany[] = [];
    for (let at = 0; at < owners.length; at += usersPerStatement) {
      if (at === usersPerStatement * statementsPerCall) return { keys: found, readTo: endOf(owners[at - 1]) };
      found.push(...(await keysOf(reading, page, owners.slice(at, at + usersPerStatement))));
      const last = found[limit - 1];
      if (last !== undefined && found.length > limit)
        return { keys: found.slice(0, limit), readTo: { username: last.username, key: last.key.id } };
    }
    return { keys: found, readTo: isWhole ? undefined : endOf(users.at(-1)) };
  },
);

/** After all keys of the user. */
function endOf(user: Owner | undefined): KeyPlace | undefined {
  return user && { username: user.username, key: Number.MAX_SAFE_INTEGER };
}

async function usersFrom(reading: Reading, { companyId, after }: KeysOfCompany) {
  const users = await reading.all<Owner & { readonly has: number | null }>(
    sql`SELECT id, username, (SELECT 1 FROM api_keys WHERE user_id = users.id LIMIT 1) AS has FROM users
        WHERE company_id = ${companyId} AND username >= ${after?.username ?? ''}
        ORDER BY username LIMIT ${literal(usersPerCall)}`,
  );
  return { users, isWhole: users.length < usersPerCall };
}

async function keysOf(
  reading: Reading,
  { state, unused = false, withoutEnd = false, after, now }: KeysOfCompany,
  owners: readonly Owner[],
): Promise<readonly KeyOfCompany[]> {
  const ids = owners.map(({ id }) => id);
  const rows = await reading.all<object>(
    sql`SELECT ${keyColumns} FROM api_keys WHERE user_id ${oneOf('bigint', ids)}`,
  );
  const all = rows.map(toKey).sort((one, other) => one.id - other.id);
  const isMeant = (key: ApiKey) =>
    (state === undefined || apiKeyState(key, now) === state) &&
    (!unused || (key.usedAt ?? 0) <= now - unusedMs) &&
    (!withoutEnd || key.expiresAt === undefined);
  return owners.flatMap(({ id, username }) =>
    all
      .filter(
        (key) => key.userId === id && isMeant(key) && (username !== after?.username || key.id > after.key),
      )
      .map((key) => ({ key, username })),
  );
}
