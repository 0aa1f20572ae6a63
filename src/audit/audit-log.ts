/**
 * The audit log, which records who did what to which object, and when. An entry is written in the same transaction as the
 * act, so neither exists without the other.
 */
import type { Sentence } from '../foundation/sentences.ts';
import type { AgedRows } from '../storage/retention.ts';
import { byDialect, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Columns } from '../storage/storable.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type AuditDetails, bounded, readDetails, storedDetails } from './audit-details.ts';

/** What programs send leaves no entry, because each message says who sent it (docs/decisions/0098). */
export const actsOnMessages = [
  ...['message.read', 'message.cancel', 'message.resend', 'message.reschedule', 'message.export'],
] as const;

/** Company resources also have the usual acts, which are not listed here. */
export const otherActs = [
  ...['message.send', 'batch.make', 'run.start'],
  ...['run.accept', 'run.decline', 'run.escalate', 'run.extend', 'run.tell', 'run.cancel'],
  'run.export',
  ...['job.make', 'job.change', 'job.remove'],
  ...['jobtype.make', 'jobtype.change', 'jobtype.remove'],
  ...['systemuser.make', 'systemuser.change', 'systemuser.remove'],
  ...['session.begin', 'session.end', 'password.set', 'user.link'],
  ...['factor.add', 'factor.remove', 'factor.codes', 'factor.reset'],
  ...['company.change'],
  'company.look',
  ...['user.make', 'user.change', 'user.activate', 'user.deactivate', 'user.remove', 'user.release'],
  ...['email.sender.make', 'email.sender.change', 'email.sender.remove', 'email.sender.export'],
  'email.defaults.change',
  ...['apikey.make', 'apikey.revoke', 'apikey.expire', 'apikey.limit'],
  ...['batch.pause', 'batch.resume', 'batch.abort', 'batch.resendFailed', 'batch.look'],
  ...['addressbook.make', 'addressbook.change', 'addressbook.empty', 'addressbook.remove'],
  ...['contact.make', 'contact.change', 'contact.remove'],
  ...['contacts.import', 'contacts.undoImport', 'contacts.export'],
  ...['group.make', 'group.change', 'group.remove', 'filter.save', 'filter.remove'],
  ...['conversation.look', 'conversation.read', 'conversation.archive', 'conversation.unarchive'],
  ...[
    'conversation.assign',
    'conversation.reply',
    'incoming.assign',
    'incoming.look',
    'receipt.look',
    'carrier.test',
    'number.give',
    'simulator.answer',
  ],
  ...['person.export', 'person.erase', 'person.erased'],
  ...['sending.look', 'sending.cancel', 'sending.reschedule'],
  ...['optout.add', 'optout.remove', 'optout.settle', 'optout.export'],
  ...['alertreceiver.make', 'alertreceiver.change', 'alertreceiver.remove', 'incident.end'],
  ...['webhook.make', 'webhook.change', 'webhook.rotate', 'webhook.remove', 'webhook.look'],
  ...['webhook.test', 'webhook.replay', 'webhook.enable', 'webhook.disable', 'audit.export'],
] as const;

/** The acts on objects of a noun whose declaration lists none. */
export function usualActs(noun: string) {
  return { make: `${noun}.make`, change: `${noun}.change`, remove: `${noun}.remove` } as const;
}

type UsualActs = ReturnType<typeof usualActs>;

export type Act = (typeof actsOnMessages)[number] | (typeof otherActs)[number] | UsualActs[keyof UsualActs];

/** The channel of an act: a program, the portal, an operator's command, or an operator in the portal. */
export const channels = ['api', 'portal', 'command', 'operator'] as const;

export interface Actor {
  readonly channel: (typeof channels)[number];
  /**
   * The user that a command acts as; null when the operator acts as no user. With the channel `operator`, it is the operator's
   * own name, which a user may also have.
   */
  readonly username: string | null;
}

export const operator: Actor = { channel: 'command', username: null };

/** A caller, or the part of it that a verb receives. */
export interface ActingUser {
  readonly username: string;
  /**
   * A portal session, or `operatorSession`. It is required, because an act without a session is recorded as a program's act.
   */
  readonly session: object | undefined;
}

/** Replaces a portal session when an operator acts as the user through a command. */
export const operatorSession = { isOperator: true } as const;

export function isOfPortal<Session extends object>(
  session: Session | undefined,
): session is Exclude<Session, typeof operatorSession> {
  return session !== undefined && !('isOperator' in session);
}

export function byUser({ username, session }: ActingUser): Actor {
  if (isOfPortal(session)) return { channel: 'portal', username };
  return { channel: session === undefined ? 'api' : 'command', username };
}

/** In place of a company's id, for acts that concern no company. No company has this id. */
export const noCompany = 0;

export interface AuditEntry {
  readonly companyId: number;
  readonly at: number;
  readonly by: Actor;
  readonly act: Act;
  /** The object's id or name. */
  readonly object: string;
  readonly details?: AuditDetails | undefined;
}

