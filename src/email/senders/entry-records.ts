/** The table records of sender entries, company defaults, and rules by domain. */
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

/** The same fields, but nullable. */
const someSettings = Object.fromEntries(
  Object.entries<StoredField<unknown>>(settings).map(([name, field]) => [name, optional(field)]),
) as unknown as Stored<SomeSettings>;

// Calls identify the company and the paying user by id, provisioning files by name.

export const storedDefaults = new StoredRecord({
  companyId: bigint,
  payingUserId: optional(bigint),
  ...someSettings,
});

export interface EmailDefaultsRecord extends SomeSettings {
  /** The company's name. */
  readonly company: string;
  /** The user name of the payer. */
  readonly payinguser: string | undefined;
}

export const emailDefaultsRecords = new RecordTable<EmailDefaultsRecord>({
  table: 'email_defaults',
  key: ['company'],
  fields: { company: ofCompany, payinguser: userIn('paying_user_id'), ...someSettings },
});

/** The fields of an entry, besides its key, that calls and files share. */
const entry = { blocked: flag, ...settings } as const;

/** The fields of an entry besides its key and its company. */
export const entryFields = { payingUserId: bigint, ...entry } as const;

export const storedEntry = new StoredRecord({ email: text, companyId: bigint, ...entryFields });

export interface EmailSenderRecord extends SendingSettings {
  readonly email: string;
  /** The company's name. */
  readonly company: string;
  readonly blocked: boolean;
  /** The user name of the payer. */
  readonly payinguser: string;
}

export const emailSenderRecords = new RecordTable<EmailSenderRecord>({
  table: 'email_senders',
  key: ['email'],
  fields: { email: text, company: ofCompany, payinguser: userIn('paying_user_id'), ...entry },
});

/** The sender id for e-mails from a domain, if the entry has `senderLogic`. */
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

/** The ids of the payers in these companies' defaults and in these senders' entries. */
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
 * Blocks setting and unsetting of e-mail senders until the end of the transaction: an entry whose paying user is
 * removed would silently be removed too, and its domain's entry would decide instead. Readers do not wait, so mail
 * still finds its entry. SQLite has one writer.
 */
export async function lockEmailSenders(transaction: Transaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all(sql`LOCK TABLE email_senders IN SHARE ROW EXCLUSIVE MODE`);
}
