/** E-mail senders, and defaults of companies, as the operator sets them up: all SQL that reads and writes them whole. */

import { fromEach, oneOf, raw, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { noSettings, type SendingSettings, type SomeSettings, settled } from './sender-entry.ts';
import {
  fromSettings,
  type SettingsRow,
  settingsColumnNames,
  settingsColumns,
  toSettings,
} from './settings-row.ts';

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
  const rows = await reading.all<SettingsRow & { company: string; payinguser: string | null }>(
    sql`SELECT companies.name AS company, username AS payinguser, ${raw(settingsColumnNames)}
        FROM email_defaults JOIN companies ON companies.id = email_defaults.company_id
        LEFT JOIN users ON users.id = paying_user_id
        WHERE companies.name ${oneOf('text', companies)} ORDER BY company`,
  );
  return rows
    .map((row) => ({
      company: row.company,
      payinguser: row.payinguser ?? undefined,
      ...noSettings,
      ...toSettings(row),
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
  const rows = await reading.all<
    SettingsRow & { email: string; company: string; blocked: number; payinguser: string }
  >(
    sql`SELECT email, companies.name AS company, blocked, username AS payinguser, ${raw(settingsColumnNames)}
        FROM email_senders JOIN companies ON companies.id = email_senders.company_id
        JOIN users ON users.id = paying_user_id
        WHERE email ${oneOf('text', emails)}
          OR email_senders.company_id IN (SELECT id FROM companies WHERE name ${oneOf('text', companies)})
          OR paying_user_id IN (SELECT id FROM users WHERE username ${oneOf('text', payers)})
        ORDER BY email`,
  );
  return rows.map((row) => ({
    email: row.email,
    company: row.company,
    blocked: row.blocked === 1,
    payinguser: row.payinguser,
    ...settled(toSettings(row)),
  }));
}

const defaultsColumns = { company: 'text', payinguser: 'text', ...settingsColumns } as const;
const senderColumns = {
  email: 'text',
  company: 'text',
  payinguser: 'text',
  blocked: 'smallint',
  ...settingsColumns,
} as const;

const settingNames = Object.keys(settingsColumns);
const eachSetting = raw(settingNames.map((name) => `each.${name}`).join(', '));
const newSettings = raw(settingNames.map((name) => `${name} = excluded.${name}`).join(', '));

/** Who pays by default in the companies, by their names, and who pays for the senders: their ids. */
export async function payerIds(
  reading: Reading,
  { companies, emails }: Pick<Named, 'companies' | 'emails'>,
): Promise<readonly number[]> {
  const rows = await reading.all<{ id: number | null }>(
    sql`SELECT paying_user_id AS id FROM email_defaults
        WHERE company_id IN (SELECT id FROM companies WHERE name ${oneOf('text', companies)})
        UNION SELECT paying_user_id FROM email_senders WHERE email ${oneOf('text', emails)}`,
  );
  return rows.flatMap(({ id }) => id ?? []);
}

/** Makes them, or changes those that are there. Companies and payers are there. */
export async function putEmailDefaults(
  transaction: Transaction,
  records: readonly EmailDefaultsRecord[],
): Promise<void> {
  await transaction.each(
    defaultsColumns,
    records.map((defaults) => [defaults.company, defaults.payinguser ?? null, ...fromSettings(defaults)]),
    sql`INSERT INTO email_defaults (company_id, paying_user_id, ${raw(settingsColumnNames)})
        SELECT (SELECT id FROM companies WHERE name = each.company),
          (SELECT id FROM users WHERE username = each.payinguser), ${eachSetting} ${fromEach} WHERE 1 = 1
        ON CONFLICT (company_id) DO UPDATE SET paying_user_id = excluded.paying_user_id, ${newSettings}`,
  );
}

export async function removeEmailDefaults(
  transaction: Transaction,
  records: readonly EmailDefaultsRecord[],
): Promise<void> {
  const companies = records.map(({ company }) => company);
  await transaction.run(
    sql`DELETE FROM email_defaults WHERE company_id IN
          (SELECT id FROM companies WHERE name ${oneOf('text', companies)})`,
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
  await transaction.each(
    senderColumns,
    senders.map((sender) => [
      sender.email,
      sender.company,
      sender.payinguser,
      Number(sender.blocked),
      ...fromSettings(sender),
    ]),
    sql`INSERT INTO email_senders (email, company_id, paying_user_id, blocked, ${raw(settingsColumnNames)})
        SELECT each.email, (SELECT id FROM companies WHERE name = each.company),
          (SELECT id FROM users WHERE username = each.payinguser), each.blocked, ${eachSetting} ${fromEach} WHERE 1 = 1
        ON CONFLICT (email) DO UPDATE SET paying_user_id = excluded.paying_user_id, blocked = excluded.blocked,
          ${newSettings} WHERE email_senders.company_id = excluded.company_id`,
  );
}

export async function removeEmailSenders(
  transaction: Transaction,
  senders: readonly EmailSenderRecord[],
): Promise<void> {
  const emails = senders.map(({ email }) => email);
  await transaction.run(sql`DELETE FROM email_senders WHERE email ${oneOf('text', emails)}`);
}
