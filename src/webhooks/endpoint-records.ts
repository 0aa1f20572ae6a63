/**
 * Webhooks and callbacks as they are set up: all SQL that reads and writes them whole, and what the audit log says of a
 * change. The transaction that changes them keeps the journal of changes listening for those that there are.
 */
import { isDeepStrictEqual } from 'node:util';
import { companyIds } from '../accounts/company-records.ts';
import { systemUserIds } from '../accounts/system-user-records.ts';
import { userIds } from '../accounts/user-records.ts';
import type { AuditEntry } from '../audit/audit-log.ts';
import { keepReader } from '../changes/held-reader.ts';
import { dropReader } from '../changes/journal.ts';
import { setListenedTo } from '../changes/listening.ts';
import type { Edit } from '../foundation/edit.ts';
import { statusNames } from '../messages/message.ts';
import { leaseBlock } from '../storage/ids.ts';
import { literal, oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import {
  bitsOf,
  callbackTypes,
  type EventType,
  eventTypes,
  itemsOf,
  type JobEventName,
  jobEventTypes,
  journalTypes,
  optionalJobEvents,
  standardStatuses,
  type WebhookFilter,
} from './endpoint.ts';

/** In the words of a provisioning file. */
export interface WebhookRecord {
  /** The company's name. */
  readonly company: string;
  /** Unique in the company. */
  readonly id: string;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly string[];
  readonly events: readonly EventType[];
  readonly filter: WebhookFilter;
  /** The name of the user whose messages and batches it tells of; undefined: all of the company. */
  readonly user: string | undefined;
  /** Several events a post. */
  readonly batch: boolean;
  readonly text: 'full' | 'none';
  readonly active: boolean;
}

export interface CallbackRecord {
  readonly url: string;
  /** Sealed. */
  readonly secret: string | undefined;
  /** Those that it asks for beside the ones that every callback has. */
  readonly events: readonly JobEventName[];
}

interface WebhookRow {
  readonly company: string;
  readonly name: string;
  readonly username: string | null;
  readonly url: string;
  readonly secrets: string;
  readonly events: number;
  readonly statuses: number;
  readonly cost_center: string | null;
  readonly conversation_prefix: string | null;
  readonly batch_id: number | null;
  readonly batch: number;
  readonly full_text: number;
  readonly active: number;
}

/** All of some companies, by their names. */
export async function readWebhooks(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly WebhookRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<WebhookRow>(
    sql`SELECT companies.name AS company, webhook_endpoints.name, users.username, url, secrets, events, statuses,
          cost_center, conversation_prefix, batch_id, batch, full_text, webhook_endpoints.active
        FROM webhook_endpoints JOIN companies ON companies.id = webhook_endpoints.company_id
        LEFT JOIN users ON users.id = webhook_endpoints.user_id
        WHERE companies.name ${oneOf('text', companies)} AND system_user_id IS NULL
        ORDER BY company, webhook_endpoints.name`,
  );
  return rows.map((row) => ({
    company: row.company,
    id: row.name,
    url: row.url,
    secrets: JSON.parse(row.secrets) as string[],
    events: itemsOf(eventTypes, row.events),
    filter: filterOf(row),
    user: row.username ?? undefined,
    batch: row.batch === 1,
    text: row.full_text === 1 ? 'full' : 'none',
    active: row.active === 1,
  }));
}

export function filterOf(
  row: Pick<WebhookRow, 'statuses' | 'cost_center' | 'conversation_prefix' | 'batch_id'>,
): WebhookFilter {
  const statuses = itemsOf(statusNames, row.statuses);
  const isStandard = row.statuses === bitsOf(statusNames, standardStatuses);
  return {
    ...(isStandard ? {} : { statuses }),
    ...(row.cost_center === null ? {} : { costCenter: row.cost_center }),
    ...(row.conversation_prefix === null ? {} : { conversationPrefix: row.conversation_prefix }),
    ...(row.batch_id === null ? {} : { batch: String(row.batch_id) }),
  };
}

const columns = {
  id: 'bigint',
  company_id: 'bigint',
  name: 'text',
  user_id: 'bigint',
  system_user_id: 'bigint',
  url: 'text',
  secrets: 'text',
  events: 'integer',
  statuses: 'integer',
  cost_center: 'text',
  conversation_prefix: 'text',
  batch_id: 'bigint',
  batch: 'smallint',
  full_text: 'smallint',
  active: 'smallint',
} as const;

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
  const { filter } = webhook;
  return [
    id,
    companies.get(webhook.company) ?? null,
    webhook.id,
    webhook.user === undefined ? null : (users.get(webhook.user) ?? null),
    null,
    webhook.url,
    JSON.stringify(webhook.secrets),
    bitsOf(eventTypes, webhook.events),
    bitsOf(statusNames, filter.statuses ?? standardStatuses),
    filter.costCenter ?? null,
    filter.conversationPrefix ?? null,
    filter.batch === undefined ? null : Number(filter.batch),
    webhook.batch ? 1 : 0,
    webhook.text === 'full' ? 1 : 0,
    webhook.active ? 1 : 0,
  ];
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

async function insertEndpoints(transaction: Transaction, rows: readonly Row[]): Promise<void> {
  await transaction.insert('webhook_endpoints', columns, rows);
  await transaction.insert(
    'webhook_queues',
    queueColumns,
    rows.map(([id]) => [id ?? null, 1]),
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
    sql`UPDATE webhook_endpoints SET user_id = edited.user_id, url = edited.url, secrets = edited.secrets,
          events = edited.events, statuses = edited.statuses, cost_center = edited.cost_center,
          conversation_prefix = edited.conversation_prefix, batch_id = edited.batch_id, batch = edited.batch,
          full_text = edited.full_text, active = edited.active, version = webhook_endpoints.version + 1
        FROM ${rowSet('edited', columns, rows)}
        WHERE webhook_endpoints.company_id = edited.company_id AND webhook_endpoints.name = edited.name
          AND webhook_endpoints.system_user_id IS NULL`,
  );
  await followEndpoints(transaction, [...ids.companies.values()]);
}

/**
 * A webhook that is given to another user, or to all of the company, starts over under another id: what it had queued and
 * kept is of the events of those before, and is purged as that of one that is removed. One that is disabled stays so.
 */
async function renewGiven(transaction: Transaction, rows: readonly Row[]): Promise<void> {
  const given = await transaction.all<{ id: number }>(
    sql`SELECT webhook_endpoints.id FROM webhook_endpoints JOIN ${rowSet('edited', columns, rows)}
          ON webhook_endpoints.company_id = edited.company_id AND webhook_endpoints.name = edited.name
        WHERE webhook_endpoints.system_user_id IS NULL AND webhook_endpoints.user_id IS DISTINCT FROM edited.user_id
        ORDER BY webhook_endpoints.id`,
  );
  if (given.length === 0) return;
  const first = await leaseBlock(transaction, { kind: 'webhook', size: given.length });
  for (const [index, { id }] of given.entries())
    await transaction.run(sql`UPDATE webhook_endpoints SET id = ${first + index} WHERE id = ${id}`);
  await transaction.insert(
    'webhook_queues',
    queueColumns,
    given.map((_, index) => [first + index, 1]),
  );
  for (const [index, { id }] of given.entries()) {
    const before = (column: string) =>
      sql`(SELECT ${raw(column)} FROM webhook_queues AS before WHERE before.endpoint_id = ${id})`;
    await transaction.run(
      sql`UPDATE webhook_queues SET disabled_at = ${before('disabled_at')}, disabled_reason = ${before('disabled_reason')}
          WHERE endpoint_id = ${first + index}`,
    );
  }
}

const keyColumns = { company_id: 'bigint', name: 'text' } as const;

/** What is left in its queue is purged later. */
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
    sql`DELETE FROM webhook_endpoints WHERE system_user_id IS NULL AND (company_id, name) IN
          (SELECT company_id, name FROM ${rowSet('gone', keyColumns, keys)})`,
  );
  await followEndpoints(transaction, [...companies.values()]);
}

