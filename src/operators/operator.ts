/** Operators who sign in to the portal: who makes a call, and how an operator's password is found. */
import { passwordMarkOf } from '../accounts/caller.ts';
import { findOperator, type OperatorRecord } from '../accounts/logins.ts';
import type { PasswordAccounts } from '../accounts/password-authentication.ts';
import type { Actor } from '../audit/audit-log.ts';
import { FactorTables } from '../portal/factor-records.ts';
import type { Store } from '../storage/store.ts';

export interface Operator {
  readonly username: string;
  /** See `passwordMarkOf`. */
  readonly passwordMark: string;
  /** The digest of the session's token; undefined for somebody who has just given the password. */
  readonly session: string | undefined;
  /** When a second factor was last given in the session; undefined for never. */
  readonly factorAt?: number | undefined;
}

export const tablesOfOperators = new FactorTables<string>('operator_', ['username', 'text']);

export function byOperator({ username }: Pick<Operator, 'username'>): Actor {
  return { channel: 'operator', username };
}

export function operatorOf({ username, passwordHash }: OperatorRecord, session?: string): Operator {
  return { username, passwordMark: passwordMarkOf(passwordHash), session };
}

export const operatorAccounts = (store: Store) =>
  ({
    counted: 'operator:',
    find: (username) => store.read(findOperator, username),
    passwordHashOf: ({ passwordHash }) => passwordHash,
    admit: (operator) => operatorOf(operator),
    named: ({ username }) => ({ operator: username }),
    networkOwner: ({ username }) => ({ operator: username }),
  }) satisfies PasswordAccounts<OperatorRecord, Operator>;
