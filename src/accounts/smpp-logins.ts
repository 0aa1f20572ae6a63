/** The logins with which users' programs bind at the SMPP server, each with a password of its own. */
import { randomInt } from 'node:crypto';
import { operator, recordAct } from '../audit/audit-log.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import { raiseNews } from '../storage/news.ts';
import { oneOf, raw, sql } from '../storage/sql.ts';
import { integer, json, optional, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Account, accountColumns, findAccount, toAccount } from './account.ts';
import { lockOutFiles } from './set-keys.ts';
import { userIds } from './user-records.ts';

export interface SmppLogin {
  /** Unique in the whole service. */
  readonly systemId: string;
  /** Empty until there is a password. */
  readonly passwordHash: string;
  /** How many connections may be bound at a time, on all nodes together. */
  readonly binds: number;
  /** How many requests each side of a bind may leave unanswered. */
  readonly window: number;
  /** Messages a second that a node takes from the user; 0 means no limit of its own. */
  readonly throughput: number;
  /** The networks that may bind; undefined allows any. */
  readonly networks: readonly string[] | undefined;
}

export const standardBinds = 2;
export const standardWindow = 100;
export const greatestBinds = 50;
export const greatestWindow = 1_000;
export const greatestThroughput = 10_000;
export const maxLoginNetworks = 100;

/** SMPP 3.4 5.2.1 and 5.2.2, without the octet that ends the text. */
export const maxSystemIdLength = 15;
export const maxSmppPasswordLength = 8;
/** Guessing is bounded to some two thousand attempts a day, which makes this enough. */
const minSmppPasswordLength = 6;

/** Visible ASCII, as far as it may stand in a user name, by which attempts are counted. */
export function systemId(written: string): Result<string> {
  const isRight = /^[!-9;-~]+$/.test(written) && written.length <= maxSystemIdLength;
  return isRight
    ? success(written)
    : fault('invalid_value', { sentence: 'system_id_form', most: maxSystemIdLength });
}

/** Undefined when nothing is wrong; otherwise the end of a sentence about the password. */
export function smppPasswordFault(password: string): string | undefined {
  const { length } = password;
  const fits = length >= minSmppPasswordLength && length <= maxSmppPasswordLength;
  if (fits && /^[!-~]+$/.test(password)) return undefined;
  return `must have ${minSmppPasswordLength} to ${maxSmppPasswordLength} ASCII characters without spaces: SMPP has room for no more`;
}

/** Letters and digits that nobody takes for one another. */
const passwordSigns = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function newSmppPassword(): string {
  const sign = () => passwordSigns[randomInt(passwordSigns.length)];
  return Array.from({ length: maxSmppPasswordLength }, sign).join('');
}

const stored = new StoredRecord({
  systemId: text,
  passwordHash: text,
  binds: integer,
  windowSize: integer,
  throughput: integer,
  networks: optional(json<readonly string[]>()),
});

function toLogin(row: object, prefix = ''): SmppLogin {
  const { windowSize: window, ...login } = stored.read(row, prefix);
  return { ...login, window };
}

/** The logins of these users, and of whichever users have one of the system ids; by user id. */
export async function readSmppLogins(
  reading: Reading,
  { ids, systemIds }: { readonly ids: readonly number[]; readonly systemIds: readonly string[] },
): Promise<ReadonlyMap<number, SmppLogin>> {
  const rows = await reading.all<{ user_id: number }>(
    sql`SELECT user_id, ${raw(stored.names())} FROM smpp_logins
        WHERE user_id ${oneOf('bigint', ids)} OR system_id ${oneOf('text', systemIds)}`,
  );
  return new Map(rows.map((row) => [row.user_id, toLogin(row)]));
}

interface WithLogin {
  readonly username: string;
  readonly smpp: SmppLogin | undefined;
}

