/** Companies as the operator has set them up: all SQL that reads and writes whole company rows. */
import { fillIds } from '../storage/ids.ts';
import { type NamedField, namingOf } from '../storage/record-table.ts';
import { forNoKeyUpdate, forUpdate, oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import {
  bigint,
  flag,
  inColumn,
  json,
  type Kept,
  optional,
  type StoredField,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { OptOutPolicy } from '../wire/category.ts';
import { retireIds } from './retired-ids.ts';
import { dailyLimit, storedLimits } from './sending-limits.ts';
import { lockOutFiles } from './set-keys.ts';

/** The languages in which people of a company can receive mail. */
export const companyLanguages = ['en', 'sv'] as const;
export type CompanyLanguage = (typeof companyLanguages)[number];

/** Who of a company must sign in with a second factor. */
export const factorRules = ['optional', 'administrators', 'everyone'] as const;
export type FactorRule = (typeof factorRules)[number];

export interface CostCenter {
  /** As calls give it. */
  readonly code: string;
  readonly name: string;
}

/** A company is read by most calls, so the list is short. */
export const maxCostCenters = 100;
export const maxCostCenterCode = 100;
export const maxCostCenterName = 100;

/**
 * The list as it is kept: a code stands in it once and has no semicolon, so that people can write an entry as one line. Returns
 * the code of an entry at fault otherwise.
 */
export function keptCostCenters(given: readonly CostCenter[]): readonly CostCenter[] | string {
  const list = given.map(({ code, name }) => ({ code: code.trim(), name: name.trim() }));
  const codes = list.map(({ code }) => code);
  const wrong = list.find(
    ({ code, name }, place) =>
      code === '' ||
      name === '' ||
      /[;\p{Cc}]/u.test(code) ||
      /\p{Cc}/u.test(name) ||
      codes.indexOf(code) < place,
  );
  return wrong?.code ?? list;
}

const storedEndings: StoredField<readonly string[]> = {
  columns: () => ({ email_domain_endings: 'text' }),
  read: ([endings]) => JSON.parse((endings as string | null) ?? '[]') as string[],
  write: (endings) => [JSON.stringify(endings)],
};

/** Companies, which pay for the messages of their users. */
export const storedCompany = new StoredRecord({
  /** Undefined until allocated. */
  id: optional(bigint),
  name: text,
  /** Users of an inactive company can't log in. */
  active: flag,
  /** SMS parts that the company may send in total; undefined means no limit. */
  quotaParts: optional(bigint),
  limits: storedLimits,
  /** Job e-mails per day (UTC); if undefined, see `mailsADay`. */
  mailsPerDay: optional(bigint),
  /** For users without a default sender of their own. */
  defaultSender: optional(text),
  /** The only senders that its users may use, closed to all other companies; undefined allows any. */
  senders: optional(json<readonly string[]>()),
  /** Stored as JSON, with the same names as in batches; see `zonedHours`. */
  sendHours: optional(text),
  allowedDomainEndings: storedEndings,
  /** Beginnings of lines that mail gateways add and that are not part of an SMS. */
  mailCut: optional(json<readonly string[]>()),
  /** Undefined means English. */
  language: optional(text as StoredField<CompanyLanguage>),
  /** Replaces a single leading zero of phone numbers in calls that give no code. */
  countryCode: optional(text),
  /** A name from the IANA time zone database; undefined means UTC. */
  timeZone: optional(text),
  /** Names for cost centres that calls give; others may be given as well. */
  costCenters: optional(json<readonly CostCenter[]>()),
  /** Users with an address get an e-mail when they sign in from a network that is new to them. */
  signInMails: flag,
  /** Undefined means `optional`. */
  secondFactor: optional(text as StoredField<Exclude<FactorRule, 'optional'>>),
  /** Undefined means `off`. */
  optOuts: optional(text as StoredField<Exclude<OptOutPolicy, 'off'>>),
});

export type CompanyRecord = Kept<typeof storedCompany>;

/**
 * Without a mail limit, the limit is the company's SMS parts per day or in total, whichever is lower; Infinity means no
 * limit.
 */
export function mailsADay({ mailsPerDay, limits, quotaParts }: CompanyRecord): number {
  return mailsPerDay ?? Math.min((limits && dailyLimit(limits)) ?? Infinity, quotaParts ?? Infinity);
}

/** The send hours, as JSON, as they are evaluated: hours without a zone of their own are those of the company's zone. */
export function zonedHours({
  sendHours,
  timeZone,
}: Pick<CompanyRecord, 'sendHours' | 'timeZone'>): string | undefined {
  return sendHours && JSON.stringify({ zone: timeZone ?? 'UTC', ...(JSON.parse(sendHours) as object) });
}

export async function readCompanies(reading: Reading): Promise<readonly CompanyRecord[]> {
  return storedCompany.all(reading)`FROM companies`;
}

export async function hasCompanies(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT id FROM companies LIMIT 1`)) !== undefined;
}

const optOutPolicies = new StoredRecord({
  companyId: inColumn('id', bigint),
  optOuts: text as StoredField<OptOutPolicy>,
});

/** The policies of all companies that do not ignore opt-outs. */
export async function optOutsOfAll(reading: Reading): Promise<readonly Kept<typeof optOutPolicies>[]> {
  return optOutPolicies.all(reading)`FROM companies WHERE opt_outs IS NOT NULL ORDER BY id`;
}

const companyHours = new StoredRecord({
  companyId: inColumn('id', bigint),
  sendHours: text,
  timeZone: optional(text),
});

/** The hours, as `zonedHours` returns them, of the companies that have any. */
export async function sendHoursOfAll(
  reading: Reading,
): Promise<readonly { readonly companyId: number; readonly sendHours: string }[]> {
  const rows = await companyHours.all(reading)`FROM companies WHERE send_hours IS NOT NULL ORDER BY id`;
  return rows.map((row) => ({ companyId: row.companyId, sendHours: zonedHours(row) as string }));
}

const listedSenders = new StoredRecord({
  companyId: inColumn('id', bigint),
  senders: json<readonly string[]>(),
});

export type ListedSenders = Kept<typeof listedSenders>;

/** The sender lists of all companies that have one. */
export async function listedSendersOfAll(reading: Reading): Promise<readonly ListedSenders[]> {
  return listedSenders.all(reading)`FROM companies WHERE senders IS NOT NULL ORDER BY id`;
}

/** Lookups by name and by id. */
export const { ids: companyIds, names: companyNames } = namingOf('companies', 'name');

export const ofCompany: NamedField = { column: 'company_id', ids: companyIds, names: companyNames };

/** Looks companies up by id; removed ones are absent from the result. */
export async function findCompanies(
  reading: Reading,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CompanyRecord>> {
  if (ids.length === 0) return new Map();
  const found = await storedCompany.all(reading)`
    FROM companies WHERE id ${oneOf('bigint', [...new Set(ids)])}`;
  return new Map(found.map((company) => [company.id as number, company]));
}

export async function findCompany(reading: Reading, id: number): Promise<CompanyRecord | undefined> {
  return (await findCompanies(reading, [id])).get(id);
}

const rowOf = (company: CompanyRecord) => storedCompany.row(company);

export async function createCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  const filled = await fillIds(transaction, 'company', companies);
  await transaction.insert('companies', storedCompany.columns, filled.map(rowOf));
}

/** The used part of the quota is kept; the record sets only how much is granted. */
export async function updateCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  await transaction.run(
    sql`UPDATE companies SET ${raw(storedCompany.assignments('edited', ['id', 'name']))}
        FROM ${rowSet('edited', storedCompany.columns, companies.map(rowOf))} WHERE companies.id = edited.id`,
  );
}

export async function removeCompanies(
  transaction: Transaction,
  companies: readonly CompanyRecord[],
): Promise<void> {
  if (companies.length === 0) return;
  const names = companies.map(({ name }) => name);
  await transaction.run(sql`DELETE FROM companies WHERE name ${oneOf('text', names)}`);
  await retireIds(transaction, 'company', companies);
}

interface Leaving {
  /** Company names. */
  readonly companies: readonly string[];
  readonly usernames: readonly string[];
}

/**
 * Rows that refer to a user or company being removed are committed before the lock is taken, so later statements see them;
 * rows written later find the user or company gone. Users are locked before companies, as everywhere. SQLite has a single
 * writer.
 */
export async function lockLeaving(
  transaction: Transaction,
  { companies, usernames }: Leaving,
): Promise<void> {
  if (companies.length + usernames.length === 0) return;
  const leaving = sql`SELECT id FROM companies WHERE name ${oneOf('text', companies)}`;
  await transaction.all(
    sql`SELECT id FROM users WHERE username ${oneOf('text', usernames)} OR company_id IN (${leaving})
        ORDER BY id ${forUpdate}`,
  );
  await transaction.all(sql`${leaving} ORDER BY id ${forUpdate}`);
}

/**
 * Administrators of a company, and files, which set the same records, take turns. Returns false if the company is gone.
 */
export async function waitForTurn(transaction: Transaction, companyId: number): Promise<boolean> {
  await lockOutFiles(transaction);
  const company = await transaction.first(
    sql`SELECT id FROM companies WHERE id = ${companyId} ${forNoKeyUpdate}`,
  );
  return company !== undefined;
}
