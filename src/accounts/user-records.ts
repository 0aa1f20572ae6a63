/** Users as the operator has set them up: all SQL that reads and writes their rows whole. */
import { fillIds } from '../storage/ids.ts';
import { type NamedField, namingOf } from '../storage/record-table.ts';
import { oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import {
  bigint,
  flag,
  integer,
  json,
  type Kept,
  optional,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { companyIds } from './company-records.ts';
import { retireIds } from './retired-ids.ts';
import { isRole, type Role } from './role.ts';
import { storedLimits } from './sending-limits.ts';

export const storedUser = new StoredRecord({
  /** Undefined: still to be drawn. */
  id: optional(bigint),
  /** Unique in the whole service. It is the user's identity: a renamed user is another user. */
  username: text,
  /** Argon2 in the PHC form; undefined for a user who gets in by API key only. */
  passwordHash: optional(text),
  roles: json<readonly Role[]>(),
  active: flag,
  /** SMS parts that the user may send in all; undefined is no limit but the company's. */
  quotaParts: optional(bigint),
  limits: storedLimits,
  defaultSender: optional(text),
  /** The only senders the user may send from; undefined is any. */
  senders: optional(json<readonly string[]>()),
  replaceCharacters: flag,
  /** How many recipients a batch may have; undefined is as many as anybody's. */
  maxBatch: optional(integer),
  /** Receipts and answers may go back by mail. */
  smtpSplit: flag,
  /** Where the user hears of sign-ins; in the one form of an address. */
  email: optional(text),
});

export interface UserRecord extends Kept<typeof storedUser> {
  /** The company's name. */
  readonly company: string;
}

/** Roles of a later version are left out. */
export function toUser(row: object, company: string, prefix = ''): UserRecord {
  const user = storedUser.read(row, prefix);
  return { ...user, roles: user.roles.filter(isRole), company };
}

interface Named {
  readonly usernames: readonly string[];
  readonly ids: readonly number[];
  /** Names of those whose users are all asked for. */
  readonly companies: readonly string[];
}

export async function readUsers(
  reading: Reading,
  { usernames, ids, companies }: Named,
): Promise<readonly UserRecord[]> {
  const rows = await reading.all<{ readonly company: string }>(
    sql`SELECT ${raw(storedUser.names('users'))}, companies.name AS company FROM users JOIN companies ON companies.id = users.company_id
        WHERE username ${oneOf('text', usernames)} OR users.id ${oneOf('bigint', ids)}
          OR companies.name ${oneOf('text', companies)}
        ORDER BY username`,
  );
  return rows.map((row) => toUser(row, row.company));
}

/** By their names, and by their ids. */
export const { ids: userIds, names: usernames } = namingOf('users', 'username');

/** A user of a record. */
export function userIn(column: string): NamedField {
  return { column, ids: userIds, names: usernames };
}

/** Those of the names that are users of the company. */
export async function namesWithin(
  reading: Reading,
  companyId: number,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reading.all<{ username: string }>(
    sql`SELECT username FROM users WHERE username ${oneOf('text', [...new Set(names)])} AND company_id = ${companyId}`,
  );
  return new Set(rows.map(({ username }) => username));
}

export async function createUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const ids = await companyIds(
    transaction,
    users.map(({ company }) => company),
  );
  const filled = await fillIds(transaction, 'user', users);
  const rows = filled.map((user) => [...storedUser.row(user), ids.get(user.company) ?? null]);
  await transaction.insert('users', { ...storedUser.columns, company_id: 'bigint' }, rows);
}

/** As with companies, what is used of the quota stays. */
export async function updateUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const rows = users.map((user) => storedUser.row(user));
  await transaction.run(
    sql`UPDATE users SET ${raw(storedUser.assignments('edited', ['id', 'username']))}
        FROM ${rowSet('edited', storedUser.columns, rows)} WHERE users.id = edited.id`,
  );
}

export async function removeUsers(transaction: Transaction, users: readonly UserRecord[]): Promise<void> {
  if (users.length === 0) return;
  const usernames = users.map(({ username }) => username);
  await transaction.run(sql`DELETE FROM users WHERE username ${oneOf('text', usernames)}`);
  await retireIds(
    transaction,
    'user',
    users.map(({ id, username }) => ({ id, name: username })),
  );
}

/** The name of a login account. */

export const maxUsernameLength = 200;

/**
 * A colon would end the user name in Basic credentials (RFC 7617, section 2); control characters and lone surrogates
 * can't be stored on both engines.
 */
const usernamePattern = new RegExp(`^[^:\\p{Cc}\\p{Cs}]{1,${maxUsernameLength}}$`, 'u');

export function isUsername(text: string): boolean {
  return usernamePattern.test(text);
}
