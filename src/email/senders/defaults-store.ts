/** The SQL about what a company sets for all of its e-mail senders: its defaults, and the endings of their domains. */
import { findCompany } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import type { FieldError } from '../../foundation/errors.ts';
import { byDialect, fromEach, raw, sql } from '../../storage/sql.ts';
import {
  inOrderOf,
  type Reading,
  readVerb,
  refusable,
  type Transaction,
  writeVerb,
} from '../../storage/verb.ts';
import { keepPayers, payerNamed } from './payer-store.ts';
import { faultOfPayer, faultOfSplitCallback } from './paying-user.ts';
import { type Acting, recordSenderAct } from './record-act.ts';
import { changedSettings, type EmailDefaults, noSettings, type SettingsChange } from './sender-entry.ts';
import { storedDefaults } from './stored-entries.ts';

/** Why a call changed nothing. */
export type SenderRefusal =
  | { readonly kind: 'companyGone' }
  | { readonly kind: 'belongsToAnother' }
  | { readonly kind: 'tooManyEntries' }
  | { readonly kind: 'refused'; readonly fault: FieldError }
  | { readonly kind: 'domainRefused'; readonly fault: FieldError; readonly endings: readonly string[] };

const lockDefaults = sql`${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`;
const noLock = sql``;

/** Undefined when there is no such company any more. */
export async function endingsOf(reading: Reading, companyId: number): Promise<readonly string[] | undefined> {
  return (await findCompany(reading, companyId))?.allowedDomainEndings;
}

export const readEndings = readVerb('email.readEndings', (reading, companyId: number) =>
  endingsOf(reading, companyId),
);

export async function defaultsOf(reading: Reading, companyId: number, lock = noLock): Promise<EmailDefaults> {
  const row = await reading.first<object>(
    sql`SELECT ${raw(storedDefaults.names())} FROM email_defaults WHERE company_id = ${companyId} ${lock}`,
  );
  if (row === undefined) return { payingUser: undefined, settings: noSettings };
  const { companyId: _, payingUserId: id, ...settings } = storedDefaults.read(row);
  const username = id === undefined ? undefined : (await usernames(reading, [id])).get(id);
  return { payingUser: id === undefined || username === undefined ? undefined : { id, username }, settings };
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

interface DefaultsToSet extends DefaultsChange {
  readonly by: Acting;
}

export const changeDefaults = refusable(
  writeVerb('email.changeDefaults', async (transaction, inputs: readonly DefaultsToSet[]) => {
    await keepPayers(transaction, inputs);
    return inOrderOf(
      inputs,
      ({ companyId }) => companyId,
      async (input) => {
        const changed = await changeOne(transaction, input);
        if (changed.kind === 'changed' && saysAnything(input))
          await recordSenderAct(transaction, input.by, 'email.defaults.change', 'defaults');
        return changed;
      },
    );
  }),
);

/** A call without anything only asks what the defaults are. */
function saysAnything({ payingUser, settings }: DefaultsChange): boolean {
  return [payingUser, ...Object.values(settings)].some((value) => value !== undefined);
}

/** Whoever pays is kept (`keepPayers`). */
export async function changeOne(transaction: Transaction, input: DefaultsChange): Promise<DefaultsChanged> {
  const { companyId, payingUser, settings } = input;
  const named =
    typeof payingUser === 'string' ? await payerNamed(transaction, payingUser, { isKept: true }) : undefined;
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
    defaults.payingUser && (named ?? (await payerNamed(transaction, String(defaults.payingUser.id))));
  const isJudged = payingUser !== undefined || settings.splitCallback !== undefined;
  const fault =
    isJudged && payer && faultOfSplitCallback(payer, defaults.settings.splitCallback === true, false);
  if (fault) return { kind: 'refused', fault };
  const payingUserId = defaults.payingUser?.id;
  const row = storedDefaults.row({ companyId, payingUserId, ...defaults.settings });
  await transaction.each(storedDefaults.columns, [row], updateDefaults);
  return { kind: 'changed', defaults, endings };
}

const updateDefaults = sql`UPDATE email_defaults SET ${raw(storedDefaults.assignments('each', ['company_id']))}
  ${fromEach} WHERE email_defaults.company_id = each.company_id`;
