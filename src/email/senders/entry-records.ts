/**
 * How entries of senders, and the defaults of companies, stand in their tables; and all SQL that reads and writes them
 * whole, as the operator sets them up.
 */
import { companyIds, findCompanies } from '../../accounts/company-records.ts';
import { userIds, usernames } from '../../accounts/user-records.ts';
import { oneOf, raw, sql } from '../../storage/sql.ts';
import { bigint, flag, optional, StoredRecord, smallint, text } from '../../storage/stored-record.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { type SendingSettings, type SomeSettings, settled } from './sender-entry.ts';

/** Null is none. */
const settings = {
  sender: optional(text),
  costCenter: optional(text),
  defaultCountryCode: optional(text),
  maxSms: optional(smallint),
  checkMobile: optional(flag),
  includeSubject: optional(flag),
  onlyNonDelivery: optional(flag),
  origMsg: optional(flag),
  splitCallback: optional(flag),
  senderLogic: optional(flag),
} as const;

export const storedDefaults = new StoredRecord({
  companyId: bigint,
  payingUserId: optional(bigint),
  ...settings,
});

/** Of an entry, besides its key and whose it is. */
export const entryFields = { payingUserId: bigint, blocked: flag, ...settings } as const;

export const storedEntry = new StoredRecord({ email: text, companyId: bigint, ...entryFields });

export interface EmailDefaultsRecord extends SomeSettings {
  /** The company's name. */
  readonly company: string;
  /** Its username. */
  readonly payinguser: string | undefined;
}

export interface EmailSenderRecord extends SendingSettings {
  readonly email: string;
  /** The company's name. */
  readonly company: string;
  readonly blocked: boolean;
  /** Its username. */
  readonly payinguser: string;
}

/** `companies`: their names. */
export async function readEmailDefaults(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly EmailDefaultsRecord[]> {
  const ids = [...(await companyIds(reading, companies)).values()];
  const rows = await reading.all<object>(
    sql`SELECT ${raw(storedDefaults.names())} FROM email_defaults WHERE company_id ${oneOf('bigint', ids)}`,
  );
  const read = rows.map((row) => storedDefaults.read(row));
  const payers = await usernames(
    reading,
    read.flatMap(({ payingUserId }) => payingUserId ?? []),
  );
  const names = await findCompanies(reading, ids);
  return read
    .map(({ companyId, payingUserId, ...settings }) => ({
      company: names.get(companyId)?.name ?? '',
      payinguser: payers.get(payingUserId ?? 0),
      ...settings,
    }))
    .filter(({ company, ...settings }) => Object.values(settings).some((value) => value !== undefined));
}

interface Named {
  readonly emails: readonly string[];
  /** Names of those whose senders are all asked for: a company may have many. */
  readonly companies: readonly string[];
  readonly payers: readonly string[];
}

export async function readEmailSenders(
  reading: Reading,
  { emails, companies, payers }: Named,
): Promise<readonly EmailSenderRecord[]> {
  const ofCompanies = [...(await companyIds(reading, companies)).values()];
  const paidBy = [...(await userIds(reading, payers)).values()];
  const rows = await reading.all<object>(
    sql`SELECT ${raw(storedEntry.names())} FROM email_senders
        WHERE email ${oneOf('text', emails)} OR company_id ${oneOf('bigint', ofCompanies)}
          OR paying_user_id ${oneOf('bigint', paidBy)}
        ORDER BY email`,
  );
  const read = rows.map((row) => storedEntry.read(row));
  const names = await findCompanies(
    reading,
    read.map(({ companyId }) => companyId),
  );
  const users = await usernames(
    reading,
    read.map(({ payingUserId }) => payingUserId),
  );
  return read.map(({ email, companyId, payingUserId, blocked, ...settings }) => ({
    email,
    company: names.get(companyId)?.name ?? '',
    blocked,
    payinguser: users.get(payingUserId) ?? '',
    ...settled(settings),
  }));
}

/** Who pays by default in the companies, by their names, and who pays for the senders: their ids. */
export async function payerIds(
  reading: Reading,
  { companies, emails }: Pick<Named, 'companies' | 'emails'>,
): Promise<readonly number[]> {
  const ids = [...(await companyIds(reading, companies)).values()];
  const rows = await reading.all<{ id: number | null }>(
    sql`SELECT paying_user_id AS id FROM email_defaults WHERE company_id ${oneOf('bigint', ids)}
        UNION SELECT paying_user_id FROM email_senders WHERE email ${oneOf('text', emails)}`,
  );
  return rows.flatMap(({ id }) => id ?? []);
}

interface Paid {
  readonly company: string;
  readonly payinguser: string | undefined;
}

/** Companies and payers are there. */
async function idsFor(transaction: Transaction, records: readonly Paid[]) {
  const companies = await companyIds(
    transaction,
    records.map(({ company }) => company),
  );
  const payers = await userIds(
    transaction,
    records.flatMap(({ payinguser }) => payinguser ?? []),
  );
  return {
    companyOf: ({ company }: Paid) => companies.get(company) as number,
    payerOf: ({ payinguser = '' }: Paid) => payers.get(payinguser),
  };
}

/** Makes them, or changes those that are there. */
export async function putEmailDefaults(
  transaction: Transaction,
  records: readonly EmailDefaultsRecord[],
): Promise<void> {
  const { companyOf, payerOf } = await idsFor(transaction, records);
  await transaction.insert(
    'email_defaults',
    storedDefaults.columns,
    records.map((defaults) =>
      storedDefaults.row({ ...defaults, companyId: companyOf(defaults), payingUserId: payerOf(defaults) }),
    ),
    `ON CONFLICT (company_id) DO UPDATE SET ${storedDefaults.assignments('excluded', ['company_id'])}`,
  );
}

export async function removeEmailDefaults(
  transaction: Transaction,
  records: readonly EmailDefaultsRecord[],
): Promise<void> {
  const { companyOf } = await idsFor(transaction, records);
  await transaction.run(
    sql`DELETE FROM email_defaults WHERE company_id ${oneOf('bigint', records.map(companyOf))}`,
  );
}

/**
 * Nobody sets or unsets an e-mail sender until the end of the transaction: one that is paid for by a user who goes would
 * go too, without a word, and its domain's entry decide in its place. Readers do not wait: mail finds its entry all the
 * while. SQLite has one writer.
 */
export async function lockEmailSenders(transaction: Transaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all(sql`LOCK TABLE email_senders IN SHARE ROW EXCLUSIVE MODE`);
}

/** As with the defaults. Nobody has changed a sender since it was compared. */
export async function putEmailSenders(
  transaction: Transaction,
  senders: readonly EmailSenderRecord[],
): Promise<void> {
  const { companyOf, payerOf } = await idsFor(transaction, senders);
  await transaction.insert(
    'email_senders',
    storedEntry.columns,
    senders.map((sender) =>
      storedEntry.row({ ...sender, companyId: companyOf(sender), payingUserId: payerOf(sender) as number }),
    ),
    `ON CONFLICT (email) DO UPDATE SET ${storedEntry.assignments('excluded', ['email', 'company_id'])}
      WHERE email_senders.company_id = excluded.company_id`,
  );
}

export async function removeEmailSenders(
  transaction: Transaction,
  senders: readonly EmailSenderRecord[],
): Promise<void> {
  const emails = senders.map(({ email }) => email);
  await transaction.run(sql`DELETE FROM email_senders WHERE email ${oneOf('text', emails)}`);
}
