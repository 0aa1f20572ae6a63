/**
 * A webhook as it is listed, created, changed and removed by administrators of its company or by the user who owns it.
 * Callbacks of system users are in the same list, but are changed with their system users, all but their secrets.
 */
import { keepAccounts } from '../accounts/account.ts';
import { companyNames } from '../accounts/company-records.ts';
import { usernames } from '../accounts/user-records.ts';
import { quoted } from '../foundation/result.ts';
import {
  type Acting,
  type Keyed,
  managedByFile,
  type Refused,
  type Row,
  refusal,
  type Scope,
  type Values,
} from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { leaseBlock } from '../storage/ids.ts';
import { raiseNews } from '../storage/news.ts';
import { forNoKeyUpdate, oneOf, sql } from '../storage/sql.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { type AttemptCount, readAttemptCounts } from './attempt-counts.ts';
import {
  contradictionsIn,
  disabledReasons,
  filterBy,
  maxOwnWebhooks,
  maxWebhooks,
  type WebhookFilter,
  webhookKeyOf,
} from './endpoint.ts';
import {
  actOfChange,
  auditDetails,
  beginQueues,
  followEndpoints,
  isWebhook,
  renewQueue,
  type WebhookRecord,
  webhookFields,
} from './endpoint-records.ts';

type Fields = typeof webhookFields;

interface Progress {
  readonly company: string;
  /** The user who owns the webhook. Null if the company owns it. */
  readonly username: string | null;
  readonly lastSeq: number;
  readonly doneSeq: number;
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
  readonly lost: number;
  readonly replayNext: number | null;
  readonly replayTo: number | null;
  readonly attemptCounts: readonly AttemptCount[];
}

export type Webhook = Row<Fields, number, Progress>;

/** Undefined leaves a field unchanged. For a filter field or the user, null clears it. */
export interface GivenWebhook {
  /** Given only for a new webhook. */
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly events?: WebhookRecord['events'] | undefined;
  readonly statuses?: WebhookFilter['statuses'] | null;
  readonly costCenter?: string | null | undefined;
  readonly conversationPrefix?: string | null | undefined;
  readonly batchId?: string | null | undefined;
  /** The user's id. */
  readonly user?: number | null | undefined;
  readonly batch?: boolean | undefined;
  readonly text?: WebhookRecord['text'] | undefined;
  readonly active?: boolean | undefined;
  /** A new sealed secret, which signs in addition to the newest so far. Null: only the newest signs. */
  readonly secret?: string | null | undefined;
}

/**
 * A provisioning file identifies a webhook by its name and its company's name. A callback is managed as a whole, if a file
 * sets that of its system user.
 */
const visible: Scope<Keyed<Fields, number>> = {
  column: 'company_id',
  place: 'that you see',
  async managed(reading, companyId, section, rows) {
    const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
    const isCallback = ({ systemUserId }: (typeof rows)[number]) => systemUserId !== undefined;
    const isOfFile = (row: (typeof rows)[number]) => !isCallback(row) && row.callsUntil === undefined;
    const names = rows.filter(isOfFile).map(({ name }) => name);
    const byFile = await managedByFile(reading, section, names, (id) =>
      webhookKeyOf({ company, id: String(id) }),
    );
    const systemUsers = rows.filter(isCallback).map(({ name }) => name);
    const ofSystemUsers = await managedByFile(reading, 'systemUsers', systemUsers, String);
    return new Map(
      rows.flatMap((row) => {
        const ofCallback = ofSystemUsers.get(row.name)?.includes('callback') ? [] : undefined;
        const keys = isOfFile(row) ? byFile.get(row.name) : isCallback(row) ? ofCallback : undefined;
        return keys === undefined ? [] : [[row.key, keys] as const];
      }),
    );
  },
};

const { gone, failures } = disabledReasons;

interface Narrowing {
  readonly failing: boolean | undefined;
}

/** A webhook that was disabled by hand does not count as failing. */
const isFailing = sql`AND active = 1 AND EXISTS (SELECT 1 FROM webhook_queues WHERE endpoint_id = webhook_endpoints.id
  AND CASE WHEN disabled_at IS NULL THEN failing_since IS NOT NULL
      ELSE disabled_reason ${oneOf('text', [gone, failures])} END)`;

