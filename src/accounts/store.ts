/** All SQL of accounts: who a caller is, and the life of API keys. */
import { raiseNews } from '../storage/news.ts';
import { raw, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type ApiKey, maxKeysOfUser } from './api-key.ts';
import { isRole } from './role.ts';
import type { Account } from './user.ts';

interface AccountRow {
  readonly user_id: number;
  readonly username: string;
  readonly password_hash: string | null;
  readonly roles: string;
  readonly user_active: number;
  readonly user_quota_parts: number | null;
  readonly user_default_sender: string | null;
  readonly senders: string | null;
  readonly replace_characters: number;
  readonly max_batch: number | null;
  readonly user_countries: string | null;
  readonly company_id: number;
  readonly company_countries: string | null;
  readonly company_name: string;
  readonly company_active: number;
  readonly company_quota_parts: number | null;
  readonly company_default_sender: string | null;
}

const accountColumns = sql`
  users.id AS user_id, users.username, users.password_hash, users.roles, users.active AS user_active,
  users.quota_parts AS user_quota_parts, users.default_sender AS user_default_sender, users.senders,
  users.replace_characters, users.max_batch, companies.id AS company_id, companies.name AS company_name,
  users.allowed_countries AS user_countries, companies.allowed_countries AS company_countries,
  companies.active AS company_active, companies.quota_parts AS company_quota_parts,
  companies.default_sender AS company_default_sender`;

function toAccount(row: AccountRow): Account {
  return {
    user: {
      id: row.user_id,
      companyId: row.company_id,
      username: row.username,
      passwordHash: row.password_hash ?? undefined,
      roles: (JSON.parse(row.roles) as unknown[]).filter(isRole),
      active: row.user_active === 1,
      countries: countriesOf(row.user_countries),
      quotaParts: row.user_quota_parts ?? undefined,
      defaultSender: row.user_default_sender ?? undefined,
      senders: row.senders === null ? undefined : (JSON.parse(row.senders) as string[]),
      replaceCharacters: row.replace_characters === 1,
      maxBatch: row.max_batch ?? undefined,
    },
    company: {
      id: row.company_id,
      name: row.company_name,
      active: row.company_active === 1,
      countries: countriesOf(row.company_countries),
      quotaParts: row.company_quota_parts ?? undefined,
      defaultSender: row.company_default_sender ?? undefined,
    },
  };
}

function countriesOf(stored: string | null): readonly string[] | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as string[]);
}

interface KeyRow {
  readonly key_id: number;
  readonly user_id: number;
  readonly key_name: string;
  readonly generation: number;
  readonly revoked: number;
  readonly expires_at: number | null;
  readonly created_at: number;
}

const keyColumns = sql`
  api_keys.id AS key_id, api_keys.user_id, api_keys.name AS key_name, api_keys.generation, api_keys.revoked,
  api_keys.expires_at, api_keys.created_at`;

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.key_id,
    userId: row.user_id,
    name: row.key_name,
    generation: row.generation,
    revoked: row.revoked === 1,
    expiresAt: row.expires_at ?? undefined,
    createdAt: row.created_at,
  };
}

export const findAccountByUsername = readVerb(
  'accounts.findAccountByUsername',
  async (reading, username: string): Promise<Account | undefined> => {
    const row = await reading.first<AccountRow>(sql`
      SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
      WHERE users.username = ${username}`);
    return row && toAccount(row);
  },
);

export const findAccountById = readVerb(
  'accounts.findAccountById',
  async (reading, userId: number): Promise<Account | undefined> => {
    const row = await reading.first<AccountRow>(sql`
      SELECT ${accountColumns} FROM users JOIN companies ON companies.id = users.company_id
      WHERE users.id = ${userId}`);
    return row && toAccount(row);
  },
);

export const findCompanyId = readVerb('accounts.findCompanyId', async (reading, name: string) => {
  const company = await reading.first<{ id: number }>(sql`SELECT id FROM companies WHERE name = ${name}`);
  return company?.id ?? null;
});

export interface KeyWithAccount {
  readonly key: ApiKey;
  readonly account: Account;
}

export const findKeyById = readVerb(
  'accounts.findKeyById',
  async (reading, keyId: number): Promise<KeyWithAccount | undefined> => {
    const row = await reading.first<AccountRow & KeyRow>(sql`
      SELECT ${accountColumns}, ${keyColumns} FROM api_keys
      JOIN users ON users.id = api_keys.user_id JOIN companies ON companies.id = users.company_id
      WHERE api_keys.id = ${keyId}`);
    return row && { key: toKey(row), account: toAccount(row) };
  },
);

async function keyOf(reading: Reading, userId: number, name: string): Promise<ApiKey | undefined> {
  const row = await reading.first<KeyRow>(
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
  /** Drawn beforehand; given up when the key exists. */
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly createdAt: number;
}

/**
 * The user's key of that name, made when there is none and room for one. It raises no news: nobody holds
 * a key in memory that did not exist, and a caller who makes many should not cost the others what is held of them.
 */
export const getOrCreateKey = refusable(
  singleWriteVerb(
    'accounts.getOrCreateKey',
    async (
      transaction,
      { id, userId, name, createdAt }: NewKey,
    ): Promise<ApiKey | 'unknownUser' | 'tooManyKeys'> => {
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
    },
    // The keys that are there are counted for each: a hundred calls that find no room are enough for a transaction.
    () => 10,
  ),
);

export const listKeysOfUser = readVerb(
  'accounts.listKeysOfUser',
  async (reading, username: string): Promise<readonly ApiKey[] | 'unknownUser'> => {
    const userId = await userIdOf(reading, username);
    if (userId === undefined) return 'unknownUser';
    const rows = await reading.all<KeyRow>(
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

/** The key as it is after the change. */
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

/** A revoked or expired key comes back with a new generation and thus another text; an enabled one stays as it is. */
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