/** Replaces the users' logins; the users must exist. */
export async function writeSmppLogins(transaction: Transaction, users: readonly WithLogin[]): Promise<void> {
  if (users.length === 0) return;
  const ids = await userIds(
    transaction,
    users.map(({ username }) => username),
  );
  const wanted = new Map(users.map(({ username, smpp }) => [ids.get(username), smpp]));
  // Whichever users have the system ids until now lose them in the same change.
  const systemIds = users.flatMap(({ smpp }) => smpp?.systemId ?? []);
  const before = await readSmppLogins(transaction, { ids: [...ids.values()], systemIds });
  // A row that only changes stays where it is: binds and parts of the user take turns by locking it.
  const gone = [...before.keys()].filter((id) => wanted.get(id)?.systemId !== before.get(id)?.systemId);
  if (gone.length > 0)
    await transaction.run(sql`DELETE FROM smpp_logins WHERE user_id ${oneOf('bigint', gone)}`);
  const rows = users.flatMap(({ username, smpp }) => {
    if (smpp === undefined) return [];
    const { window: windowSize, ...login } = smpp;
    return [[ids.get(username) ?? null, ...stored.row({ ...login, windowSize })]];
  });
  await transaction.insert(
    'smpp_logins',
    { user_id: 'bigint', ...stored.columns },
    rows,
    `ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash, binds = excluded.binds,
       window_size = excluded.window_size, throughput = excluded.throughput, networks = excluded.networks`,
  );
}

export interface SmppAccount extends Account {
  readonly login: SmppLogin;
}

const loginColumns = raw(stored.names('smpp_logins', 'login_'));

async function readAccounts(reading: Reading, systemIds: readonly string[]): Promise<readonly SmppAccount[]> {
  const rows = await reading.all<object>(
    sql`SELECT ${loginColumns}, ${accountColumns} FROM smpp_logins
        JOIN users ON users.id = smpp_logins.user_id JOIN companies ON companies.id = users.company_id
        WHERE smpp_logins.system_id ${oneOf('text', systemIds)}`,
  );
  return rows.map((row) => ({ ...toAccount(row), login: toLogin(row, 'login_') }));
}

export const findSmppAccount = readVerb(
  'accounts.findSmppAccount',
  async (reading, systemId: string): Promise<SmppAccount | undefined> =>
    (await readAccounts(reading, [systemId]))[0],
);

export const findSmppAccounts = readVerb('accounts.findSmppAccounts', readAccounts);

interface NewSmppPassword {
  readonly username: string;
  readonly passwordHash: string;
  readonly now: number;
}

/** An operator's command. Returns the login's system id; undefined when the user has no login. */
export const setSmppPassword = singleWriteVerb(
  'accounts.setSmppPassword',
  async (transaction, { username, passwordHash, now: at }: NewSmppPassword): Promise<string | undefined> => {
    // A file and a change of the login, which write the whole row, wait.
    await lockOutFiles(transaction);
    const account = await findAccount(transaction, { username }, { isLocked: true });
    if (account === undefined) return undefined;
    const systemId = await writeSmppPassword(transaction, account.user.id, passwordHash);
    if (systemId === undefined) return undefined;
    await raiseNews(transaction, 'accounts');
    const { id: companyId } = account.company;
    const object = smppLoginNamed(systemId);
    await recordAct(transaction, { companyId, at, by: operator, act: 'password.set', object });
    return systemId;
  },
);

/** Returns the login's system id; undefined when the user has no login. */
export async function writeSmppPassword(
  transaction: Transaction,
  userId: number,
  passwordHash: string,
): Promise<string | undefined> {
  const login = await transaction.first<{ system_id: string }>(
    sql`UPDATE smpp_logins SET password_hash = ${passwordHash} WHERE user_id = ${userId} RETURNING system_id`,
  );
  return login?.system_id;
}

/** How logs name a login. */
export const smppLoginNamed = (systemId: string): string => `SMPP login ${systemId}`;
