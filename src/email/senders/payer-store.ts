/** The users who pay for SMS by e-mail, as the transactions that store entries find and keep them. */
import { findAccount, keepAccounts } from '../../accounts/account.ts';
import { oneOf, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { namedUser, type Payer, payerOf } from './paying-user.ts';

interface Payment {
  readonly companyId: number;
  /** As given; null for none; undefined for the company's default. */
  readonly payingUser: string | null | undefined;
}

/** Keeps what a set of inputs refers to from being removed until they are committed. */
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

/** By its id in digits, else by its user name. */
export async function payerNamed(
  reading: Reading,
  name: string,
  options?: Parameters<typeof findAccount>[2],
): Promise<Payer | undefined> {
  const account = await findAccount(reading, namedUser(name), options);
  return account && payerOf(account);
}
