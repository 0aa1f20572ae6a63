/**
 * Webhooks for the `callbackurl` of calls: one for each user and URL, made by the first call that names the URL, and removed
 * when no message of such a call can change any more. A user's are all signed with the same secret. The reasons are in
 * docs/decisions/0117-a-callback-url-is-a-webhook.md.
 */
import { keepAccounts } from '../accounts/account.ts';
import { usernames } from '../accounts/user-records.ts';
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import { lockReader } from '../changes/held-reader.ts';
import { callbackKeptMs } from '../messages/callback.ts';
import { type Refused, refusal } from '../resources/declaration.ts';
import { leaseBlock } from '../storage/ids.ts';
import { raiseNews } from '../storage/news.ts';
import { forNoKeyUpdate, forUpdate, oneOf, sql } from '../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { followEndpoints, insertEndpoint, webhookReader } from './endpoint-records.ts';

export const maxCallbackUrls = 50;
/** How many of the company's callback URLs a user may have. */
export const maxOwnCallbackUrls = 10;

const dayMs = 86_400_000;

interface Wanted {
  readonly companyId: number;
  readonly userId: number;
  readonly url: string;
  /** The messages are valid until then. */
  readonly until: number;
}

interface Found {
  readonly id: number;
  /** Whether it is kept for long enough. */
  readonly isKept: boolean;
}

/** Null if there is none yet, but there may be. */
export const findCallback = readVerb('webhooks.findCallback', find);

async function find(
  reading: Reading,
  { companyId, userId, url, until }: Wanted,
): Promise<Found | Refused | null> {
  const known = await reading.first<{ id: number; callsUntil: number }>(
    sql`SELECT id, calls_until AS "callsUntil" FROM webhook_endpoints
        WHERE user_id = ${userId} AND calls_until IS NOT NULL AND url = ${url}`,
  );
  if (known !== undefined) return { id: known.id, isKept: known.callsUntil >= until + callbackKeptMs };
  const { all, own } = (await reading.first<{ all: number; own: number }>(
    sql`SELECT COUNT(*) AS "all", COUNT(CASE WHEN user_id = ${userId} THEN 1 END) AS own
        FROM webhook_endpoints WHERE company_id = ${companyId} AND calls_until IS NOT NULL`,
  )) ?? { all: 0, own: 0 };
  if (all < maxCallbackUrls && own < maxOwnCallbackUrls) return null;
  return refusal('too_many_webhooks', {
    sentence: 'callback_urls_full',
    most: maxCallbackUrls,
    own: maxOwnCallbackUrls,
  });
}

export interface Opening extends Wanted, ActingUser {
  readonly now: number;
  /** Sealed, for a user who has no secret yet. */
  readonly secret: string;
}

export const openCallback = singleWriteVerb(
  'webhooks.openCallback',
  async (transaction, input: Opening): Promise<{ readonly id: number } | Refused> => {
    const { companyId, userId: user, url, until, secret, now } = input;
    // Users are locked before companies, as everywhere.
    await keepAccounts(transaction, [{ id: user }], []);
    await takeTurn(transaction, companyId);
    // A day more, so that not every call writes it.
    const callsUntil = until + callbackKeptMs + dayMs;
    const found = await find(transaction, input);
    if (found !== null && 'refused' in found) return found;
    if (found !== null) {
      await transaction.run(
        sql`UPDATE webhook_endpoints SET calls_until = ${callsUntil}
            WHERE id = ${found.id} AND calls_until < ${callsUntil}`,
      );
      return found;
    }
    if ((await usernames(transaction, [user])).size === 0)
      return refusal('not_found', 'The user is no longer in the company.');
    const stored = await readSecrets(transaction, user);
    const secrets = stored.length > 0 ? stored : await keepSecrets(transaction, user, [secret]);
    const id = await leaseBlock(transaction, { kind: 'webhook', size: 1 });
    const name = `callback ${id}`;
    await lockReader(transaction, webhookReader);
    const events = ['message.status'] as const;
    const settings = { events, filter: {}, batch: false, text: 'none', active: true } as const;
    await insertEndpoint(transaction, id, companyId, {
      ...settings,
      name,
      url,
      secrets,
      user,
      systemUserId: undefined,
      callsUntil,
    });
    await followEndpoints(transaction, []);
    await raiseNews(transaction, 'webhooks');
    const details = { sentence: 'of_user', user: input.username } as const;
    await recordAct(transaction, {
      companyId,
      at: now,
      by: byUser(input),
      act: 'webhook.make',
      object: name,
      details,
    });
    return { id };
  },
);

