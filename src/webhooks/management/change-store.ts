/** Webhooks made, changed and removed by those whose they are: by the rows and rules of provisioning, one at a time. */
import { findCompany } from '../../accounts/company-records.ts';
import { readSetKeys } from '../../accounts/set-keys.ts';
import type { Visibility } from '../../accounts/visibility.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { raiseNews } from '../../storage/news.ts';
import { byDialect, forNoKeyUpdate, forUpdate, sql } from '../../storage/sql.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import {
  contradictionsIn,
  maxOwnWebhooks,
  maxWebhooks,
  type WebhookFilter,
  webhookKeyOf,
} from '../endpoint.ts';
import {
  changedKeys,
  changeWebhooks,
  createWebhooks,
  readWebhooks,
  removeWebhooks,
  rotation,
  type WebhookRecord,
  webhookEntry,
} from '../endpoint-records.ts';

interface Acting extends ActingUser {
  readonly visible: Visibility;
  readonly now: number;
}

interface WebhookToMake extends Acting {
  readonly webhook: WebhookRecord;
}

export type MakingRefused =
  | { readonly kind: 'taken' | 'tooMany' | 'userGone' }
  | { readonly kind: 'contradiction'; readonly of: keyof WebhookFilter; readonly sentence: string };

/** Undefined: it may be made, as far as there is room for it and its name is free. */
function refusalOf(
  { webhook, visible, username }: Pick<WebhookToMake, 'webhook' | 'visible' | 'username'>,
  others: readonly WebhookRecord[],
): MakingRefused | undefined {
  if (others.some(({ id }) => id === webhook.id)) return { kind: 'taken' };
  const own = others.filter(({ user }) => user === username);
  if (others.length >= maxWebhooks || (visible.userId !== null && own.length >= maxOwnWebhooks))
    return { kind: 'tooMany' };
  const [contradiction] = contradictionsIn(webhook.events, webhook.filter);
  return contradiction && { kind: 'contradiction', ...contradiction };
}

/** What `makeWebhook` would refuse, before its address is looked up. */
export const foreseeWebhook = readVerb(
  'webhooks.foresee',
  async (reading, input: WebhookToMake): Promise<MakingRefused | null> =>
    refusalOf(input, await readWebhooks(reading, [input.webhook.company])) ?? null,
);

/** Answers with its id. */
export const makeWebhook = refusable(
  singleWriteVerb(
    'webhooks.make',
    async (transaction, input: WebhookToMake): Promise<number | MakingRefused> => {
      const { webhook, visible } = input;
      const { companyId } = visible;
      // Users come before companies and webhooks, as everywhere, so that no two transactions deadlock.
      if (!(await lockUser(transaction, companyId, webhook.user))) return { kind: 'userGone' };
      await lockCompany(transaction, companyId);
      const refused = refusalOf(input, await readWebhooks(transaction, [webhook.company]));
      if (refused !== undefined) return refused;
      await createWebhooks(transaction, [webhook]);
      await record(transaction, input, 'webhook.make', webhook);
      return idOf(transaction, companyId, webhook.id);
    },
  ),
);

async function idOf(transaction: Transaction, companyId: number, name: string): Promise<number> {
  const row = await transaction.first<{ id: number }>(
    sql`SELECT id FROM webhook_endpoints WHERE company_id = ${companyId} AND name = ${name} AND system_user_id IS NULL`,
  );
  return row?.id as number;
}

/** What is there keeps its value where it is undefined. Of a filter and a user, null clears. */
export interface Changes {
  readonly url?: string | undefined;
  readonly events?: WebhookRecord['events'] | undefined;
  readonly statuses?: WebhookFilter['statuses'] | null;
  readonly costCenter?: string | null | undefined;
  readonly conversationPrefix?: string | null | undefined;
  readonly batchId?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly batch?: boolean | undefined;
  readonly text?: WebhookRecord['text'] | undefined;
  readonly active?: boolean | undefined;
}

interface KnownWebhook extends Acting {
  readonly id: number;
  readonly ifMatch: IfMatch;
}

interface WebhookToChange extends KnownWebhook {
  readonly changes: Changes;
}

export type ChangeRefused =
  | { readonly kind: 'notFound' | 'managed' | 'changedMeanwhile' | 'userGone' }
  | Extract<MakingRefused, { kind: 'contradiction' }>;

/** Answers with its id, which is another one where it was given to another user. */
export const changeWebhook = refusable(
  singleWriteVerb(
    'webhooks.change',
    async (transaction, input: WebhookToChange): Promise<ChangeRefused | number> => {
      const { changes, visible } = input;
      if (!(await lockUser(transaction, visible.companyId, changes.user ?? undefined)))
        return { kind: 'userGone' };
      const found = await changeable(transaction, input);
      if ('kind' in found) return found;
      const { before, managed } = found;
      const after = changed(before, changes);
      const keys = changedKeys(before, after);
      if (keys.length === 0) return input.id;
      if (keys.some((key) => managed.has(key))) return { kind: 'managed' };
      const [contradiction] = contradictionsIn(after.events, after.filter);
      if (contradiction !== undefined) return { kind: 'contradiction', ...contradiction };
      await changeWebhooks(transaction, [after]);
      await record(transaction, input, 'webhook.change', after, keys);
      return idOf(transaction, visible.companyId, after.id);
    },
  ),
);

