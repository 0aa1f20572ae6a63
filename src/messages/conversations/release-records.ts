/**
 * Unassigns conversations from users who can no longer see them: deactivated or removed users lose all that are assigned
 * to them, and former administrators lose those of other users. The first conversations are released together with that
 * change, the others by upkeep, one set per transaction.
 */
import { findAccount } from '../../accounts/account.ts';
import type { UserRecord } from '../../accounts/user-records.ts';
import { type Act, type Actor, recordActs } from '../../audit/audit-log.ts';
import { oneOf, raw, type Sql, skipLocked, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';

type Seeing = Pick<UserRecord, 'active' | 'roles'>;

function seen(user: Seeing | undefined): 'none' | 'own' | 'all' {
  if (user === undefined || !user.active) return 'none';
  return user.roles.includes('companyAdmin') ? 'all' : 'own';
}

/** Whether the user sees fewer conversations than before; `after` is undefined when the user is removed. */
export function seesFewer(before: Seeing, after: Seeing | undefined): boolean {
  const [was, is] = [seen(before), seen(after)];
  return was !== is && (is === 'none' || was === 'all');
}

export interface Leaving {
  readonly id: number;
  readonly username: string;
}

interface Acted {
  readonly by: Actor;
  readonly at: number;
}

/** The limit per transaction: each release changes every index of conversations and adds an entry to the audit log. */
export const maxReleasedPerStep = 100;

/**
 * To be called last in the transaction that changes or removes the users, since transactions waiting for these rows may have
 * locked users and companies.
 */
export async function releaseOf(
  transaction: Transaction,
  leaving: readonly Leaving[],
  { by, at }: Acted,
): Promise<void> {
  let released = 0;
  for (const { id, username } of leaving) {
    await transaction.run(
      sql`INSERT INTO conversation_releases (user_id, username, channel, by_username)
          VALUES (${id}, ${username}, ${by.channel}, ${by.username})
          ON CONFLICT (user_id) DO UPDATE SET channel = excluded.channel, by_username = excluded.by_username`,
    );
    const limit = maxReleasedPerStep - released;
    if (limit > 0) released += await releaseSet(transaction, { id, username }, { by, at, limit });
  }
}

/** Users who may still have conversations to release. */
export const listReleases = readVerb(
  'messages.listReleases',
  async (reading, limit: number): Promise<readonly number[]> => {
    const rows = await reading.all<{ id: number }>(
      sql`SELECT user_id AS id FROM conversation_releases ORDER BY user_id LIMIT ${limit}`,
    );
    return rows.map(({ id }) => id);
  },
);

/**
 * Returns how many were released. Zero means that none are left, or that the remaining ones are locked and wait for the
 * next call.
 */
export const releaseNext = singleWriteVerb(
  'messages.releaseNext',
  async (
    transaction,
    { userId: id, now: at, limit }: { readonly userId: number; readonly now: number; readonly limit: number },
  ): Promise<number> => {
    const row = await transaction.first<{
      readonly username: string;
      readonly channel: Actor['channel'];
      readonly by: string | null;
    }>(
      sql`SELECT username, channel, by_username AS by FROM conversation_releases WHERE user_id = ${id} ${skipLocked}`,
    );
    if (row === undefined) return 0;
    const { username, channel, by } = row;
    const acted = { by: { channel, username: by }, at, limit };
    const released = await releaseSet(transaction, { id, username }, acted);
    if (released === 0 && (await unseen(transaction, id, 1)).length === 0)
      await transaction.run(sql`DELETE FROM conversation_releases WHERE user_id = ${id}`);
    return released;
  },
  ({ limit }) => limit,
);

interface Assigned {
  readonly id: number;
  readonly companyId: number;
}

async function releaseSet(
  transaction: Transaction,
  { id, username }: Leaving,
  { by, at, limit }: Acted & { readonly limit: number },
): Promise<number> {
  const found = await unseen(transaction, id, limit, skipLocked);
  if (found.length === 0) return 0;
  const ids = found.map((one) => one.id);
  await transaction.run(
    sql`UPDATE conversations SET assignee_id = NULL, version = version + 1 WHERE id ${oneOf('bigint', ids)}`,
  );
  const act = 'conversation.assign' satisfies Act;
  const details = { sentence: 'to_nobody_unseen', user: username } as const;
  await recordActs(
    transaction,
    found.map(({ id, companyId }) => ({ companyId, at, by, act, object: String(id), details })),
  );
  return found.length;
}

/** Conversations assigned to the user that the user can no longer see. */
async function unseen(
  reading: Reading,
  userId: number,
  limit: number,
  lock = raw(''),
): Promise<readonly Assigned[]> {
  const sees = seen((await findAccount(reading, { id: userId }))?.user);
  if (sees === 'all') return [];
  // One range on each side of the user's own conversations.
  const whose: readonly Sql[] =
    sees === 'none' ? [sql``] : [sql`AND user_id < ${userId}`, sql`AND user_id > ${userId}`];
  const found: Assigned[] = [];
  for (const range of whose) {
    if (found.length === limit) break;
    const more = await reading.all<Assigned>(
      sql`SELECT id, company_id AS "companyId" FROM conversations WHERE assignee_id = ${userId} ${range}
          ORDER BY user_id, id LIMIT ${limit - found.length} ${lock}`,
    );
    found.push(...more);
  }
  return found;
}
