/** Webhooks and callbacks as the management API shows them, with how far each has come. */
import { findCompany } from '../../accounts/company-records.ts';
import { readSetKeys } from '../../accounts/set-keys.ts';
import type { Visibility } from '../../accounts/visibility.ts';
import { oneOf, type Sql, sql } from '../../storage/sql.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import {
  disabledReasons,
  type EventType,
  eventTypes,
  itemsOf,
  type WebhookFilter,
  webhookKeyOf,
} from '../endpoint.ts';
import { filterOf } from '../endpoint-records.ts';

export interface VisibleWebhook {
  readonly id: number;
  readonly name: string;
  /** Of the user whose it is; null: of the company. */
  readonly username: string | null;
  readonly userId: number | null;
  /** Of the system user whose callback it is; null: a webhook. */
  readonly systemUserId: number | null;
  readonly url: string;
  /** How many it has. */
  readonly secrets: number;
  readonly events: readonly EventType[];
  readonly filter: WebhookFilter;
  readonly batch: number;
  readonly fullText: number;
  readonly active: number;
  readonly version: number;
  readonly lastSeq: number;
  readonly doneSeq: number;
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
  readonly lost: number;
  readonly replayNext: number | null;
  readonly replayTo: number | null;
  /** Those that a provisioning file has set (PORT-6). */
  readonly managedKeys: readonly string[];
}

interface WebhookRow extends Omit<VisibleWebhook, 'secrets' | 'events' | 'filter' | 'managedKeys'> {
  readonly secrets: string;
  readonly events: number;
  readonly statuses: number;
  readonly cost_center: string | null;
  readonly conversation_prefix: string | null;
  readonly batch_id: number | null;
}

interface WebhookPage {
  readonly visible: Visibility;
  /** Only those whose receivers do not take what is posted. */
  readonly failing: boolean;
  /** Ids above it. */
  readonly after: number;
  readonly limit: number;
}

const { gone, failures } = disabledReasons;

/** Nothing is wrong with one that people have disabled. */
const isFailing = sql`webhook_endpoints.active = 1 AND CASE WHEN disabled_at IS NULL THEN failing_since IS NOT NULL
  ELSE disabled_reason ${oneOf('text', [gone, failures])} END`;

/** In the order of their ids. */
export const listVisibleWebhooks = readVerb(
  'webhooks.listVisible',
  (reading, { visible, failing, after, limit }: WebhookPage): Promise<readonly VisibleWebhook[]> =>
    webhooksIn(
      reading,
      visible,
      sql`AND webhook_endpoints.id > ${after} ${failing ? sql`AND ${isFailing}` : sql``}
        ORDER BY webhook_endpoints.id LIMIT ${limit}`,
    ),
);

/** Null: there is none that is visible. */
export const findVisibleWebhook = readVerb(
  'webhooks.findVisible',
  async (
    reading,
    { visible, id }: { readonly visible: Visibility; readonly id: number },
  ): Promise<VisibleWebhook | null> => {
    const [found] = await webhooksIn(reading, visible, sql`AND webhook_endpoints.id = ${id}`);
    return found ?? null;
  },
);

/** Secrets are sealed by it. */
export const findCompanyName = readVerb(
  'webhooks.findCompanyName',
  async (reading, companyId: number): Promise<string> => (await findCompany(reading, companyId))?.name ?? '',
);

/** Callbacks are those of the company. */
async function webhooksIn(
  reading: Reading,
  { companyId, userId }: Visibility,
  more: Sql,
): Promise<readonly VisibleWebhook[]> {
  const rows = await reading.all<WebhookRow>(
    sql`SELECT webhook_endpoints.id, webhook_endpoints.name, users.username, user_id AS "userId",
          system_user_id AS "systemUserId", url, secrets, events, statuses, cost_center, conversation_prefix, batch_id,
          batch, full_text AS "fullText", webhook_endpoints.active, version, last_seq AS "lastSeq",
          done_seq AS "doneSeq", failing_since AS "failingSince", disabled_at AS "disabledAt",
          disabled_reason AS "disabledReason", lost, replay_next AS "replayNext", replay_to AS "replayTo"
        FROM webhook_endpoints JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        LEFT JOIN users ON users.id = webhook_endpoints.user_id
        WHERE webhook_endpoints.company_id = ${companyId}
          ${userId === null ? sql`` : sql`AND user_id = ${userId}`} ${more}`,
  );
  const managedKeys = await managedKeysOf(reading, companyId, rows);
  return rows.map((row) => ({
    ...row,
    secrets: (JSON.parse(row.secrets) as string[]).length,
    events: itemsOf(eventTypes, row.events),
    filter: filterOf(row),
    managedKeys: managedKeys.get(row.id) ?? [],
  }));
}

/** What provisioning has set, which knows webhooks by keys of its own. */
async function managedKeysOf(
  reading: Reading,
  companyId: number,
  rows: readonly WebhookRow[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (rows.length === 0) return new Map();
  const company = (await findCompany(reading, companyId))?.name ?? '';
  const keyOf = ({ name }: WebhookRow) => webhookKeyOf({ company, id: name });
  const set = await readSetKeys(reading, 'webhooks', rows.map(keyOf));
  return new Map(
    rows.map((row) => [
      row.id,
      row.systemUserId === null
        ? [...new Set(set.flatMap(({ object, keys }) => (object === keyOf(row) ? keys : [])))]
        : [],
    ]),
  );
}

/** Posts that wait to be tried again, and those that were given up, among the latest thousand. */
export const countRetries = readVerb('webhooks.countRetries', async (reading, endpointId: number) => {
  const row = await reading.first<{ all: number; waiting: number }>(
    sql`SELECT COUNT(*) AS "all", COUNT(due_at) AS waiting FROM
          (SELECT due_at FROM webhook_retries WHERE endpoint_id = ${endpointId} ORDER BY first_seq DESC LIMIT 1000) AS latest`,
  );
  const { all = 0, waiting = 0 } = row ?? {};
  return { waiting, givenUp: all - waiting };
});