/** The keys are ids of system users; those without a callback are left out. */
export async function readCallbacks(
  reading: Reading,
  systemUsers: readonly number[],
): Promise<ReadonlyMap<number, CallbackRecord>> {
  const rows = await reading.all<{ system_user_id: number; url: string; secrets: string; events: number }>(
    sql`SELECT system_user_id, url, secrets, events FROM webhook_endpoints
        WHERE system_user_id ${oneOf('bigint', systemUsers)}`,
  );
  return new Map(
    rows.map(({ system_user_id, url, secrets, events }) => {
      const types = itemsOf(eventTypes, events);
      const [secret] = JSON.parse(secrets) as string[];
      const asked = optionalJobEvents.filter((name) => types.includes(jobEventTypes[name]));
      return [system_user_id, { url, secret, events: asked }] as const;
    }),
  );
}

interface OwnedCallback {
  readonly username: string;
  /** The company's name. */
  readonly company: string;
  /** Undefined: nothing is posted. */
  readonly callback: CallbackRecord | undefined;
}

/** Those of system users that there are. */
export async function putCallbacks(transaction: Transaction, owned: readonly OwnedCallback[]): Promise<void> {
  const owners = await systemUserIds(
    transaction,
    owned.map(({ username }) => username),
  );
  const companies = await companyIds(
    transaction,
    owned.map(({ company }) => company),
  );
  const known = await readCallbacks(transaction, [...owners.values()]);
  const asked = owned.flatMap(({ username, company, callback }) => {
    const owner = owners.get(username);
    const companyId = companies.get(company);
    return owner === undefined || companyId === undefined ? [] : [{ owner, username, companyId, callback }];
  });
  const first = await leaseBlock(transaction, { kind: 'webhook', size: asked.length });
  const rowOf = ({ owner, username, companyId, callback }: (typeof asked)[number], index: number): Row[] => {
    if (callback === undefined) return [];
    const { url, secret, events } = callback;
    const secrets = JSON.stringify(secret === undefined ? [] : [secret]);
    const types = bitsOf(eventTypes, callbackTypes(events));
    return [
      [first + index, companyId, username, null, owner, url, secrets, types, 0, null, null, null, 0, 0, 1],
    ];
  };
  const isKnown = ({ owner }: { readonly owner: number }) => known.has(owner);
  await removeEndpointsOf(
    transaction,
    asked.flatMap(({ owner, callback }) => (callback === undefined ? owner : [])),
  );
  await transaction.run(
    sql`UPDATE webhook_endpoints SET url = edited.url, secrets = edited.secrets, events = edited.events
        FROM ${rowSet('edited', columns, asked.filter(isKnown).flatMap(rowOf))}
        WHERE webhook_endpoints.system_user_id = edited.system_user_id`,
  );
  await insertEndpoints(transaction, asked.filter((one) => !isKnown(one)).flatMap(rowOf));
  await followEndpoints(transaction, []);
}

