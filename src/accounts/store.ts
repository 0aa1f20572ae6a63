/** All SQL of accounts: who a caller is, and the life of API keys. */
import { raiseNews } from '../storage/news.ts';
import { raw, sql } from '../storage/sql.ts';
import { bigint, flag, integer, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Account, accountColumns, findAccount, toAccount } from './account.ts';
import { type ApiKey, maxKeysOfUser } from './api-key.ts';

const storedKey = new StoredRecord({
  id: bigint,
  userId: bigint,
  name: text,
  generation: integer,
  revoked: flag,
  expiresAt: optional(bigint),
  createdAt: bigint,
  usedAt: optional(bigint),
});

export const keyColumns = raw(storedKey.names('api_keys', 'key_'));

export function toKey(row: object): ApiKey {
  return storedKey.read(row, 'key_');
}

export const findAccountByUsername = readVerb('accounts.findAccountByUsername', (reading, username: string) =>
  findAccount(reading, { username }),
);

export const findAccountById = readVerb('accounts.findAccountById', (reading, id: number) =>
  findAccount(reading, { id }),
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
  /** Drawn beforehand; given up when the key exists. */
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly createdAt: number;
}

export async function insertKey(
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

/**
 * The user's key of that name, made when there is none and room for one. It raises no news: nobody holds
 * a key in memory that did not exist, and a caller who makes many should not cost the others what is held of them.
 */
export const getOrCreateKey = refusable(
  singleWriteVerb(
    'accounts.getOrCreateKey',
    insertKey,
    // The keys that are there are counted for each: a hundred calls that find no room are enough for a transaction.
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