export async function recordAct(
  transaction: Transaction,
  { companyId, at, by, act, object, details = '' }: AuditEntry,
): Promise<void> {
  // On PostgreSQL a sequence gives concurrent transactions their ids; SQLite has a single writer.
  const id = byDialect({ sqlite: '(SELECT COALESCE(MAX(id), 0) + 1 FROM audit_log)', postgres: 'DEFAULT' });
  await transaction.run(
    sql`INSERT INTO audit_log (id, company_id, at, channel, username, act, object, details)
        VALUES (${id}, ${companyId}, ${at}, ${by.channel}, ${by.username}, ${act}, ${bounded(object)}, ${storedDetails(details)})`,
  );
}

const columns: Columns = {
  place: 'bigint',
  company_id: 'bigint',
  at: 'bigint',
  channel: 'text',
  username: 'text',
  act: 'text',
  object: 'text',
  details: 'text',
};

/** Records all acts of one transaction with a single statement. */
export async function recordActs(transaction: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ companyId, at, by, act, object, details = '' }, index) => [
    ...[index + 1, companyId, at, by.channel, by.username, act, bounded(object), storedDetails(details)],
  ]);
  const [id, nextId] = [
    byDialect({ sqlite: 'id,', postgres: '' }),
    byDialect({ sqlite: '(SELECT COALESCE(MAX(id), 0) FROM audit_log) + place,', postgres: '' }),
  ];
  await transaction.run(
    sql`INSERT INTO audit_log (${id} company_id, at, channel, username, act, object, details)
        SELECT ${nextId} company_id, at, channel, username, act, object, details
        FROM ${rowSet('acts', columns, rows)} ORDER BY place`,
  );
}

export interface AuditRow extends Actor {
  readonly id: number;
  /** The company's name, or the id of a removed company; empty if the act concerns no company. */
  readonly company: string;
  readonly at: number;
  readonly act: Act;
  readonly object: string;
  readonly details: string;
  /** The values of the details, if the server has said them. */
  readonly detailsValues?: Sentence | undefined;
}

export interface AuditPage {
  /** Null means all companies. */
  readonly companyId: number | null;
  /** The last entry of the previous page; null for the first page. */
  readonly before: number | null;
  readonly limit: number;
}

