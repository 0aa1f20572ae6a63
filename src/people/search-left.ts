/**
 * The search that proves an erasure: it checks every text that the store keeps for a company for the number in each of its
 * forms (`formsOf`), and changes nothing. What it finds is reported as kept, and the erasure is then not done.
 */
import { companyResources } from '../company-resources.ts';
import { acceptedTexts } from '../messages/sending/accepted-row.ts';
import { hasNoMessage, isUnroutedOf } from '../messages/upkeep/erase-records.ts';
import { byDialect, raw, type Sql, sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';
import { formsOf } from '../wire/phone-number.ts';

/** Kinds of data that may still need or contain an erased number and are left until the erasure's next walk. */
export const keepers = [
  'messages',
  'runs',
  'batches',
  'contacts',
  'imports',
  'jobs',
  'templates',
  'mails',
  'webhooks',
  'answers',
  'optOuts',
  'alerts',
  'settings',
] as const;
export type Keeper = (typeof keepers)[number];

interface SearchedTable {
  readonly keeper: Keeper;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly texts: readonly string[];
  /** The table that contains the ids in the key's first column; null when the row itself says who it belongs to. */
  readonly owner: 'companies' | 'address_books' | 'batches' | 'job_runs' | 'webhook_endpoints' | null;
  /** A column or an expression that says when a row was created or last changed. */
  readonly at: string | Sql | null;
  /**
   * Selects the company's rows if a row itself says who it belongs to; by default, the rows with the company's
   * `company_id`.
   */
  readonly theirs?: (companyId: number) => Sql;
}

const within =
  (owner: SearchedTable['owner']) =>
  (keeper: Keeper, key: string, texts: string, at: SearchedTable['at'] = null): SearchedTable => {
    return { keeper, key: key.split(' '), texts: texts.split(' '), owner, at };
  };
/** A row without a `company_id` has a column that refers to a table with a `company_id`. */
const through = (column: string, table: string) => (companyId: number) =>
  sql`${raw(column)} IN (SELECT id FROM ${raw(table)} WHERE company_id = ${companyId})`;
const ofCompany = within('companies');
const ofBatch = within('batches');
const ofBook = within('address_books');
const ofRun = within('job_runs');
const ofWebhook = within('webhook_endpoints');
const byRow = within(null);

const mailTexts = 'return_address mail_message_id subject mail_references';

/** A resource without its own word among the keepers counts as a setting. */
function ofResources(): Readonly<Record<string, SearchedTable>> {
  const searched = Object.values(companyResources).flatMap(({ declaration: { plural }, tables }) => {
    const keeper = keepers.find((name) => name === plural) ?? 'settings';
    return tables.map(({ name, key, texts }) => {
      return [name, { keeper, key, texts, owner: 'companies', at: null }] as const;
    });
  });
  return Object.fromEntries(searched);
}

export const searchedTables: Readonly<Record<string, SearchedTable>> = {
  messages: ofCompany('messages', 'company_id id', `${acceptedTexts.join(' ')} reason receipt`, 'created_at'),
  message_parts: ofCompany(
    'messages',
    'company_id message_id part',
    'carrier_message_id error_code receipt',
    'changed_at',
  ),
  message_events: ofCompany(
    'messages',
    'company_id message_id seq',
    'carrier_message_id error_code reason receipt',
    'at',
  ),
  message_refusals: ofCompany('messages', 'company_id message_id carrier_id', 'reason', 'refused_at'),
  sendings: ofCompany('messages', 'company_id id', 'name text whom sender', 'created_at'),
  message_log: ofCompany('messages', 'company_id created_at id', 'recipient conversation', 'created_at'),
  incoming_messages: {
    ...byRow('messages', 'id', 'sender recipient text conversation', 'received_at'),
    // An SMS that belongs to nobody is shown to the company that had the number.
    theirs: (companyId) => sql`(company_id = ${companyId} OR ${isUnroutedOf(companyId)})`,
  },
  conversations: byRow('messages', 'id', 'number phone', 'last_at'),
  idempotency_keys: ofCompany(
    'answers',
    'company_id user_id idempotency_key',
    'idempotency_key answer',
    'expires_at - 86400000',
  ),
  number_leases: byRow(
    'runs',
    'recipient number message_id',
    'recipient number conversation unclear_answer',
    // A lease whose message is gone has no reason to be kept, whenever the message was sent.
    sql`CASE WHEN ${hasNoMessage} THEN 0 ELSE starts_at END`,
  ),
  job_answers: byRow('runs', 'id', 'sender recipient text before_text', 'received_at'),
  job_runs: byRow('runs', 'id', 'run'),
  job_people: ofRun('runs', 'run_id place', 'person'),
  job_entries: ofRun('runs', 'run_id place', 'entry'),
  job_events: ofRun('runs', 'run_id name', 'event', 'at'),
  job_mails: {
    ...byRow('runs', 'message_id', 'text reason', 'changed_at'),
    theirs: through('run_id', 'job_runs'),
  },
  saved_jobs: ofCompany('jobs', 'company_id id', 'name content'),
  job_types: ofCompany('jobs', 'company_id name', 'name settings'),
  ...ofResources(),
  batches: ofCompany('batches', 'company_id id', 'reason conversation sender cost_center name', 'created_at'),
  batch_chunks: ofBatch('batches', 'batch_id chunk', 'finished'),
  address_books: byRow('contacts', 'id', 'name'),
  contacts: ofBook('contacts', 'book_id id', 'external_id name phone email app'),
  contact_terms: ofBook('contacts', 'book_id term contact_id', 'term'),
  tags: ofBook('contacts', 'book_id id', 'type value'),
  saved_tag_filters: ofBook('contacts', 'book_id name', 'name filter'),
  contact_groups: ofBook('contacts', 'book_id name', 'name'),
  group_members: ofBook('contacts', 'book_id group_name place', 'group_name number external_id'),
  contact_imports: ofBook('imports', 'book_id id', 'username file_name'),
  contact_import_rows: ofBook('imports', 'book_id import_id contact_id', 'before_json'),
  email_messages: ofCompany('mails', 'company_id message_id', mailTexts, 'received_at'),
  outgoing_mails: byRow('mails', 'message_id', 'content reason', 'queued_at'),
  recent_mails: ofCompany('mails', 'ring slot', 'address sender recipients reason answer', 'received_at'),
  webhook_events: ofWebhook('webhooks', 'endpoint_id seq', 'data', 'queued_at'),
  webhook_attempts: ofWebhook('webhooks', 'endpoint_id number', 'address error answer', 'at'),
  webhook_queues: ofWebhook('webhooks', 'endpoint_id', 'disabled_reason'),
  webhook_endpoints: byRow('webhooks', 'id', 'name url cost_center conversation_prefix'),
  opt_outs: ofCompany('optOuts', 'company_id id', 'phone word proof number added_by', 'since'),
  opt_out_replies: ofCompany('optOuts', 'company_id phone kind', 'phone number conversation', 'asked_at'),
  opt_out_near_misses: ofCompany('optOuts', 'company_id incoming_id', 'phone number text settled_by', 'at'),
  alert_receivers: ofCompany('settings', 'company_id name', 'name settings acknowledge'),
  alerts: ofCompany('alerts', 'company_id receiver_id fingerprint', 'fingerprint alert', 'heard_at'),
  incidents: byRow(
    'alerts',
    'id',
    'receiver title first action message ended_by acknowledged_by reason',
    'opened_at',
  ),
  alert_acknowledgements: byRow('alerts', 'id', 'request result reason', 'created_at'),
  audit_log: byRow('settings', 'id', 'username object details', 'at'),
  companies: ofCompany(
    'settings',
    'id',
    'name default_sender senders send_hours email_domain_endings mail_cut cost_centers',
  ),
  users: byRow('settings', 'id', 'username default_sender senders email'),
  system_users: byRow('settings', 'id', 'username'),
  api_keys: {
    ...byRow('settings', 'id', 'name'),
    theirs: through('user_id', 'users'),
  },
  passkeys: {
    ...byRow('settings', 'id', 'name'),
    theirs: through('user_id', 'users'),
  },
  email_defaults: ofCompany('settings', 'company_id', 'sender cost_center'),
  email_senders: byRow('settings', 'email', 'email sender cost_center'),
  email_sender_rules: ofCompany('settings', 'company_id domain', 'domain sender'),
};

const tableNames = Object.keys(searchedTables);
const usualRowsInStep = 1_000;
/** A row of these tables may be hundreds of kilobytes long, and SQLite writes nothing during a step. */
const rowsOfHeavy: Readonly<Record<string, number>> = {
  idempotency_keys: 20,
  batch_chunks: 5,
  job_runs: 20,
  job_entries: 100,
  saved_jobs: 20,
  outgoing_mails: 50,
  webhook_events: 100,
  webhook_attempts: 100,
};
const rowsInStepOf = (table: string) => rowsOfHeavy[table] ?? usualRowsInStep;
const ownersInStep = 20;

/** A table, the owner of rows in it, and the key of the last row examined. */
export type SearchPlace = readonly (number | string)[];

export interface Sought {
  readonly companyId: number;
  readonly number: string;
  /** Anything later stays. */
  readonly until: number;
}

export interface SearchStep {
  readonly kept: Readonly<Partial<Record<Keeper, number>>>;
  /** Null when everything has been searched. */
  readonly next: SearchPlace | null;
}

/** Searches roughly a fixed number of rows after a place. */
export async function searchLeft(reading: Reading, sought: Sought, place: SearchPlace): Promise<SearchStep> {
  const [table = 0, from = 0, ...key] = place;
  const name = tableNames[Number(table)];
  const searched = searchedTables[name ?? ''];
  if (name === undefined || searched === undefined) return { kept: {}, next: null };
  const rowsInStep = rowsInStepOf(name);
  const forms = formsOf(sought.number);
  const owners = await ownersFrom(reading, searched, sought.companyId, Number(from));
  let [found, seen] = [0, 0];
  const step = (next: SearchPlace): SearchStep => ({ kept: { [searched.keeper]: found }, next });
  for (const owner of owners) {
    const page = pageOf(name, searched, sought, owner, owner === from ? key : []);
    const rows = await reading.all<PageRow>(page);
    found += rows.filter(
      ({ texts }) => texts !== null && forms.some((form) => hasNumber(texts, form)),
    ).length;
    seen += rows.length;
    const last = rows.at(-1);
    const hasMore = rows.length === rowsInStep && (searched.owner === null || last?.key0 === owner);
    if (hasMore && last !== undefined)
      return step([table, owner, ...searched.key.map((_, column) => last[`key${column}`] ?? '')]);
    if (seen >= rowsInStep) return step([table, owner + 1]);
  }
  const last = owners.at(-1);
  return step(owners.length === ownersInStep && last !== undefined ? [table, last + 1] : [Number(table) + 1]);
}

async function ownersFrom(
  reading: Reading,
  { owner }: SearchedTable,
  companyId: number,
  from: number,
): Promise<readonly number[]> {
  if (owner === null) return [from];
  if (owner === 'companies') return from > companyId ? [] : [companyId];
  const rows = await reading.all<{ id: number }>(
    sql`SELECT id FROM ${raw(owner)} WHERE company_id = ${companyId} AND id >= ${from}
        ORDER BY id LIMIT ${raw(String(ownersInStep))}`,
  );
  return rows.map(({ id }) => id);
}

type PageRow = { readonly texts: string | null } & Readonly<Record<`key${number}`, number | string>>;

const positionOf = byDialect({ sqlite: 'instr', postgres: 'strpos' });

/** Rows after a key, in the order of the primary key, with the texts of those that contain the number. */
function pageOf(
  name: string,
  searched: SearchedTable,
  { companyId, number, until }: Sought,
  ownerId: number,
  behind: SearchPlace,
): Sql {
  const { key, texts, owner, at } = searched;
  const all = raw(texts.map((column) => `COALESCE(${column}, '')`).join(" || ' ' || "));
  const hasAnyForm = formsOf(number)
    .map((form) => sql`${positionOf}(${all}, ${form}) > 0`)
    .reduce((any, one) => sql`${any} OR ${one}`);
  const isInTime = at === null ? sql`1 = 1` : sql`${typeof at === 'string' ? raw(at) : at} <= ${until}`;
  return sql`SELECT ${raw(key.map((column, place) => `${column} AS key${place}`).join(', '))},
      CASE WHEN (${hasAnyForm}) AND ${isTheirs(searched, companyId)} AND ${isInTime}
        THEN ${all} END AS texts
    FROM ${raw(name)} WHERE ${isBehind(key, owner, ownerId, behind)}
    ORDER BY ${raw(key.join(', '))} LIMIT ${raw(String(rowsInStepOf(name)))}`;
}

function isTheirs({ key: [first = ''], owner, theirs }: SearchedTable, companyId: number): Sql {
  if (owner === 'companies') return sql`${raw(first)} = ${companyId}`;
  if (owner !== null) return sql`1 = 1`;
  return theirs?.(companyId) ?? sql`company_id = ${companyId}`;
}

/**
 * A page for one company continues into the rows of the next company: without an upper bound, PostgreSQL follows the
 * order of the index even if it has no statistics.
 */
function isBehind(
  key: readonly string[],
  owner: SearchedTable['owner'],
  ownerId: number,
  behind: SearchPlace,
): Sql {
  const [first = '', ...rest] = key;
  if (owner === null && behind.length === 0) return sql`${raw(first)} > ${first === 'id' ? 0 : ''}`;
  if (owner === 'companies' && behind.length === 0) return sql`${raw(first)} >= ${ownerId}`;
  if (owner === null || owner === 'companies') return sql`(${raw(key.join(', '))}) > (${listOf(behind)})`;
  const isOwned = sql`${raw(first)} = ${ownerId}`;
  if (behind.length === 0) return isOwned;
  return sql`${isOwned} AND (${raw(rest.join(', '))}) > (${listOf(behind.slice(1))})`;
}

function listOf([first = '', ...others]: SearchPlace): Sql {
  return others.length === 0 ? sql`${first}` : sql`${first}, ${listOf(others)}`;
}

const isDigit = (sign: string | undefined) => sign !== undefined && sign >= '0' && sign <= '9';

/** Whether a text contains the number as such: possibly with a leading `00`, but not as part of a longer number. */
export function hasNumber(text: string, number: string): boolean {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1)) {
    const start = text.startsWith('00', at - 2) && at >= 2 ? at - 2 : at;
    if (!isDigit(text[start - 1]) && !isDigit(text[at + number.length])) return true;
  }
  return false;
}
