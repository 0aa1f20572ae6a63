/** How entries of senders, the defaults of companies, and their rules by domain stand in their tables. */
import { companyIds, ofCompany } from '../../accounts/company-records.ts';
import { userIn } from '../../accounts/user-records.ts';
import { RecordTable } from '../../storage/record-table.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import {
  bigint,
  flag,
  optional,
  type StoredField,
  StoredRecord,
  smallint,
  text,
} from '../../storage/stored-record.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import type { SendingSettings, SomeSettings } from './sender-entry.ts';

type Stored<Settings> = { readonly [Name in keyof Settings]: StoredField<Settings[Name]> };

const settings: Stored<SendingSettings> = {
  sender: text,
  costCenter: text,
  defaultCountryCode: text,
  maxSms: smallint,
  checkMobile: flag,
  includeSubject: flag,
  onlyNonDelivery: flag,
  origMsg: flag,
  splitCallback: flag,
  senderLogic: flag,
};

/** The same where there may be none, which is null. */
const someSettings = Object.fromEntries(
  Object.entries<StoredField<unknown>>(settings).map(([name, field]) => [name, optional(field)]),
) as unknown as Stored<SomeSettings>;

// Calls know the company and the user who pays by their ids, provisioning files by their names.

export const storedDefaults = new StoredRecord({
  companyId: bigint,
  payingUserId: optional(bigint),
  ...someSettings,
});

export interface EmailDefaultsRecord extends SomeSettings {
  /** The company's name. */
  readonly company: string;
  /** Its username. */
  readonly payinguser: string | undefined;
}

export const emailDefaultsRecords = new RecordTable<EmailDefaultsRecord>({
  table: 'email_defaults',
  key: ['company'],
  fields: { company: ofCompany, payinguser: userIn('paying_user_id'), ...someSettings },
});

/** What calls and files see alike of an entry, besides its key. */
const entry = { blocked: flag, ...settings } as const;

/** The fields of an entry besides its key and its company. */
export const entryFields = { payingUserId: bigint, ...entry } as const;

export const storedEntry = new StoredRecord({ email: text, companyId: bigint, ...entryFields });

export interface EmailSenderRecord extends SendingSettings {
  readonly email: string;
  /** The company's name. */
  readonly company: string;
  readonly blocked: boolean;
  /** Its username. */
  readonly payinguser: string;
}

export const emailSenderRecords = new RecordTable<EmailSenderRecord>({
  table: 'email_senders',
  key: ['email'],
  fields: { email: text, company: ofCompany, payinguser: userIn('paying_user_id'), ...entry },
});

/** Which sender id the mail of a domain gets, where the entry has `senderLogic`. */
export interface SenderRuleRecord {
  /** The company's name. */
  readonly company: string;
  readonly domain: string;
  readonly sender: string;
}

export const senderRuleRecords = new RecordTable<SenderRuleRecord>({
  table: 'email_sender_rules',
  key: ['company', 'domain'],
  fields: { company: ofCompany, domain: text, sender: text },
});

/** Who pays by default in the companies, by their names, and who pays for the senders: their ids. */
export async function payerIds(
  reading: Reading,
  { companies, emails }: { readonly companies: readonly string[]; readonly emails: readonly string[] },
): Promise<readonly number[]> {
  const ids = [...(await companyIds(reading, companies)).values()];
  const rows = await reading.all<{ id: number | null }>(
    sql`SELECT paying_user_id AS id FROM email_defaults WHERE company_id ${oneOf('bigint', ids)}
        UNION SELECT paying_user_id FROM email_senders WHERE email ${oneOf('text', emails)}`,
  );
  return rows.flatMap(({ id }) => id ?? []);
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
