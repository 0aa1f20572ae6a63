/** Users as the operator has set them up: all SQL that reads and writes whole user rows. */
import { fault, type Result, success } from '../foundation/result.ts';
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
  type StoredField,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Category } from '../wire/category.ts';
import { companyIds } from './company-records.ts';
import { retireIds } from './retired-ids.ts';
import { isRole, type Role } from './role.ts';
import { storedLimits } from './sending-limits.ts';

export const storedUser = new StoredRecord({
  /** Undefined until allocated. */
  id: optional(bigint),
  /** Unique in the whole service. It is the user's identity, so a renamed user is a different user. */
  username: text,
  /** Argon2 in the PHC format; undefined for a user who authenticates by API key only. */
  passwordHash: optional(text),
  roles: json<readonly Role[]>(),
  active: flag,
  /** SMS parts that the user may send in total; undefined means that only the company's limit applies. */
  quotaParts: optional(bigint),
  limits: storedLimits,
  defaultSender: optional(text),
  /** The only senders that the user may use; undefined allows any. */
  senders: optional(json<readonly string[]>()),
  replaceCharacters: flag,
  /** The maximum number of recipients of a batch; undefined means the general limit. */
  maxBatch: optional(integer),
  /** Whether receipts and replies may be returned by mail. */
  smtpSplit: flag,
  /** The address for e-mails about sign-ins, in normalised form. */
  email: optional(text),
  /** The category of messages in calls that give none; undefined means the standard one. */
  category: optional(text as StoredField<Category>),
});

export interface UserRecord extends Kept<typeof storedUser> {
  /** The company's name. */
  readonly company: string;
}

/** Roles added by a later version are left out. */
export function toUser(row: object, company: string, prefix = ''): UserRecord {
  const user = storedUser.read(row, prefix);
  return { ...user, roles: user.roles.filter(isRole), company };
}

interface Named {
  readonly usernames: readonly string[];
  readonly ids: readonly number[];
  /** Names of companies whose users are all included. */
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

/** Lookups by name and by id. */
export const { ids: userIds, names: usernames } = namingOf('users', 'username');

/** A field of a record that names a user. */
export function userIn(column: string): NamedField {
  return { column, ids: userIds, names: usernames };
}

/** Which of the names are users of the company. */
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

/** The maximum number of users that calls and sign-ins can create in a company; an operator's file may contain more. */
export const maxUsersOfCompany = 10_000;

export async function isFullOfUsers(reading: Reading, companyId: number): Promise<boolean> {
  const last = raw(String(maxUsersOfCompany - 1));
  const one = await reading.first(
    sql`SELECT id FROM users WHERE company_id = ${companyId} LIMIT 1 OFFSET ${last}`,
  );
  return one !== undefined;
}

/** A user without roles, limits, or a password. */
export function newUser(username: string, company: string): UserRecord {
  return {
    id: undefined,
    username,
    company,
    passwordHash: undefined,
    roles: [],
    active: true,
    quotaParts: undefined,
    limits: undefined,
    defaultSender: undefined,
    senders: undefined,
    replaceCharacters: false,
    maxBatch: undefined,
    smtpSplit: false,
    email: undefined,
    category: undefined,
  };
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

/** As with companies, the used part of the quota is kept. */
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

export const maxUsernameLength = 200;

/**
 * A colon would end the user name in Basic credentials (RFC 7617, section 2); control characters and lone surrogates
 * can't be stored on both engines.
 */
const usernamePattern = new RegExp(`^[^:\\p{Cc}\\p{Cs}]{1,${maxUsernameLength}}$`, 'u');

export function isUsername(text: string): boolean {
  return usernamePattern.test(text);
}

/** The rule for a new name: nobody sees spaces at its ends. */
export function newUsername(given: string): Result<string> {
  const isRight = isUsername(given) && given.trim() === given;
  return isRight ? success(given) : fault('invalid_value', { sentence: 'username_form' });
}
