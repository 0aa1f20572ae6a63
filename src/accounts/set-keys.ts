/**
 * Which keys of an object each file has set. A key that a file set before and now leaves out gets its default; a key that no
 * file has set keeps its value, whatever its origin. Values set before this was recorded stay, because nothing is known about
 * them.
 */

import { type Fault, fault } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import { json, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';

export interface SetKeys {
  /** The path of the file. */
  readonly source: string;
  /** The object's section in a file. */
  readonly kind: string;
  /** The object's key, in the form that its kind defines. */
  readonly object: string;
  readonly keys: readonly string[];
}

type Named = Pick<SetKeys, 'kind' | 'object'>;

export const setKeyOf = ({ kind, object }: Named): string => `${kind} ${object}`;

/** The keys to which the file gives a value. */
export function keysOf({ fieldPlaces }: { readonly fieldPlaces: object }): readonly string[] {
  return Object.keys(fieldPlaces)
    .filter((key) => key !== 'remove')
    .sort();
}

const storedKeys = new StoredRecord({ source: text, object: text, keys: json<readonly string[]>() });

export async function readSetKeys(
  reading: Reading,
  kind: string,
  objects: readonly string[],
): Promise<readonly SetKeys[]> {
  if (objects.length === 0) return [];
  const found = await storedKeys.all(reading)`
    FROM provisioned_keys WHERE kind = ${kind} AND object ${oneOf('text', objects)}`;
  return found.map((keys) => ({ kind, ...keys }));
}

/** What a file manages is a phrase, such as `managed_object`. */
export function managedFault(what: Sentence): Fault {
  return fault('managed', { sentence: 'managed', what: storedReason(what) });
}

const columns = { source: 'text', kind: 'text', object: 'text', keys: 'text' } as const;
const namedColumns = { kind: 'text', object: 'text' } as const;

/** Stores the keys that the file now sets, where they differ from the recorded ones. */
export async function rememberSetKeys(
  transaction: Transaction,
  now: readonly SetKeys[],
  before: readonly SetKeys[],
): Promise<void> {
  const rowOf = ({ source, kind, object, keys }: SetKeys) => [source, kind, object, JSON.stringify(keys)];
  const known = new Set(before.map((one) => rowOf(one).join('\n')));
  await transaction.insert(
    'provisioned_keys',
    columns,
    now.map(rowOf).filter((row) => !known.has(row.join('\n'))),
    'ON CONFLICT (kind, object, source) DO UPDATE SET keys = excluded.keys',
  );
}

/** An object that someone else later creates with the same key is a different object. */
export async function forgetSetKeys(transaction: Transaction, gone: readonly Named[]): Promise<void> {
  if (gone.length === 0) return;
  const rows = gone.map(({ kind, object }) => [kind, object]);
  await transaction.run(
    sql`DELETE FROM provisioned_keys WHERE (kind, object) IN
          (SELECT kind, object FROM ${rowSet('gone', namedColumns, rows)})`,
  );
}

/** File-set keys by the name of the user or operator; one that no file names has no entry. */
export async function managedKeys(
  reading: Reading,
  usernames: readonly string[],
  kind: 'users' | 'operators' = 'users',
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const managed = new Map<string, Set<string>>();
  for (const { object, keys } of await readSetKeys(reading, kind, usernames))
    managed.set(object, new Set([...(managed.get(object) ?? []), ...keys]));
  return managed;
}

/** Set by a file that has a password in a user's `smpp`. */
export const smppPasswordKey = 'smpp.password';

export async function passwordIsManaged(
  reading: Reading,
  username: string,
  kind: 'users' | 'operators' = 'users',
): Promise<boolean> {
  const keys = (await managedKeys(reading, [username], kind)).get(username);
  return keys?.has('password') === true || keys?.has('passwordHash') === true;
}

export const readPasswordIsManaged = readVerb('accounts.passwordIsManaged', (reading, username: string) =>
  passwordIsManaged(reading, username),
);

/**
 * Two nodes applying a file at the same time would both find an object missing and both create it, so the second waits until
 * the first has committed (any number that nothing else locks will do). SQLite has a single writer.
 */
export async function lockOutFiles(transaction: Transaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all(sql`SELECT pg_advisory_xact_lock(7166014333)`);
}