export const webhooks = new Resource<Fields, number, GivenWebhook, Progress, Narrowing>({
  noun: 'webhook',
  plural: 'webhooks',
  table: 'webhook_endpoints',
  scope: visible,
  ids: 'webhook',
  fields: webhookFields,
  isCounted: true,
  ownerColumn: 'user_id',
  isManagedByField: 'changed',
  acts: {
    make: 'webhook.make',
    change: (after, before) => actOfChange(before, after),
    remove: 'webhook.remove',
  },
  auditedAs: ({ name }) => name,
  details: (after, before) => auditDetails(after.username ?? undefined, after, before),
  among: ({ failing }) => (failing === true ? isFailing : sql``),
  async lockFirst(transaction, { by: { companyId }, more = {} }) {
    // Users are locked before companies and webhooks, as everywhere.
    if (typeof more.user === 'number') await keepAccounts(transaction, [{ id: more.user }], []);
    // Prevents two webhooks created at once from getting the same name or exceeding the company's limit.
    if (more.name !== undefined)
      await transaction.first(sql`SELECT id FROM companies WHERE id = ${companyId} ${forNoKeyUpdate}`);
  },
  async become(transaction, { by, before, more = {} }) {
    const { user, secret } = more;
    if (before?.systemUserId !== undefined && secret === undefined) return ofSystemUser(before);
    if (before?.callsUntil !== undefined) return refusal('of_callback_url', unchangeable);
    if (typeof user === 'number' && (await usernames(transaction, [user])).size === 0)
      return refusal('not_found', 'The user is no longer in the company.');
    const after = changedBy(before, more);
    if (before === undefined) return (await faultOfNew(transaction, by, after)) ?? after;
    // A new secret can't make settings contradict each other.
    return secret === undefined ? (faultIn(after) ?? after) : after;
  },
  keyAfter: async (transaction, before, after) =>
    after.user === before.user ? before.key : leaseBlock(transaction, { kind: 'webhook', size: 1 }),
  async afterwards(transaction, { by, before, after }) {
    if (after !== undefined && before === undefined) await beginQueues(transaction, [after.key]);
    if (after !== undefined && before !== undefined && after.key !== before.key)
      await renewQueue(transaction, before.key, after.key);
    await followEndpoints(transaction, [by.companyId]);
    await raiseNews(transaction, 'webhooks');
  },
  async refusesRemoval(_, __, webhook) {
    return webhook.systemUserId === undefined ? undefined : ofSystemUser(webhook);
  },
  async extra(reading, rows) {
    const ids = rows.map(({ key }) => key);
    const found = await reading.all<Omit<Progress, 'attemptCounts'> & { readonly id: number }>(
      sql`SELECT webhook_endpoints.id, companies.name AS company, users.username, last_seq AS "lastSeq",
            done_seq AS "doneSeq", failing_since AS "failingSince", disabled_at AS "disabledAt",
            disabled_reason AS "disabledReason", lost, replay_next AS "replayNext", replay_to AS "replayTo"
          FROM webhook_endpoints JOIN companies ON companies.id = webhook_endpoints.company_id
          JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
          LEFT JOIN users ON users.id = webhook_endpoints.user_id
          WHERE webhook_endpoints.id ${oneOf('bigint', ids)}`,
    );
    const counts = await readAttemptCounts(reading, ids);
    const byId = new Map(
      found.map(({ id, ...progress }) => [id, { ...progress, attemptCounts: counts.get(id) ?? [] }]),
    );
    return rows.map(({ key }) => byId.get(key) as Progress);
  },
});

const unchangeable =
  'The webhook posts to the `callbackurl` of calls, and its secret is that of all callback URLs of the user. Nothing was changed.';

function ofSystemUser({ name }: Webhook): Refused {
  return refusal('of_system_user', { sentence: 'callback_of', owner: quoted(name) });
}

const fresh: Values<Fields> = {
  name: '',
  url: '',
  secrets: [],
  events: [],
  filter: {},
  user: undefined,
  systemUserId: undefined,
  callsUntil: undefined,
  batch: false,
  text: 'none',
  active: true,
};

function changedBy(before: Webhook | undefined, given: GivenWebhook): Values<Fields> {
  const was = before ?? fresh;
  const { secret, batchId } = given;
  const kept = <Value>(wanted: Value | null | undefined, value: Value | undefined) =>
    wanted === undefined ? value : (wanted ?? undefined);
  return {
    name: given.name ?? was.name,
    url: given.url ?? was.url,
    secrets:
      secret === undefined ? was.secrets : [...(secret === null ? [] : [secret]), ...was.secrets.slice(0, 1)],
    events: given.events ?? was.events,
    filter: filterBy({
      statuses: kept(given.statuses, was.filter.statuses),
      costCenter: kept(given.costCenter, was.filter.costCenter),
      conversationPrefix: kept(given.conversationPrefix, was.filter.conversationPrefix),
      batch: kept(batchId, was.filter.batch),
    }),
    user: kept(given.user, was.user),
    systemUserId: was.systemUserId,
    callsUntil: was.callsUntil,
    batch: given.batch ?? was.batch,
    text: given.text ?? was.text,
    active: given.active ?? was.active,
  };
}

function faultIn({ events, filter }: Pick<Values<Fields>, 'events' | 'filter'>): Refused | undefined {
  const [found] = contradictionsIn(events, filter);
  if (found === undefined) return undefined;
  const { of, sentence } = found;
  const field = of === 'batch' ? 'batchId' : of;
  const { refused } = refusal('invalid_value', { sentence: 'webhook_filter', of, contradiction: sentence });
  return { refused: { ...refused, field } };
}

/**
 * Returns why a new webhook can't be created: its name is taken, there are too many, or its filter contradicts its events.
 */
async function faultOfNew(
  reading: Reading,
  { companyId, ownerId }: Pick<Acting, 'companyId' | 'ownerId'>,
  wanted: Values<Fields>,
): Promise<Refused | undefined> {
  const others = await reading.all<{ name: string; user_id: number | null }>(
    sql`SELECT name, user_id FROM webhook_endpoints WHERE company_id = ${companyId} AND ${isWebhook}`,
  );
  const { name } = wanted;
  if (others.some((other) => other.name === name))
    return refusal('name_taken', { sentence: 'webhook_name', name: quoted(name) });
  const own = others.filter(({ user_id }) => user_id === ownerId);
  if (others.length >= maxWebhooks || own.length >= maxOwnWebhooks)
    return refusal('too_many_webhooks', {
      sentence: 'webhooks_full',
      most: maxWebhooks,
      own: maxOwnWebhooks,
    });
  return faultIn(wanted);
}

interface Foreseen extends Pick<Acting, 'companyId' | 'ownerId'> {
  readonly given: GivenWebhook;
}

/**
 * Checks a new webhook before its address is looked up. Returns why it can't be created, or the name of the company, which
 * its secret is sealed with.
 */
export const dryRunWebhook = readVerb(
  'webhooks.dryRunAccept',
  async (reading, { given, ...by }: Foreseen): Promise<Refused | { readonly company: string }> => {
    const { companyId } = by;
    const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
    return (await faultOfNew(reading, by, changedBy(undefined, given))) ?? { company };
  },
);
