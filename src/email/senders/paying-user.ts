/** The account that pays for the SMS of a sender, and which users may pay (API: email-to-SMS, /set rule 2). */
import {
  type Account,
  findAccount,
  findAccounts,
  keepAccounts,
  type NamedUser,
} from '../../accounts/account.ts';
import type { Role } from '../../accounts/role.ts';
import { type FieldError, faultOfField } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import { inEnglish, type Sentence, storedReason } from '../../foundation/sentences.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import type { EmailDefaults, PayingUser, SomeSettings } from './sender-entry.ts';

/** The user data relevant to paying. */
export interface Payer extends PayingUser {
  readonly companyId: number;
  /** Implies that the company is active too. */
  readonly active: boolean;
  readonly roles: readonly Role[];
  /** The profile setting SMTPSPLIT: receipts and answers may go back by mail. */
  readonly smtpSplit: boolean;
}

export function payerOf({ user, company }: Account): Payer {
  const { id, username, roles, smtpSplit } = user;
  return { id, username, companyId: company.id, active: user.active && company.active, roles, smtpSplit };
}

export async function payersById(
  reading: Reading,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Payer>> {
  const accounts = await findAccounts(reading, ids);
  return new Map(accounts.map((account) => [account.user.id, payerOf(account)]));
}

/** Digits are an id, everything else a user name; digits beyond the largest id match no user. */
export function namedUser(text: string): NamedUser {
  if (!/^[0-9]+$/.test(text)) return { username: text };
  const id = Number(text);
  return { id: Number.isSafeInteger(id) ? id : 0 };
}

/** `name` is the id in digits, or the user name. */
export async function payerNamed(
  reading: Reading,
  name: string,
  options?: Parameters<typeof findAccount>[2],
): Promise<Payer | undefined> {
  const account = await findAccount(reading, namedUser(name), options);
  return account && payerOf(account);
}

/** Why a user can't pay now. */
export type PayerProblem = 'inactive' | 'lacksSend';

export function payerProblem({ active, roles }: Pick<Payer, 'active' | 'roles'>): PayerProblem | undefined {
  if (!active) return 'inactive';
  return roles.includes('send') ? undefined : 'lacksSend';
}

/** Completes a sentence about the user; undefined if the user may pay. Remaining quota is checked only when SMS are sent. */
export function unfitness(user: Pick<Payer, 'active' | 'roles'>): string | undefined {
  const unfit = unfitnessOf(user);
  return unfit && inEnglish(unfit);
}

function unfitnessOf(user: Pick<Payer, 'active' | 'roles'>): Sentence | undefined {
  const problem = payerProblem(user);
  if (problem === 'inactive') return { sentence: 'payer_inactive' };
  return problem && { sentence: 'payer_without_role' };
}

interface PayerChoice {
  /** The name as entered, or the user name of the company's default. */
  readonly name: string;
  readonly isDefault: boolean;
  readonly companyId: number;
}

/** A user of another company is reported as unknown, just like one that does not exist. */
export function faultOfPayer(payer: Payer | undefined, choice: PayerChoice): FieldError | undefined {
  const { name, isDefault, companyId } = choice;
  const unfit: Sentence | undefined =
    payer?.companyId === companyId ? unfitnessOf(payer) : { sentence: 'payer_unknown' };
  if (unfit === undefined) return undefined;
  const sentence = isDefault ? 'default_payer_unfit' : 'payer_unfit';
  const said = { sentence, user: quoted(name), why: storedReason(unfit) } as const;
  return faultOfField('payinguser', 'invalid_paying_user', said);
}

export function faultOfSplitCallback(
  payer: Payer,
  splitCallback: boolean,
  isDefault: boolean,
): FieldError | undefined {
  if (!splitCallback || payer.smtpSplit) return undefined;
  const sentence = isDefault ? 'default_split' : 'payer_without_split';
  return faultOfField('splitCallback', 'smtp_split_missing', { sentence, user: payer.username });
}

export const noPayingUser = faultOfField('payinguser', 'missing_parameter', { sentence: 'no_paying_user' });

interface PaymentInput {
  readonly companyId: number;
  /** The user as entered; undefined for the company's default. */
  readonly payingUser: string | undefined;
  readonly settings: Pick<SomeSettings, 'splitCallback'>;
}

/** Checks whether the user may pay for an entry with these settings, and the company's defaults for the rest. */
export function faultOfPaying(
  payer: Payer | undefined,
  { companyId, payingUser, settings }: PaymentInput,
  defaults: EmailDefaults,
): FieldError | undefined {
  const name = payingUser ?? defaults.payingUser?.username;
  if (name === undefined) return noPayingUser;
  const fault = faultOfPayer(payer, { name, isDefault: payingUser === undefined, companyId });
  if (payer === undefined || fault !== undefined) return fault;
  const { splitCallback } = settings;
  const isSplit = splitCallback ?? defaults.settings.splitCallback ?? false;
  return faultOfSplitCallback(payer, isSplit, splitCallback === undefined);
}

interface Payment {
  readonly companyId: number;
  /** The user as entered; null for none; undefined for the company's default. */
  readonly payingUser: string | null | undefined;
}

/** Prevents what a set of inputs refers to from being removed until they are committed. */
export async function keepPayers(transaction: Transaction, payments: readonly Payment[]): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  const companyIds = [...new Set(payments.map(({ companyId }) => companyId))];
  const defaults = await transaction.all<{ id: number }>(
    sql`SELECT paying_user_id AS id FROM email_defaults
        WHERE company_id ${oneOf('bigint', companyIds)} AND paying_user_id IS NOT NULL`,
  );
  const named = payments.flatMap(({ payingUser }) => (payingUser ? namedUser(payingUser) : []));
  await keepAccounts(transaction, [...named, ...defaults], companyIds);
}