/** For operators: the latest first, in the order in which they were written. */
export const listAudit = readVerb('audit.list', async (reading, { companyId, before, limit }: AuditPage) => {
  const ofCompany = companyId === null ? sql`` : sql`company_id = ${companyId} AND`;
  const rows = await reading.all<AuditRow>(
    sql`SELECT id, COALESCE((SELECT name FROM companies WHERE companies.id = company_id), CASE company_id WHEN ${noCompany} THEN '' ELSE CAST(company_id AS TEXT) END) AS company,
          at, channel, username, act, object, details
        FROM audit_log WHERE ${ofCompany} id < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, ...readDetails(row.details) }));
});

/** Which entries are wanted; undefined means any. */
export interface AuditFilter {
  readonly username?: string | undefined;
  readonly acts?: readonly Act[] | undefined;
  readonly object?: string | undefined;
  /** Milliseconds since the epoch: at `since` or later, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

interface Place {
  readonly at: number;
  readonly id: number;
}

export interface AuditSearch {
  readonly companyId: number;
  readonly filter: AuditFilter;
  /** The `next` of the previous page; null for the first page. */
  readonly behind: Place | null;
  readonly limit: number;
}

export interface FoundAudit {
  readonly rows: readonly FoundEntry[];
  /** The last place that was examined; null if there are no more entries. */
  readonly next: Place | null;
}

export type FoundEntry = Omit<AuditRow, 'company'>;

/** How many entries a page examines if not each of them fits; such a page may have few entries, or none. */
const examined = 1_000;

/**
 * The entries of a company by time, latest first. One index leads to the entries of an object, a user or an act; if the filter
 * has several of these, the others are checked on the entries found.
 */
export const searchAudit = readVerb(
  'audit.search',
  async (reading, search: AuditSearch): Promise<FoundAudit> => {
    const { filter, limit } = search;
    const { username, acts, object } = filter;
    const isByOne = [username, acts, object].filter((one) => one !== undefined).length <= 1;
    const depth = isByOne ? limit + 1 : examined;
    const found = await reading.all<FoundEntry>(
      sql`SELECT id, at, channel, username, act, object, details
          FROM (${entriesReached(search, depth)}) AS found ORDER BY at DESC, id DESC LIMIT ${depth}`,
    );
    const fitting = found.filter(
      (row) =>
        (username === undefined || row.username === username) &&
        (acts === undefined || acts.includes(row.act)),
    );
    const rows = fitting.slice(0, limit);
    const last = fitting.length > limit ? rows.at(-1) : found.length === depth ? found.at(-1) : undefined;
    const read = rows.map((row) => ({ ...row, ...readDetails(row.details) }));
    return { rows: read, next: last === undefined ? null : { at: last.at, id: last.id } };
  },
);

function entriesReached(search: AuditSearch, depth: number): Sql {
  const { username, acts, object } = search.filter;
  if (object !== undefined) return entriesOf(search, depth, ['object', object]);
  if (username !== undefined) return entriesOf(search, depth, ['username', username]);
  if (acts === undefined) return entriesOf(search, depth);
  // Each act has its own range of the index.
  return [...new Set(acts)]
    .map((act) => entriesOf(search, depth, ['act', act]))
    .reduce((all, one) => sql`${all} UNION ALL ${one}`);
}

/**
 * The latest entries with a value in a column. The walk may go on into the entries of the next value, which are then left out:
 * without a lower bound, PostgreSQL follows the order of the index even if it has no statistics.
 */
function entriesOf(
  { companyId, filter: { since = 0, until = Number.MAX_SAFE_INTEGER }, behind }: AuditSearch,
  depth: number,
  key?: readonly [column: string, value: string],
): Sql {
  const end = behind !== null && behind.at < until ? behind : { at: until, id: 0 };
  const [column, value] = key === undefined ? [sql``, sql``] : [raw(`${key[0]},`), sql`${key[1]},`];
  const descending = raw(key === undefined ? '' : `${key[0]} DESC,`);
  const isTheirs = key === undefined ? sql`` : sql`AND ${raw(key[0])} = ${key[1]}`;
  return sql`SELECT * FROM (
      SELECT * FROM audit_log WHERE (company_id, ${column} at, id) < (${companyId}, ${value} ${end.at}, ${end.id})
      ORDER BY company_id DESC, ${descending} at DESC, id DESC LIMIT ${depth}
    ) AS reached WHERE company_id = ${companyId} ${isTheirs} AND at >= ${since}`;
}

export const agedAudit: AgedRows = { table: 'audit_log', key: 'id', time: 'at' };

/**
 * Views of the same object within this time count as one, because a page that refreshes itself reads it again and
 * again.
 */
const sameLookMs = 10 * 60_000;

/** How many users are known to have viewed an object in that time. A single bound keeps the order of the index, as above. */
const maxLooks = 100;

/** Records an act that changes nothing in the store, such as an export, before it is carried out. */
export const noteAct = refusable(
  singleWriteVerb('audit.noteAct', async (transaction, entry: AuditEntry) => {
    await recordAct(transaction, entry);
    return null;
  }),
);

/** Records that a user viewed another user's data. */
export const noteLook = refusable(
  singleWriteVerb('audit.noteLook', async (transaction, look: AuditEntry) => {
    const { companyId, at, by, act, object } = look;
    const alike = raw(by.channel === 'operator' ? '=' : '<>');
    const same = await transaction.first(
      sql`SELECT id FROM (
            SELECT * FROM audit_log WHERE (company_id, act, object, at) > (${companyId}, ${act}, ${object}, ${at - sameLookMs})
            ORDER BY company_id, act, object, at LIMIT ${maxLooks}
          ) AS latest WHERE company_id = ${companyId} AND act = ${act} AND object = ${object} AND username = ${by.username}
            AND channel ${alike} 'operator' LIMIT 1`,
    );
    if (same === undefined) await recordAct(transaction, look);
    return null;
  }),
);

/** A phone number to erase from the log. The act stays, and a digest replaces the number. */
export interface NumberInAudit {
  readonly companyId: number;
  readonly number: string;
  /** The digest that replaces the number. */
  readonly digest: string;
}

/** This many of the last digits are the same with and without the country code. */
const nationalLength = 9;

/** The text may contain the number as someone typed it; in that case the whole text is erased. */
export function withoutNumber(text: string, { number, digest }: Omit<NumberInAudit, 'companyId'>): string {
  if (text.includes(number)) return text.replaceAll(number, digest);
  const typed = text.replace(/[\s().+/-]/g, '');
  return typed.includes(number.slice(-nationalLength)) ? digest : text;
}

/** Continues after an id, in id order. Returns the id that it has reached, or null at the end. */
export async function eraseFromAudit(
  transaction: Transaction,
  about: NumberInAudit,
  afterId: number,
  limit: number,
): Promise<{ readonly erased: number; readonly next: number | null }> {
  const rows = await transaction.all<{ id: number; object: string; details: string }>(
    sql`SELECT id, object, details FROM audit_log WHERE company_id = ${about.companyId} AND id > ${afterId}
        ORDER BY id LIMIT ${limit}`,
  );
  let erased = 0;
  for (const { id, ...entry } of rows) {
    const [object, details] = [withoutNumber(entry.object, about), withoutNumber(entry.details, about)];
    if (object === entry.object && details === entry.details) continue;
    await transaction.run(
      sql`UPDATE audit_log SET object = ${object}, details = ${details} WHERE id = ${id}`,
    );
    erased += 1;
  }
  return { erased, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}