/** Calls of a company that make or sign callback URLs take turns. */
async function takeTurn(transaction: Transaction, companyId: number): Promise<void> {
  await transaction.first(sql`SELECT id FROM companies WHERE id = ${companyId} ${forNoKeyUpdate}`);
}

export interface Rotation extends ActingUser {
  readonly companyId: number;
  readonly userId: number;
  readonly now: number;
  /** Sealed; it signs in addition to the newest so far. Null: only the newest signs. */
  readonly secret: string | null;
}

/** Returns how many secrets sign the posts of the user's callback URLs from now on. */
export const rotateCallbackSecret = singleWriteVerb(
  'webhooks.rotateCallbackSecret',
  async (transaction, input: Rotation): Promise<number> => {
    const { companyId, userId, secret, now } = input;
    await keepAccounts(transaction, [{ id: userId }], []);
    await takeTurn(transaction, companyId);
    const before = await readSecrets(transaction, userId);
    const newest = before.slice(0, 1);
    const after = secret === null ? newest : [secret, ...newest];
    if (after.length === before.length && secret === null) return after.length;
    await keepSecrets(transaction, userId, after);
    await transaction.run(
      sql`UPDATE webhook_endpoints SET secrets = ${JSON.stringify(after)}
          WHERE user_id = ${userId} AND calls_until IS NOT NULL`,
    );
    await raiseNews(transaction, 'webhooks');
    const details = { sentence: secret === null ? 'secret_newest' : 'secret_added' } as const;
    const act = { act: 'webhook.rotate', object: 'callbackurl', details } as const;
    await recordAct(transaction, { companyId, at: now, by: byUser(input), ...act });
    return after.length;
  },
);

async function readSecrets(transaction: Transaction, userId: number): Promise<readonly string[]> {
  const row = await transaction.first<{ secrets: string }>(
    sql`SELECT secrets FROM webhook_callback_secrets WHERE user_id = ${userId} ${forUpdate}`,
  );
  return row === undefined ? [] : (JSON.parse(row.secrets) as string[]);
}

async function keepSecrets(
  transaction: Transaction,
  userId: number,
  secrets: readonly string[],
): Promise<readonly string[]> {
  await transaction.run(
    sql`INSERT INTO webhook_callback_secrets (user_id, secrets) VALUES (${userId}, ${JSON.stringify(secrets)})
        ON CONFLICT (user_id) DO UPDATE SET secrets = excluded.secrets`,
  );
  return secrets;
}

const maxPurgedPerStep = 100;

export const hasUnusedCallbacks = readVerb('webhooks.hasUnusedCallbacks', async (reading, now: number) => {
  const first = await reading.first(sql`SELECT id FROM webhook_endpoints WHERE calls_until < ${now} LIMIT 1`);
  return first !== undefined;
});

/**
 * Removes URLs that are no longer used, and returns how many. The remains of their queues are purged as those of other
 * webhooks.
 */
export const purgeCallbacks = singleWriteVerb('webhooks.purgeCallbacks', async (transaction, now: number) => {
  await lockReader(transaction, webhookReader);
  const removed = await transaction.run(
    sql`DELETE FROM webhook_endpoints WHERE id IN (SELECT id FROM webhook_endpoints
          WHERE calls_until < ${now} ORDER BY id LIMIT ${maxPurgedPerStep}) AND calls_until < ${now}`,
  );
  if (removed > 0) await endFollowing(transaction);
  return removed;
});

/** Call this before the users are removed. */
export async function removeCallbackUrls(
  transaction: Transaction,
  usernames: readonly string[],
): Promise<void> {
  await lockReader(transaction, webhookReader);
  const removed = await transaction.run(
    sql`DELETE FROM webhook_endpoints WHERE calls_until IS NOT NULL
          AND user_id IN (SELECT id FROM users WHERE username ${oneOf('text', usernames)})`,
  );
  if (removed > 0) await endFollowing(transaction);
}

async function endFollowing(transaction: Transaction): Promise<void> {
  await followEndpoints(transaction, []);
  await raiseNews(transaction, 'webhooks');
}
