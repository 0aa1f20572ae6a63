/** All SQL of what users do with their own API keys by the management API, and of when these were used. */
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { raiseNews } from '../storage/news.ts';
import { amongUnlocked, oneOf, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../storage/verb.ts';
import type { ApiKey } from './api-key.ts';
import { insertKey, keyColumns, keyOf, toKey } from './store.ts';

export interface KeyPage {
  readonly userId: number;
  readonly after: number;
  readonly limit: number;
}

/** Oldest first. */
export const pageOfKeys = readVerb(
  'accounts.pageOfKeys',
  async (reading, { userId, after, limit }: KeyPage) => {
    const rows = await reading.all<object>(
      sql`SELECT ${keyColumns} FROM api_keys WHERE user_id = ${userId} AND id > ${after} ORDER BY id LIMIT ${limit}`,
    );
    return rows.map(toKey);
  },
);

interface Owner extends ActingUser {
  readonly userId: number;
  readonly companyId: number;
}

export interface KeyToMake {
  readonly owner: Owner;
  readonly id: number;
  readonly name: string;
  readonly now: number;
  readonly expiresAt: number | undefined;
}

export const makeKey = refusable(
  singleWriteVerb(
    'accounts.makeKey',
    async (transaction, { owner, id, name, now, expiresAt }: KeyToMake) => {
      const { userId, companyId } = owner;
      if ((await keyOf(transaction, userId, name)) !== undefined) return 'nameTaken';
      const key = await insertKey(transaction, { id, userId, name, createdAt: now });
      if (typeof key === 'string') return key;
      await transaction.run(sql`UPDATE api_keys SET expires_at = ${expiresAt ?? null} WHERE id = ${key.id}`);
      await recordAct(transaction, {
        companyId,
        at: now,
        by: byUser(owner),
        act: 'apikey.make',
        object: name,
      });
      return { ...key, expiresAt };
    },
    () => 10,
  ),
);

export interface KeyEnding {
  /** Whose key it is. */
  readonly user: { readonly id: number; readonly username: string };
  readonly by: ActingUser & { readonly companyId: number };
  readonly id: number;
  readonly now: number;
  /** At once and for good; or at a time, undefined for never. */
  readonly ends: 'now' | { readonly at: number | undefined };
}

/** Undefined: the user has no such key. */
export const endKey = refusable(
  singleWriteVerb('accounts.endKey', async (transaction, { user, by, id, now: at, ends }: KeyEnding) => {
    const before = await keyWithId(transaction, user.id, id);
    if (before === undefined) return undefined;
    const change = ends === 'now' ? sql`revoked = 1` : sql`expires_at = ${ends.at ?? null}`;
    await transaction.run(sql`UPDATE api_keys SET ${change} WHERE id = ${id}`);
    await raiseNews(transaction, 'accounts');
    const act = ends === 'now' ? 'apikey.revoke' : 'apikey.expire';
    const details = user.username === by.username ? '' : `of ${user.username}`;
    const { companyId } = by;
    await recordAct(transaction, { companyId, at, by: byUser(by), act, object: before.name, details });
    return keyWithId(transaction, user.id, id);
  }),
);

async function keyWithId(reading: Reading, userId: number, id: number): Promise<ApiKey | undefined> {
  const row = await reading.first<object>(
    sql`SELECT ${keyColumns} FROM api_keys WHERE id = ${id} AND user_id = ${userId}`,
  );
  return row && toKey(row);
}

export interface KeyUsesNow {
  readonly ids: readonly number[];
  readonly now: number;
  readonly everyMs: number;
}

/** Passes over keys whose use another node has just written, or writes now. */
export const keepKeyUses = singleWriteVerb(
  'accounts.keepKeyUses',
  async (transaction, { ids, now, everyMs }: KeyUsesNow) => {
    const used = sql`api_keys WHERE id ${oneOf('bigint', ids)} AND (used_at IS NULL OR used_at <= ${now - everyMs})`;
    await transaction.run(sql`UPDATE api_keys SET used_at = ${now} WHERE ${amongUnlocked('id', used)}`);
    return null;
  },
  ({ ids }) => ids.length,
);