/** To be called before the system users go. */
export async function removeCallbacks(transaction: Transaction, usernames: readonly string[]): Promise<void> {
  await removeEndpointsOf(transaction, [...(await systemUserIds(transaction, usernames)).values()]);
  await followEndpoints(transaction, []);
}

async function removeEndpointsOf(transaction: Transaction, systemUsers: readonly number[]): Promise<void> {
  await transaction.run(
    sql`DELETE FROM webhook_endpoints WHERE system_user_id ${oneOf('bigint', systemUsers)}`,
  );
}

/** The reader of the journal for all endpoints. The node that holds it posts. */
export const webhookReader = 'webhooks';

const ofJournal = literal(bitsOf(eventTypes, journalTypes));

/** `companyIds`: whose webhooks may have changed. True: the journal is read from its end on, for no reader was kept. */
export async function followEndpoints(
  transaction: Transaction,
  companyIds: readonly number[],
): Promise<boolean> {
  const listening = await transaction.all<{ company_id: number; begun: number }>(
    sql`SELECT company_id, MIN(begun) AS begun FROM webhook_endpoints
        JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE company_id ${oneOf('bigint', companyIds)} AND active = 1 AND events & ${ofJournal} <> 0
        GROUP BY company_id`,
  );
  const fresh = await setListenedTo(transaction, {
    listener: webhookReader,
    companyIds,
    listenedTo: listening.map(({ company_id }) => company_id),
  });
  // Where it was listened to already, what is under way is as well, once one of its webhooks has found it all.
  const looking = listening.filter(({ begun }) => begun === 0).map(({ company_id }) => company_id);
  await transaction.run(
    sql`UPDATE webhook_queues SET begun = 0 WHERE endpoint_id IN
          (SELECT id FROM webhook_endpoints WHERE company_id ${oneOf('bigint', [...fresh, ...looking])} AND system_user_id IS NULL)`,
  );
  const any = await transaction.first(sql`SELECT id FROM webhook_endpoints WHERE active = 1 LIMIT 1`);
  if (any !== undefined) return keepReader(transaction, webhookReader);
  await dropReader(transaction, webhookReader);
  return false;
}

/** What the audit log says of a webhook that its pages or a command have made, changed or removed. */
type Entry = Pick<AuditEntry, 'act' | 'object' | 'details'>;

/** Names what was changed, and not to what: an address may have a key in it. Whether texts leave the house is told. */
export function webhookEntry(
  act: AuditEntry['act'],
  { id, text, user }: WebhookRecord,
  what: readonly string[] = [],
): Entry {
  const of = user === undefined ? 'of the company' : `of ${user}`;
  return { act, object: id, details: [of, `text: ${text}`, ...what].join(', ') };
}

export function changedKeys(before: WebhookRecord, after: WebhookRecord): readonly (keyof WebhookRecord)[] {
  return (Object.keys(after) as (keyof WebhookRecord)[]).filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
}

export function rotation(isFinished: boolean): string {
  return isFinished ? 'the newest secret alone' : 'a new secret';
}

export function entryOfEdit({ before, after }: Edit<WebhookRecord>): Entry {
  if (after === undefined) return webhookEntry('webhook.remove', before as WebhookRecord);
  if (before === undefined) return webhookEntry('webhook.make', after);
  const keys = changedKeys(before, after);
  if (!isDeepStrictEqual(keys, ['secrets'])) return webhookEntry('webhook.change', after, keys);
  return webhookEntry('webhook.rotate', after, [rotation(after.secrets.length < before.secrets.length)]);
}
