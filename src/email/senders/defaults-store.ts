/** The SQL about what a company sets for all of its e-mail senders: its defaults, and the endings of their domains. */
import type { FieldError } from '../../foundation/errors.ts';
import { differ, fromEach, raw, sql } from '../../storage/sql.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  type Transaction,
  writeVerb,
} from '../../storage/verb.ts';
import { lockAccounts, lockUser, noLock, payerNamed } from './payer-store.ts';
import { faultOfPayer, faultOfSplitCallback } from './paying-user.ts';
import { changedSettings, type EmailDefaults, noSettings, type SettingsChange } from './sender-entry.ts';
import {
  fromSettings,
  type SettingsRow,
  settingsColumnNames,
  settingsColumns,
  toSettings,
} from './settings-row.ts';

/** Why a call changed nothing. */
export type SenderRefusal =
  | { readonly kind: 'companyGone' }
  | { readonly kind: 'belongsToAnother' }
  | { readonly kind: 'tooManyEntries' }
  | { readonly kind: 'refused'; readonly fault: FieldError }
  | { readonly kind: 'domainRefused'; readonly fault: FieldError; readonly endings: readonly string[] };

const lockDefaults = sql`${differ({ sqlite: '', postgres: 'FOR UPDATE OF email_defaults' })}`;

/** Undefined when there is no such company any more. */
export async function endingsOf(reading: Reading, companyId: number): Promise<readonly string[] | undefined> {
  const row = await reading.first<{ email_domain_endings: string | null }>(
    sql`SELECT email_domain_endings FROM companies WHERE id = ${companyId}`,
  );
  return row && (JSON.parse(row.email_domain_endings ?? '[]') as string[]);
}

export const readEndings = readVerb('email.readEndings', (reading, companyId: number) =>
  endingsOf(reading, companyId),
);

interface DefaultsRow extends SettingsRow {
  readonly paying_user_id: number | null;
  readonly username: string | null;
}

export async function defaultsOf(reading: Reading, companyId: number, lock = noLock): Promise<EmailDefaults> {
  const row = await reading.first<DefaultsRow>(
    sql`SELECT paying_user_id, username, ${raw(settingsColumnNames)}
        FROM email_defaults LEFT JOIN users ON users.id = paying_user_id
        WHERE email_defaults.company_id = ${companyId} ${lock}`,
  );
  if (row === undefined) return { payingUser: undefined, settings: noSettings };
  const { paying_user_id: id, username } = row;
  return {
    payingUser: id === null || username === null ? undefined : { id, username },
    settings: toSettings(row),
  };
}

export interface DefaultsChange {
  readonly companyId: number;
  /** As given; null: cleared; undefined: as it is. */
  readonly payingUser: string | null | undefined;
  readonly settings: SettingsChange;
}

export type DefaultsChanged =
  | { readonly kind: 'changed'; readonly defaults: EmailDefaults; readonly endings: readonly string[] }
  | SenderRefusal;

export const changeDefaults = refusable(
  writeVerb('email.changeDefaults', async (transaction, inputs: readonly DefaultsChange[]) => {
    await lockAccounts(transaction, inputs);
    return inOrderOf(
      inputs,
      ({ companyId }) => companyId,
      (input) => change(transaction, input),
    );
  }),
);

async function change(transaction: Transaction, input: DefaultsChange): Promise<DefaultsChanged> {
  const { companyId, payingUser, settings } = input;
  const named =
    typeof payingUser === 'string' ? await payerNamed(transaction, payingUser, lockUser) : undefined;
  const endings = await endingsOf(transaction, companyId);
  if (endings === undefined) return { kind: 'companyGone' };
  if (typeof payingUser === 'string') {
    const fault = faultOfPayer(named, { name: payingUser, isDefault: false, companyId });
    if (fault !== undefined) return { kind: 'refused', fault };
  }
  // A row to lock, so that two calls at once each find what the other has set.
  await transaction.run(
    sql`INSERT INTO email_defaults (company_id) VALUES (${companyId}) ON CONFLICT (company_id) DO NOTHING`,
  );
  const before = await defaultsOf(transaction, companyId, lockDefaults);
  const defaults = {
    payingUser:
      payingUser === undefined ? before.payingUser : named && { id: named.id, username: named.username },
    settings: changedSettings(before.settings, settings),
  };
  const payer =
    defaults.payingUser && (named ?? (await payerNamed(transaction, String(defaults.payingUser.id), noLock)));
  const isJudged = payingUser !== undefined || settings.splitCallback !== undefined;
  const fault =
    isJudged && payer && faultOfSplitCallback(payer, defaults.settings.splitCallback === true, false);
  if (fault) return { kind: 'refused', fault };
  const row = [companyId, defaults.payingUser?.id ?? null, ...fromSettings(defaults.settings)];
  await transaction.each(defaultsColumns, [row], updateDefaults);
  return { kind: 'changed', defaults, endings };
}

const defaultsColumns = { company_id: 'bigint', paying_user_id: 'bigint', ...settingsColumns } as const;

const updateDefaults = sql`
  UPDATE email_defaults SET
    ${raw(
      Object.keys(defaultsColumns)
        .slice(1)
        .map((name) => `${name} = each.${name}`)
        .join(', '),
    )} ${fromEach} WHERE email_defaults.company_id = each.company_id`;
