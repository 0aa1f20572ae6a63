/** The SQL of provisioned e-mail senders and defaults. */
import { noSettings, settled } from '../email/senders/sender-entry.ts';
import {
  fromSettings,
  type SettingsRow,
  settingsColumnNames,
  settingsColumns,
  toSettings,
} from '../email/senders/settings-row.ts';
import { fromEach, oneOf, raw, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { wanted } from './edit-lists.ts';
import type { Edit, EmailDefaultsState, EmailSenderState } from './state.ts';

interface EmailScope {
  readonly companies: readonly string[];
  readonly removedCompanies: readonly string[];
  readonly removedUsers: readonly string[];
  readonly emails: readonly string[];
}

export async function emailDefaultsOf(
  reading: Reading,
  { companies }: EmailScope,
): Promise<readonly EmailDefaultsState[]> {
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

/** Those that the plan names, and those that go with a company or whose payer goes: a company may have many others. */
export async function emailSendersOf(
  reading: Reading,
  { emails, removedCompanies, removedUsers }: EmailScope,
): Promise<readonly EmailSenderState[]> {
  const rows = await reading.all<
    SettingsRow & { email: string; company: string; blocked: number; payinguser: string }
  >(
    sql`SELECT email, companies.name AS company, blocked, username AS payinguser, ${raw(settingsColumnNames)}
        FROM email_senders JOIN companies ON companies.id = email_senders.company_id
        JOIN users ON users.id = paying_user_id
        WHERE email ${oneOf('text', emails)}
          OR email_senders.company_id IN (SELECT id FROM companies WHERE name ${oneOf('text', removedCompanies)})
          OR paying_user_id IN (SELECT id FROM users WHERE username ${oneOf('text', removedUsers)})
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

/** To be called when all users are as they will be, and before companies go. */
export async function writeEmailDefaults(
  transaction: Transaction,
  edits: readonly Edit<EmailDefaultsState>[],
): Promise<void> {
  const gone = edits.flatMap(({ before, after }) => (after === undefined ? (before?.company ?? []) : []));
  if (gone.length > 0) {
    await transaction.run(
      sql`DELETE FROM email_defaults WHERE company_id IN
            (SELECT id FROM companies WHERE name ${oneOf('text', gone)})`,
    );
  }
  await transaction.each(
    defaultsColumns,
    wanted(edits).map((defaults) => [
      defaults.company,
      defaults.payinguser ?? null,
      ...fromSettings(defaults),
    ]),
    sql`INSERT INTO email_defaults (company_id, paying_user_id, ${raw(settingsColumnNames)})
        SELECT (SELECT id FROM companies WHERE name = each.company),
          (SELECT id FROM users WHERE username = each.payinguser), ${eachSetting} ${fromEach} WHERE 1 = 1
        ON CONFLICT (company_id) DO UPDATE SET paying_user_id = excluded.paying_user_id, ${newSettings}`,
  );
}

/** As with the defaults. Nobody has changed a sender since they were compared. */
export async function writeEmailSenders(
  transaction: Transaction,
  edits: readonly Edit<EmailSenderState>[],
): Promise<void> {
  const gone = edits.flatMap(({ before, after }) => (after === undefined ? (before?.email ?? []) : []));
  if (gone.length > 0)
    await transaction.run(sql`DELETE FROM email_senders WHERE email ${oneOf('text', gone)}`);
  await transaction.each(
    senderColumns,
    wanted(edits).map((sender) => [
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
