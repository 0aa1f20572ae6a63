/**
 * Copies changes from the journal to the queues of the endpoints that ask for them, and moves the reader past them, in one
 * transaction: at least once, without a gap, and numbered consecutively.
 */
import { batchCode, describeBatchCode } from '../../batches/batch.ts';
import type { Advanced } from '../../changes/change-reader.ts';
import { type JournalPage, takePage } from '../../changes/held-reader.ts';
import { changeKind } from '../../changes/journal.ts';
import { statusNames } from '../../messages/message.ts';
import { optOutCategories } from '../../opt-outs/opt-out.ts';
import { byDialect, type Fragment, literal, oneOf, raw, type Sql, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { codeOf, type EventType } from '../endpoint.ts';
import { webhookReader } from '../endpoint-records.ts';
import { type Fields, type JournalType, journalData } from '../event-data.ts';
import { countMissed } from './queue-job-events.ts';

interface QueueInput {
  readonly nodeId: number;
  /** Reads no further than this place of the journal. */
  readonly to: number;
  readonly now: number;
  readonly limit: number;
}

interface Queued {
  readonly advanced: Advanced | 'notHeld';
  /** Endpoints that may have new events. */
  readonly endpointIds: readonly number[];
}

interface LockedQueue {
  readonly endpoint_id: number;
  readonly disabled_at: number | null;
  readonly calls_until: number | null;
}

interface QueuedPage extends JournalPage {
  /** Whether a company of the page has callback URLs. */
  readonly hasCalls: boolean;
}

export const queueChanges = singleWriteVerb(
  'webhooks.queueChanges',
  async (transaction, { nodeId, to, now, limit }: QueueInput): Promise<Queued> => {
    let endpointIds: readonly number[] = [];
    const taking = { name: webhookReader, nodeId, to, limit };
    const advanced = await takePage(transaction, taking, async (range) => {
      const queues = await lockQueues(transaction, range);
      const page = { ...range, hasCalls: queues.some(({ calls_until }) => calls_until !== null) };
      endpointIds = idsOf(queues.filter(({ disabled_at }) => disabled_at === null));
      const disabledIds = idsOf(queues.filter(({ disabled_at }) => disabled_at !== null));
      if (endpointIds.length > 0) await queuePage(transaction, page, endpointIds, now);
      if (disabledIds.length > 0) await missPage(transaction, page, disabledIds);
    });
    return { advanced, endpointIds };
  },
  ({ limit }) => limit,
);

/** Locks the queues that the page may concern, in the order of their ids as everywhere, so no two transactions deadlock. */
async function lockQueues(
  transaction: Transaction,
  { from, to }: JournalPage,
): Promise<readonly LockedQueue[]> {
  const companies = await transaction.all<{ company_id: number }>(
    sql`SELECT DISTINCT company_id FROM changes WHERE place > ${from} AND place <= ${to}`,
  );
  const companyIds = companies.map(({ company_id }) => company_id);
  return transaction.all<LockedQueue>(
    sql`SELECT endpoint_id, disabled_at, calls_until
        FROM webhook_endpoints JOIN webhook_queues ON webhook_queues.endpoint_id = webhook_endpoints.id
        WHERE active = 1 AND system_user_id IS NULL AND company_id ${oneOf('bigint', companyIds)}
        ORDER BY endpoint_id ${byDialect({ sqlite: '', postgres: 'FOR UPDATE OF webhook_queues' })}`,
  );
}

function idsOf(queues: readonly LockedQueue[]): readonly number[] {
  return queues.map(({ endpoint_id }) => endpoint_id);
}

async function queuePage(
  transaction: Transaction,
  page: QueuedPage,
  endpointIds: readonly number[],
  now: number,
): Promise<void> {
  await transaction.run(
    sql`INSERT INTO webhook_events (endpoint_id, seq, subject_id, type, at, queued_at, data)
        SELECT webhook_queues.endpoint_id,
          webhook_queues.last_seq + ROW_NUMBER() OVER (PARTITION BY webhook_queues.endpoint_id ORDER BY found.place),
          found.subject_id, found.type, found.at, CAST(${now} AS BIGINT), found.data
        FROM (${foundIn(page)}) AS found JOIN webhook_queues ON webhook_queues.endpoint_id = found.endpoint_id
        WHERE webhook_queues.endpoint_id ${oneOf('bigint', endpointIds)}`,
  );
  await transaction.run(
    sql`UPDATE webhook_queues SET last_seq = COALESCE((SELECT MAX(seq) FROM webhook_events
          WHERE webhook_events.endpoint_id = webhook_queues.endpoint_id AND seq > webhook_queues.last_seq), last_seq)
        WHERE endpoint_id ${oneOf('bigint', endpointIds)}`,
  );
}

/** Counts the events that would have been queued for disabled endpoints. */
async function missPage(
  transaction: Transaction,
  page: QueuedPage,
  endpointIds: readonly number[],
): Promise<void> {
  const rows = await transaction.all<{ endpoint_id: number; events: number }>(
    sql`SELECT endpoint_id, COUNT(*) AS events FROM (${foundIn(page)}) AS found
        WHERE endpoint_id ${oneOf('bigint', endpointIds)} GROUP BY endpoint_id`,
  );
  await countMissed(
    transaction,
    rows.map(({ endpoint_id, events }) => [endpoint_id, events]),
  );
}

function foundIn(page: QueuedPage): Sql {
  const ofOptOuts = sql`${ofOptedOut(page)} UNION ALL ${bySms('contact.opted_out', changeKind.optedOutBySms, optedOutBySmsData, page)}
    UNION ALL ${bySms('contact.opted_in', changeKind.optedIn, optedInData, page)}`;
  const ofCalls = page.hasCalls ? sql` UNION ALL ${ofCallbackUrls(page)}` : sql``;
  return sql`${ofMessages(page)}${ofCalls} UNION ALL ${ofIncoming(page)} UNION ALL ${ofBatches(page)} UNION ALL ${ofOptOuts}`;
}

/** Selects changes of one kind, each once for each of the company's endpoints that asks for such events. */
function changesFor(
  type: EventType,
  kind: number,
  data: Sql,
  at: string,
  { from, to }: JournalPage,
  join: Sql,
  condition: Sql = sql``,
): Sql {
  const code = codeOf(type);
  return sql`SELECT webhook_endpoints.id AS endpoint_id, changes.place, changes.subject_id,
      ${literal(code)} AS type, ${raw(at)} AS at, ${data} AS data
    FROM changes JOIN webhook_endpoints ON webhook_endpoints.company_id = changes.company_id
      AND webhook_endpoints.system_user_id IS NULL AND webhook_endpoints.events & ${literal(1 << code)} <> 0
    ${join}
    WHERE changes.place > ${from} AND changes.place <= ${to} AND changes.kind = ${literal(kind)} ${condition}`;
}

const isOwn = (column: string) =>
  raw(`(webhook_endpoints.user_id IS NULL OR webhook_endpoints.user_id = ${column})`);

const isOfBatch = (column: string) =>
  raw(`(webhook_endpoints.batch_id IS NULL OR webhook_endpoints.batch_id = ${column})`);

const isOfCostCenter = (column: string) =>
  raw(`(webhook_endpoints.cost_center IS NULL OR webhook_endpoints.cost_center = ${column})`);

const hasPrefix = (column: string) =>
  raw(`(webhook_endpoints.conversation_prefix IS NULL
    OR substr(${column}, 1, length(webhook_endpoints.conversation_prefix)) = webhook_endpoints.conversation_prefix)`);

/**
 * Callback URLs have a part of the statement to themselves. Without statistics, PostgreSQL takes a second `IS NULL` for so rare
 * that it begins with the webhooks, and reads the same changes for each.
 */
const isForNoCall = raw('CASE WHEN webhook_endpoints.calls_until IS NULL THEN 0 ELSE 1 END <> 1');

function ofMessages(page: JournalPage): Sql {
  return changesFor(
    'message.status',
    changeKind.message,
    messageData,
    'changes.changed_at',
    page,
    sql`AND ${isForNoCall} AND (webhook_endpoints.statuses >> changes.status) & 1 = 1
      JOIN messages ON messages.company_id = changes.company_id AND messages.id = changes.subject_id
        AND ${isOwn('messages.user_id')} AND ${isOfBatch('messages.batch_id')}
        AND ${isOfCostCenter('messages.cost_center')} AND ${hasPrefix('messages.conversation')}`,
  );
}

/** Not by company, since most endpoints of a company concern other calls. */
function ofCallbackUrls({ from, to }: JournalPage): Sql {
  return sql`SELECT webhook_endpoints.id AS endpoint_id, changes.place, changes.subject_id,
      ${literal(codeOf('message.status'))} AS type, changes.changed_at AS at, ${messageData} AS data
    FROM changes JOIN messages ON messages.company_id = changes.company_id AND messages.id = changes.subject_id
    JOIN webhook_endpoints ON webhook_endpoints.id = messages.callback_id
      AND webhook_endpoints.user_id = messages.user_id AND (webhook_endpoints.statuses >> changes.status) & 1 = 1
    WHERE changes.place > ${from} AND changes.place <= ${to} AND changes.kind = ${literal(changeKind.message)}`;
}

function ofIncoming(page: JournalPage): Sql {
  return changesFor(
    'message.incoming',
    changeKind.incoming,
    incomingData,
    'changes.changed_at',
    page,
    // Cost centre and batch are those of the message that the SMS answers. An SMS that answers no message has neither.
    sql`JOIN incoming_messages ON incoming_messages.id = changes.subject_id
        AND ${isOwn('incoming_messages.user_id')} AND ${hasPrefix('incoming_messages.conversation')}
      LEFT JOIN messages ON messages.company_id = changes.company_id
        AND messages.id = incoming_messages.response_to_id`,
    sql`AND ${isOfBatch('messages.batch_id')} AND ${isOfCostCenter('messages.cost_center')}`,
  );
}

function ofBatches(page: JournalPage): Sql {
  return changesFor(
    'batch.status',
    changeKind.batch,
    batchData,
    'changes.changed_at',
    page,
    sql`JOIN batches ON batches.company_id = changes.company_id AND batches.id = changes.subject_id
        AND ${isOwn('batches.user_id')} AND ${isOfBatch('batches.id')}
        AND ${isOfCostCenter('batches.cost_center')} AND ${hasPrefix('batches.conversation')}`,
  );
}

/** An opt-out is the whole company's, so webhooks of single users do not hear of it. */
const isOfCompany = sql`AND webhook_endpoints.user_id IS NULL`;

function ofOptedOut(page: JournalPage): Sql {
  return changesFor(
    'contact.opted_out',
    changeKind.optedOut,
    optedOutData,
    'changes.changed_at',
    page,
    // The number of a person who has been erased meanwhile is gone.
    sql`JOIN opt_outs ON opt_outs.company_id = changes.company_id AND opt_outs.id = changes.subject_id
        AND opt_outs.erased = 0`,
    isOfCompany,
  );
}

/** The SMS that opted out or in is an incoming one, or was one in a conversation with a job. */
function bySms(type: EventType, kind: number, data: Sql, page: JournalPage): Sql {
  return changesFor(
    type,
    kind,
    data,
    'changes.changed_at',
    page,
    sql`LEFT JOIN incoming_messages ON incoming_messages.id = changes.subject_id
      LEFT JOIN job_answers ON job_answers.id = changes.subject_id`,
    // That of an erased person is empty.
    sql`${isOfCompany} AND COALESCE(incoming_messages.sender, job_answers.sender, '') <> ''`,
  );
}

/**
 * The store itself assembles an event's JSON data, because moving the rows here and back would take several times as long.
 * Names and forms are those of the API. This function writes a text as JSON.
 */
function json(column: string): Fragment {
  return byDialect({ sqlite: `json_quote(${column})`, postgres: `CAST(to_json(${column}) AS TEXT)` });
}

/** Selects the text for a code from our own texts. */
function named(column: string, names: readonly (readonly [number, string])[]): string {
  const cases = names.map(([code, name]) => `WHEN ${code} THEN '${name}'`).join(' ');
  return `CASE ${column} ${cases} ELSE '' END`;
}

/** Writes the data of an event: its declared fields, each from an SQL expression. */
function dataOf<Type extends JournalType>(
  type: Type,
  from: Readonly<Record<keyof (typeof journalData)[Type], string>>,
): Sql {
  const columns: Readonly<Record<string, string>> = from;
  const fields = Object.entries<Fields[string]>(journalData[type]);
  return fields
    .map(([name, { form, only }], place) => {
      const lead = `'${place === 0 ? '{' : ','}"${name}":`;
      const column = columns[name] as string;
      const written =
        form === 'text'
          ? sql`${raw(`${lead}' || `)}${json(column)}`
          : raw(form === 'integer' ? `${lead}' || ${column}` : `${lead}"' || ${column} || '"'`);
      if (only === undefined) return written;
      return only === 'ifAny'
        ? sql`COALESCE(${written}, '')`
        : sql`CASE webhook_endpoints.full_text WHEN 1 THEN ${written} ELSE '' END`;
    })
    .reduceRight<Sql>((after, field) => sql`${field} || ${after}`, sql`'}'`);
}

/** The status is that of the change, which may not be the latest. */
const messageData = dataOf('message.status', {
  id: 'messages.id',
  status: named(
    'changes.status',
    statusNames.map((name, code) => [code, name] as const),
  ),
  statuscode: 'changes.status',
  to: 'messages.recipient',
  from: 'messages.sender',
  conversation: 'messages.conversation',
  costcenter: 'messages.cost_center',
  batchid: 'messages.batch_id',
  time: 'changes.changed_at',
  message: 'messages.text',
});

const incomingData = dataOf('message.incoming', {
  id: 'incoming_messages.id',
  from: 'incoming_messages.sender',
  to: 'incoming_messages.recipient',
  conversation: 'incoming_messages.conversation',
  resptoid: 'incoming_messages.response_to_id',
  time: 'incoming_messages.received_at',
  message: 'incoming_messages.text',
});

const batchData = dataOf('batch.status', {
  batchid: 'batches.id',
  batchstatuscode: 'changes.status',
  batchstatusdescription: named(
    'changes.status',
    Object.values(batchCode).map((code) => [code, describeBatchCode(code)] as const),
  ),
  batchconversation: 'batches.conversation',
  time: 'changes.changed_at',
});

const optedOutData = dataOf('contact.opted_out', {
  number: 'opt_outs.phone',
  category: named(
    'opt_outs.category',
    optOutCategories.map((name, code) => [code, name] as const),
  ),
  to: 'opt_outs.number',
  id: 'opt_outs.incoming_id',
  time: 'changes.changed_at',
});

const ofSms = {
  number: 'COALESCE(incoming_messages.sender, job_answers.sender)',
  to: 'COALESCE(incoming_messages.recipient, job_answers.recipient)',
  id: 'changes.subject_id',
  time: 'changes.changed_at',
};
/** STOP is of all categories. */
const optedOutBySmsData = dataOf('contact.opted_out', { ...ofSms, category: "'all'" });
const optedInData = dataOf('contact.opted_in', ofSms);