/** No change of somebody else is overwritten: a secret is no value that one decides on by another. */
interface WebhookToRotate extends Omit<KnownWebhook, 'ifMatch'> {
  /** Sealed; undefined: the newest that there is signs alone from now on. */
  readonly secret: string | undefined;
}

export const rotateSecret = refusable(
  singleWriteVerb(
    'webhooks.rotate',
    async (transaction, input: WebhookToRotate): Promise<ChangeRefused | null> => {
      const found = await changeable(transaction, { ...input, ifMatch: undefined });
      if ('kind' in found) return found;
      const { before, managed } = found;
      if (managed.has('secrets')) return { kind: 'managed' };
      const { secret } = input;
      const secrets = [...(secret === undefined ? [] : [secret]), ...before.secrets.slice(0, 1)];
      await changeWebhooks(transaction, [{ ...before, secrets }]);
      await record(transaction, input, 'webhook.rotate', before, [rotation(secret === undefined)]);
      return null;
    },
  ),
);

export const removeWebhook = refusable(
  singleWriteVerb(
    'webhooks.remove',
    async (transaction, input: KnownWebhook): Promise<ChangeRefused | null> => {
      const found = await changeable(transaction, input);
      if ('kind' in found) return found;
      const { before, managed } = found;
      if (managed.size > 0) return { kind: 'managed' };
      await removeWebhooks(transaction, [before]);
      await record(transaction, input, 'webhook.remove', before);
      return null;
    },
  ),
);

interface Changeable {
  readonly before: WebhookRecord;
  /** Keys that a provisioning file has set (PORT-6). */
  readonly managed: ReadonlySet<string>;
}

/** A callback belongs to the file that has its system user. */
async function changeable(
  transaction: Transaction,
  { visible: { companyId, userId }, id, ifMatch }: Omit<KnownWebhook, keyof ActingUser>,
): Promise<Changeable | ChangeRefused> {
  // On PostgreSQL who comes second waits, and then sees what the first has done; SQLite has one writer.
  const row = await transaction.first<{ name: string; system_user_id: number | null; version: number }>(
    sql`SELECT name, system_user_id, version FROM webhook_endpoints WHERE id = ${id} AND company_id = ${companyId}
          ${userId === null ? sql`` : sql`AND user_id = ${userId}`} ${forUpdate}`,
  );
  if (row === undefined) return { kind: 'notFound' };
  if (row.system_user_id !== null) return { kind: 'managed' };
  const company = (await findCompany(transaction, companyId))?.name ?? '';
  const before = (await readWebhooks(transaction, [company])).find((webhook) => webhook.id === row.name);
  if (before === undefined) return { kind: 'notFound' };
  if (!isMatch(ifMatch, String(row.version))) return { kind: 'changedMeanwhile' };
  const set = await readSetKeys(transaction, 'webhooks', [webhookKeyOf(before)]);
  return { before, managed: new Set(set.flatMap(({ keys }) => keys)) };
}

function changed(before: WebhookRecord, changes: Changes): WebhookRecord {
  const { url, events, user, batch, text, active, statuses, ...others } = changes;
  const wanted = <Value>(change: Value | null | undefined, was: Value | undefined) =>
    change === undefined ? was : (change ?? undefined);
  const filter = {
    statuses: wanted(statuses, before.filter.statuses),
    costCenter: wanted(others.costCenter, before.filter.costCenter),
    conversationPrefix: wanted(others.conversationPrefix, before.filter.conversationPrefix),
    batch: wanted(others.batchId, before.filter.batch),
  };
  return {
    ...before,
    url: url ?? before.url,
    events: events ?? before.events,
    filter: Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    user: wanted(user, before.user),
    batch: batch ?? before.batch,
    text: text ?? before.text,
    active: active ?? before.active,
  };
}

/** False: the company has no such user any more. */
async function lockUser(
  transaction: Transaction,
  companyId: number,
  username: string | undefined,
): Promise<boolean> {
  if (username === undefined) return true;
  const user = await transaction.first(
    sql`SELECT id FROM users WHERE username = ${username} AND company_id = ${companyId}
        ${byDialect({ sqlite: '', postgres: 'FOR KEY SHARE' })}`,
  );
  return user !== undefined;
}

/** Two that are made at once don't get the same name, nor are more than a company may have. */
async function lockCompany(transaction: Transaction, companyId: number): Promise<void> {
  await transaction.first(sql`SELECT id FROM companies WHERE id = ${companyId} ${forNoKeyUpdate}`);
}

async function record(
  transaction: Transaction,
  { visible, now, username, session }: Acting,
  ...entry: Parameters<typeof webhookEntry>
): Promise<void> {
  await recordAct(transaction, {
    companyId: visible.companyId,
    at: now,
    by: byUser({ username, session }),
    ...webhookEntry(...entry),
  });
  await raiseNews(transaction, 'webhooks');
}
