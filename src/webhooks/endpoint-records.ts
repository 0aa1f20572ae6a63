/**
 * Webhooks and callbacks as stored: the mapping of their fields to columns, the queries of provisioning files and commands,
 * and the audit log entries for changes. The transaction that changes them also makes the change journal listen for the
 * webhooks that exist.
 */
import { isDeepStrictEqual } from 'node:util';
import { companyIds } from '../accounts/company-records.ts';
import { systemUserIds } from '../accounts/system-user-records.ts';
import { userIds } from '../accounts/user-records.ts';
import type { Remark } from '../audit/audit-details.ts';
import type { AuditEntry } from '../audit/audit-log.ts';
import { keepReader } from '../changes/held-reader.ts';
import { dropReader } from '../changes/journal.ts';
import { setTracked } from '../changes/tracking.ts';
import type { Edit } from '../foundation/edit.ts';
import { statusNames } from '../messages/message.ts';
import { leaseBlock } from '../storage/ids.ts';
import { literal, oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import type { Columns, Row } from '../storage/storable.ts';
import {
  bigint,
  flag,
  inColumn,
  json,
  optional,
  type StoredField,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import {
  bitsOf,
  callbackTypes,
  type EventType,
  eventTypes,
  filterBy,
  itemsOf,
  jobEventTypes,
  journalTypes,
  type OptionalJobEvent,
  optionalJobEvents,
  standardStatuses,
  type WebhookFilter,
} from './endpoint.ts';

/** A webhook in the terms of a provisioning file. */
export interface WebhookRecord {
  /** The company's name. */
  readonly company: string;
  /** Unique within the company. */
  readonly id: string;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly string[];
  readonly events: readonly EventType[];
  readonly filter: WebhookFilter;
  /** The name of the user whose messages and batches it reports. Undefined means the whole company. */
  readonly user: string | undefined;
  /** Whether a post may hold several events. */
  readonly batch: boolean;
  readonly text: 'full' | 'none';
  readonly active: boolean;
}

export interface CallbackRecord {
  readonly url: string;
  /** Sealed. */
  readonly secret: string | undefined;
  /** The events it asks for in addition to those that every callback gets. */
  readonly events: readonly OptionalJobEvent[];
}

const standardBits = bitsOf(statusNames, standardStatuses);

const filter: StoredField<WebhookFilter> = {
  columns: () => ({
    statuses: 'integer',
    cost_center: 'text',
    conversation_prefix: 'text',
    batch_id: 'bigint',
  }),
  read: ([statuses, costCenter, conversationPrefix, batch]) =>
    filterBy({
      statuses: statuses === standardBits ? null : itemsOf(statusNames, statuses as number),
      costCenter: costCenter as string | null,
      conversationPrefix: conversationPrefix as string | null,
      batch: batch === null ? null : String(batch),
    }),
  write: ({ statuses = standardStatuses, costCenter = null, conversationPrefix = null, batch }) => [
    bitsOf(statusNames, statuses),
    costCenter,
    conversationPrefix,
    batch === undefined ? null : Number(batch),
  ],
};

/**
 * `name` is the `id` in a provisioning file. A callback has the name of its system user. Here, the user is identified by id.
 */
export const webhookFields = {
  name: text,
  url: text,
  secrets: json<readonly string[]>(),
  events: {
    columns: (name) => ({ [name]: 'integer' }),
    read: ([bits]) => itemsOf(eventTypes, bits as number),
    write: (events) => [bitsOf(eventTypes, events)],
  } satisfies StoredField<readonly EventType[]>,
  filter,
  user: inColumn('user_id', optional(bigint)),
  systemUserId: optional(bigint),
  /** Until when messages can change whose calls named the URL as `callbackurl`; undefined for all other endpoints. */
  callsUntil: optional(bigint),
  batch: flag,
  text: {
    columns: () => ({ full_text: 'smallint' }),
    read: ([isFull]) => (isFull === 1 ? 'full' : 'none'),
    write: (text) => [text === 'full' ? 1 : 0],
  } satisfies StoredField<WebhookRecord['text']>,
  active: flag,
};

const stored = new StoredRecord(webhookFields);

/** Neither the callback of a system user nor for a `callbackurl`. */
export const isWebhook = raw(
  'webhook_endpoints.system_user_id IS NULL AND webhook_endpoints.calls_until IS NULL',
);
const columns: Columns = { id: 'bigint', company_id: 'bigint', ...stored.columns };

/** Reads all webhooks of the companies with these names. */
export async function readWebhooks(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly WebhookRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<{ readonly company: string; readonly username: string | null }>(
    sql`SELECT companies.name AS company, users.username, ${raw(stored.names('webhook_endpoints'))}
        FROM webhook_endpoints JOIN companies ON companies.id = webhook_endpoints.company_id
        LEFT JOIN users ON users.id = webhook_endpoints.user_id
        WHERE companies.name ${oneOf('text', companies)} AND ${isWebhook}
        ORDER BY company, webhook_endpoints.name`,
  );
  return rows.map((row) => {
    const { company, username } = row;
    const { name: id, url, secrets, events, filter, batch, text, active } = stored.read(row);
    return { company, id, url, secrets, events, filter, user: username ?? undefined, batch, text, active };
  });
}

interface Ids {
  readonly companies: ReadonlyMap<string, number>;
  readonly users: ReadonlyMap<string, number>;
}

async function idsOf(transaction: Transaction, webhooks: readonly WebhookRecord[]): Promise<Ids> {
  const companies = await companyIds(
    transaction,
    webhooks.map(({ company }) => company),
  );
  const users = await userIds(
    transaction,
    webhooks.flatMap(({ user }) => user ?? []),
  );
  return { companies, users };
}

function toRow(webhook: WebhookRecord, id: number | null, { companies, users }: Ids): Row {
  const { company, id: name, user = '', ...settings } = webhook;
  const kept = { ...settings, name, user: users.get(user), systemUserId: undefined, callsUntil: undefined };
  return [id, companies.get(company) ?? null, ...stored.row(kept)];
}

export async function createWebhooks(
  transaction: Transaction,
  created: readonly WebhookRecord[],
): Promise<void> {
  const ids = await idsOf(transaction, created);
  const first = await leaseBlock(transaction, { kind: 'webhook', size: created.length });
  const rows = created.map((webhook, index) => toRow(webhook, first + index, ids));
  await insertEndpoints(transaction, rows);
  await followEndpoints(transaction, [...ids.companies.values()]);
}

const queueColumns = { endpoint_id: 'bigint', begun: 'smallint' } as const;

export async function insertEndpoint(
  transaction: Transaction,
  id: number,
  companyId: number,
  settings: Parameters<typeof stored.row>[0],
): Promise<void> {
  await insertEndpoints(transaction, [[id, companyId, ...stored.row(settings)]]);
}

async function insertEndpoints(transaction: Transaction, rows: readonly Row[]): Promise<void> {
  await transaction.insert('webhook_endpoints', columns, rows);
  await beginQueues(
    transaction,
    rows.map(([id]) => id as number),
  );
}

export async function beginQueues(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.insert(
    'webhook_queues',
    queueColumns,
    ids.map((id) => [id, 1]),
  );
}

export async function changeWebhooks(
  transaction: Transaction,
  changed: readonly WebhookRecord[],
): Promise<void> {
  const ids = await idsOf(transaction, changed);
  const rows = changed.map((webhook) => toRow(webhook, null, ids));
  await renewGiven(transaction, rows);
  await transaction.run(
    sql`UPDATE webhook_endpoints SET ${raw(stored.assignments('edited', ['name', 'system_user_id']))},
          version = webhook_endpoints.version + 1
        FROM ${rowSet('edited', columns, rows)}
        WHERE webhook_endpoints.company_id = edited.company_id AND webhook_endpoints.name = edited.name
          AND ${isWebhook}`,
  );
  await followEndpoints(transaction, [...ids.companies.values()]);
}

/** Renews webhooks that are transferred to another user or to the whole company. */
async function renewGiven(transaction: Transaction, rows: readonly Row[]): Promise<void> {
  const given = await transaction.all<{ id: number }>(
    sql`SELECT webhook_endpoints.id FROM webhook_endpoints JOIN ${rowSet('edited', columns, rows)}
          ON webhook_endpoints.company_id = edited.company_id AND webhook_endpoints.name = edited.name
        WHERE ${isWebhook} AND webhook_endpoints.user_id IS DISTINCT FROM edited.user_id
        ORDER BY webhook_endpoints.id`,
  );
  if (given.length === 0) return;
  const first = await leaseBlock(transaction, { kind: 'webhook', size: given.length });
  for (const [index, { id }] of given.entries()) {
    await transaction.run(sql`UPDATE webhook_endpoints SET id = ${first + index} WHERE id = ${id}`);
    await renewQueue(transaction, id, first + index);
  }
}

/**
 * A webhook that is transferred to another user, or to the whole company, starts over under another id. Its stored queue and
 * history hold the events of its previous owner and are purged like those of a removed webhook. A disabled webhook stays
 * disabled.
 */
export async function renewQueue(transaction: Transaction, before: number, after: number): Promise<void> {
  await transaction.run(
    sql`INSERT INTO webhook_queues (endpoint_id, begun, disabled_at, disabled_reason)
        SELECT CAST(${after} AS BIGINT), 1, disabled_at, disabled_reason FROM webhook_queues WHERE endpoint_id = ${before}`,
  );
}

const keyColumns = { company_id: 'bigint', name: 'text' } as const;

/** The remains of their queues are purged later. */
export async function removeWebhooks(
  transaction: Transaction,
  removed: readonly WebhookRecord[],
): Promise<void> {
  const companies = await companyIds(
    transaction,
    removed.map(({ company }) => company),
  );
  const keys = removed.map(({ company, id }) => [companies.get(company) ?? null, id]);
  await transaction.run(
    sql`DELETE FROM webhook_endpoints WHERE ${isWebhook} AND (company_id, name) IN
          (SELECT company_id, name FROM ${rowSet('gone', keyColumns, keys)})`,
  );
  await followEndpoints(transaction, [...companies.values()]);
}

/** The keys are ids of system users. Those without a callback are absent. */
export async function readCallbacks(
  reading: Reading,
  systemUsers: readonly number[],
): Promise<ReadonlyMap<number, CallbackRecord>> {
  const found = await storedCallbacks(reading, systemUsers);
  return new Map([...found].map(([id, callback]) => [id, recordOf(callback)] as const));
}

/** With the newest of its secrets. */
export function recordOf({ url, secrets, events }: StoredCallback): CallbackRecord {
  return { url, secret: secrets[0], events };
}

export interface StoredCallback extends Omit<CallbackRecord, 'secret'> {
  /** The id of the callback among the webhooks. */
  readonly endpointId: number;
  /** Sealed, the newest first. */
  readonly secrets: readonly string[];
}

export async function storedCallbacks(
  reading: Reading,
  systemUsers: readonly number[],
): Promise<ReadonlyMap<number, StoredCallback>> {
  const rows = await reading.all<{
    id: number;
    system_user_id: number;
    url: string;
    secrets: string;
    events: number;
  }>(
    sql`SELECT id, system_user_id, url, secrets, events FROM webhook_endpoints
        WHERE system_user_id ${oneOf('bigint', systemUsers)}`,
  );
  return new Map(
    rows.map(({ id: endpointId, system_user_id, url, secrets, events }) => {
      const types = itemsOf(eventTypes, events);
      const asked = optionalJobEvents.filter((name) => types.includes(jobEventTypes[name]));
      return [system_user_id, { endpointId, url, secrets: JSON.parse(secrets), events: asked }] as const;
    }),
  );
}

interface OwnedCallback {
  readonly username: string;
  /** The company's name. */
  readonly company: string;
  /** Undefined if nothing is posted. */
  readonly callback: CallbackRecord | undefined;
}

/** Stores callbacks for the system users that exist. */
export async function putCallbacks(transaction: Transaction, owned: readonly OwnedCallback[]): Promise<void> {
  const owners = await systemUserIds(
    transaction,
    owned.map(({ username }) => username),
  );
  const companies = await companyIds(
    transaction,
    owned.map(({ company }) => company),
  );
  const known = await storedCallbacks(transaction, [...owners.values()]);
  const asked = owned.flatMap(({ username, company, callback }) => {
    const owner = owners.get(username);
    const companyId = companies.get(company);
    return owner === undefined || companyId === undefined ? [] : [{ owner, username, companyId, callback }];
  });
  const first = await leaseBlock(transaction, { kind: 'webhook', size: asked.length });
  const rowOf = ({ owner, username, companyId, callback }: (typeof asked)[number], index: number): Row[] => {
    if (callback === undefined) return [];
    const { url, secret, events } = callback;
    const { secrets: before = [] } = known.get(owner) ?? {};
    const given = secret === undefined ? [] : [secret];
    const kept = stored.row({
      name: username,
      url,
      // While a secret is being replaced, both stay.
      secrets: before[0] === secret ? before : given,
      events: callbackTypes(events),
      filter: { statuses: [] },
      user: undefined,
      systemUserId: owner,
      callsUntil: undefined,
      batch: false,
      text: 'none',
      active: true,
    });
    return [[first + index, companyId, ...kept]];
  };
  const isKnown = ({ owner }: { readonly owner: number }) => known.has(owner);
  await removeEndpointsOf(
    transaction,
    asked.flatMap(({ owner, callback }) => (callback === undefined ? owner : [])),
  );
  await transaction.run(
    sql`UPDATE webhook_endpoints SET url = edited.url, secrets = edited.secrets, events = edited.events,
          version = webhook_endpoints.version + 1
        FROM ${rowSet('edited', columns, asked.filter(isKnown).flatMap(rowOf))}
        WHERE webhook_endpoints.system_user_id = edited.system_user_id`,
  );
  await insertEndpoints(transaction, asked.filter((one) => !isKnown(one)).flatMap(rowOf));
  await followEndpoints(transaction, []);
}

/** Call this before the system users are removed. */
export async function removeCallbacks(transaction: Transaction, usernames: readonly string[]): Promise<void> {
  await removeEndpointsOf(transaction, [...(await systemUserIds(transaction, usernames)).values()]);
  await followEndpoints(transaction, []);
}

async function removeEndpointsOf(transaction: Transaction, systemUsers: readonly number[]): Promise<void> {
  await transaction.run(
    sql`DELETE FROM webhook_endpoints WHERE system_user_id ${oneOf('bigint', systemUsers)}`,
  );
}

/** The journal reader for all endpoints. The node that holds it does the posting. */
export const webhookReader = 'webhooks';

const ofJournal = literal(bitsOf(eventTypes, journalTypes));

/**
 * `companyIds` are the companies whose webhooks may have changed. Returns true if the journal is read from its end on because
 * there was no reader.
 */
export async function followEndpoints(
  transaction: Transaction,
  companyIds: readonly number[],
): Promise<boolean> {
  const listening = await transaction.all<{ company_id: number; begun: number }>(
    sql`SELECT company_id, MIN(begun) AS begun FROM webhook_endpoints
        JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE company_id ${oneOf('bigint', companyIds)} AND active = 1 AND events & ${ofJournal} <> 0 AND ${isWebhook}
        GROUP BY company_id`,
  );
  const fresh = await setTracked(transaction, {
    listener: webhookReader,
    companyIds,
    tracked: listening.map(({ company_id }) => company_id),
  });
  // If the company was listened to before and none of its webhooks is still looking for messages under way, all of these
  // are listened to already.
  const looking = listening.filter(({ begun }) => begun === 0).map(({ company_id }) => company_id);
  await transaction.run(
    sql`UPDATE webhook_queues SET begun = 0 WHERE endpoint_id IN
          (SELECT id FROM webhook_endpoints WHERE company_id ${oneOf('bigint', [...fresh, ...looking])} AND ${isWebhook})`,
  );
  const any = await transaction.first(sql`SELECT id FROM webhook_endpoints WHERE active = 1 LIMIT 1`);
  if (any !== undefined) return keepReader(transaction, webhookReader);
  await dropReader(transaction, webhookReader);
  return false;
}

const settings = ['url', 'secrets', 'events', 'filter', 'user', 'batch', 'text', 'active'] as const;
/** The settings of a webhook, from a provisioning file or the store. */
type Settings = { readonly [Name in (typeof settings)[number]]: unknown };

function changedSettings(before: Settings, after: Settings): readonly string[] {
  return settings.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

export function actOfChange(before: Settings, after: Settings): 'webhook.rotate' | 'webhook.change' {
  return isDeepStrictEqual(changedSettings(before, after), ['secrets']) ? 'webhook.rotate' : 'webhook.change';
}

/**
 * The audit log's details for a webhook. They name the changed settings but not their values, because an address may contain
 * a key. They do say whether texts leave the organisation. `before` is the webhook before the change.
 */
export function auditDetails(
  username: string | undefined,
  after: Settings & Pick<WebhookRecord, 'secrets'>,
  before: typeof after | undefined,
): readonly Remark[] {
  const of: Remark =
    username === undefined ? { sentence: 'of_company' } : { sentence: 'of_user', user: username };
  const text = { sentence: 'webhook_text', text: String(after.text) } as const;
  return [of, text, ...(before === undefined ? [] : whatChanged(before, after))];
}

function whatChanged(
  before: Settings & Pick<WebhookRecord, 'secrets'>,
  after: typeof before,
): readonly Remark[] {
  if (actOfChange(before, after) === 'webhook.change') return changedSettings(before, after);
  return [{ sentence: after.secrets.length < before.secrets.length ? 'secret_newest' : 'secret_added' }];
}

/** The entry for a change made by a command. */
export function entryOfEdit({
  before,
  after,
}: Edit<WebhookRecord>): Pick<AuditEntry, 'act' | 'object' | 'details'> {
  const webhook = (after ?? before) as WebhookRecord;
  const { id: object, user } = webhook;
  const details = auditDetails(user, webhook, after && before);
  if (after === undefined) return { act: 'webhook.remove', object, details };
  return { act: before === undefined ? 'webhook.make' : actOfChange(before, after), object, details };
}
