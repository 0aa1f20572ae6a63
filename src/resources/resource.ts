/**
 * A resource: a noun of which objects are listed, read, made, changed and removed, one at a time. From its declaration
 * follow the verbs of the store below, the endpoints of the management API (`resource-api.ts`) and its section of a
 * provisioning file. What is special about a noun is a function that its declaration names.
 *
 * A change is refused where a provisioning file manages the object (PORT-6), and where the object has another version
 * than the one that the change is of. Each change leaves an entry in the audit log, and news where nodes hold objects in
 * memory.
 *
 * Threads of the store load this file: it imports no package.
 */
import { createHash } from 'node:crypto';
import { findCompany } from '../accounts/company-records.ts';
import { managedAmong, managedError } from '../accounts/set-keys.ts';
import { type ActingUser, byUser, recordAct } from '../audit/audit-log.ts';
import type { ErrorCode } from '../foundation/errors.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { fault, quoted, type Result, success } from '../foundation/result.ts';
import { type IdKind, leaseBlock } from '../storage/ids.ts';
import { raiseNews, type Topic } from '../storage/news.ts';
import { byDialect, type Fragment, oneOf, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Columns } from '../storage/storable.ts';
import {
  type AnyVerb,
  type Reading,
  type ReadVerb,
  readVerb,
  refusable,
  singleWriteVerb,
  snapshotVerb,
  type Transaction,
  type WriteVerb,
} from '../storage/verb.ts';

/** A text of an object. Its description is that of the parameter in the API. */
export interface TextField {
  readonly description: string;
  /** In characters; 0 unless told. */
  readonly minLength?: number;
  readonly maxLength: number;
  /** The code for a text that is too long or too short; `invalid_value` unless told. */
  readonly codeOfLength?: ErrorCode;
  /** What else a text has to keep, and what becomes of it. */
  readonly rule?: (given: string) => Result<string>;
  /** The codes of faults that the rule finds. */
  readonly codes?: readonly ErrorCode[];
  /** A list has only this many characters of it. */
  readonly listedLength?: number;
}

export type Fields = Readonly<Record<string, TextField>>;
export type Values<F extends Fields> = { readonly [Name in keyof F]: string };

/** Ids are drawn from a counter; names are chosen by whoever makes the object, and can be changed. */
export type Key = number | string;

/** What objects are in: a company, or one of its address books. */
export interface Scope {
  readonly column: 'company_id' | 'book_id';
  /** Where objects are looked for, as the end of a sentence: `in the company of the account`. */
  readonly place: string;
  /** Keeps what the objects are in from being removed meanwhile; false: it is gone. */
  lock?(transaction: Transaction, scopeId: number): Promise<boolean>;
  /** The keys that a provisioning file manages. */
  managed(
    reading: Reading,
    scopeId: number,
    section: string,
    keys: readonly Key[],
  ): Promise<ReadonlySet<Key>>;
  /** What an entry of the audit log says besides the object's key. */
  details?(scopeId: number): string;
}

export type Row<F extends Fields, K extends Key> = Values<F> & {
  readonly key: K;
  /** The count of its changes, from 1 on, or a digest of its values where the table keeps no count. */
  readonly version: string;
  /** Unix time in milliseconds; null: by a provisioning file, or before this was kept. */
  readonly changedAt: number | null;
  readonly changedBy: string | null;
  readonly managed: boolean;
};

export interface Acting extends ActingUser {
  readonly companyId: number;
  readonly scopeId: number;
  readonly now: number;
}

/** Why nothing was changed: the code and the sentence of an error. */
export interface Refused {
  readonly refused: { readonly code: ErrorCode; readonly error: string };
}

export interface Page<K extends Key> {
  readonly scopeId: number;
  /** The last key of the page before. */
  readonly after: K | undefined;
  readonly limit: number;
}

/** One write under way, for what a noun does besides in the same transaction. */
export interface Writing<F extends Fields, K extends Key, More> {
  readonly by: Acting;
  readonly before: Row<F, K> | undefined;
  /** Undefined: the object goes. */
  readonly after: (Values<F> & { readonly key: K }) | undefined;
  /** Parameters of the call that are no fields. */
  readonly more: More | undefined;
}

export interface Declaration<F extends Fields, K extends Key, More> {
  /** As in `There is no template 1001`. */
  readonly noun: string;
  /** The first word of the verbs' names. */
  readonly plural: string;
  /** Where a provisioning file has the objects; `plural` unless told. */
  readonly section?: string;
  readonly table: string;
  readonly scope: Scope;
  /** With `ids`, keys are in the column `id`; without, they are names in the column `name`. */
  readonly ids?: IdKind;
  readonly fields: F;
  /** Where each former version is kept, and how many of them. The table then counts changes in `version`. */
  readonly history?: { readonly table: string; readonly keep: number };
  readonly acts: { readonly make: Act; readonly change: Act; readonly remove: Act };
  readonly news?: Topic;
  /** About how many rows the parameters that are no fields touch; see `WriteVerb.weight`. */
  weight?(more: More): number;
  /** What an entry of the audit log tells of an object. */
  readonly details?: (row: Row<F, K>) => string;
  /** What is written besides the row, of objects that are known by their names. A refusal must come before the first write. */
  beside?(transaction: Transaction, writing: Writing<F, K, More>): Promise<Refused | undefined>;
}

type Act = Parameters<typeof recordAct>[1]['act'];

export interface ToCreate<F extends Fields, More> extends Acting {
  /** Only of objects that are known by their names. */
  readonly name: string | undefined;
  readonly values: Values<F>;
  readonly more: More | undefined;
}

export interface ToRemove<K extends Key> extends Acting {
  readonly key: K;
  readonly ifMatch: IfMatch;
}

export interface ToChange<F extends Fields, K extends Key, More> extends ToRemove<K> {
  /** Undefined stays. */
  readonly values: { readonly [Name in keyof F]: string | undefined };
  readonly rename: string | undefined;
  readonly more: More | undefined;
}

/** An object as it was after a change. */
export type Version<F extends Fields> = Values<F> & {
  readonly version: string;
  readonly changedAt: number | null;
  readonly changedBy: string | null;
};

/** An object as a provisioning file has it. */
export type Provisioned<F extends Fields, K extends Key> = Values<F> & KeyOf<K>;

export interface KeyOf<K extends Key> {
  readonly scopeId: number;
  readonly key: K;
}

/** A row of the table; without a history it has no count of changes. */
type Found<F extends Fields, K extends Key> = Values<F> & {
  readonly key: K;
  readonly version?: number;
  readonly changedAt?: number | null;
  readonly changedBy?: string | null;
};

/** SQLite has one writer; on PostgreSQL who comes second waits, and then sees what the first has done. */
const locked = sql`${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`;

export class Resource<F extends Fields, K extends Key, More = Readonly<Record<string, unknown>>> {
  readonly declaration: Declaration<F, K, More>;
  readonly list: ReadVerb<Page<K>, readonly Row<F, K>[]>;
  readonly find: ReadVerb<KeyOf<K>, Row<F, K> | null>;
  readonly create: WriteVerb<ToCreate<F, More>, Row<F, K> | Refused>;
  readonly change: WriteVerb<ToChange<F, K, More>, Row<F, K> | Refused>;
  readonly remove: WriteVerb<ToRemove<K>, Refused | null>;
  /** The latest first, each text as a list has it; none: there is no such object. */
  readonly listVersions: ReadVerb<KeyOf<K>, readonly Version<F>[]>;
  readonly findVersion: ReadVerb<KeyOf<K> & { readonly version: number }, Version<F> | null>;
  readonly verbs: readonly AnyVerb[];
  readonly #names: readonly (keyof F & string)[];
  readonly #scope: Fragment;
  readonly #key: Fragment;
  readonly #table: Fragment;
  /** The columns of a row as it is, and as a list has it. */
  readonly #whole: Fragment;
  readonly #listed: Fragment;

  constructor(declaration: Declaration<F, K, More>) {
    const { plural, table, scope, ids, fields, history } = declaration;
    this.declaration = declaration;
    this.#names = Object.keys(fields);
    if (ids !== undefined && declaration.beside !== undefined)
      throw new Error(`${plural}: what stands beside an object is written before its id is known to be free`);
    if (history === undefined && Object.values(fields).some(({ listedLength }) => listedLength !== undefined))
      throw new Error(`${plural}: the version of a text that is cut is another one`);
    this.#scope = raw(scope.column);
    this.#key = raw(ids === undefined ? 'name' : 'id');
    this.#table = raw(table);
    const counted =
      history === undefined ? '' : ', version, changed_at AS "changedAt", changed_by AS "changedBy"';
    const columns = (write: (name: string) => string) =>
      raw(['', ...this.#names.map(write)].join(', ') + counted);
    this.#whole = columns((name) => name);
    this.#listed = columns((name) => {
      const length = fields[name]?.listedLength;
      return length === undefined ? name : `SUBSTR(${name}, 1, ${length}) AS ${name}`;
    });
    this.list = snapshotVerb(`${plural}.list`, (reading, page) => this.#page(reading, page));
    this.find = readVerb(`${plural}.find`, (reading, key) => this.#read(reading, key));
    const weightOf = ({ more }: { readonly more: More | undefined }) =>
      1 + (more === undefined ? 0 : (declaration.weight?.(more) ?? 0));
    this.create = refusable(
      singleWriteVerb<ToCreate<F, More>, Row<F, K> | Refused>(
        `${plural}.create`,
        (transaction, input) => this.#create(transaction, input),
        weightOf,
      ),
    );
    this.change = refusable(
      singleWriteVerb<ToChange<F, K, More>, Row<F, K> | Refused>(
        `${plural}.change`,
        (transaction, input) => this.#change(transaction, input),
        weightOf,
      ),
    );
    this.remove = refusable(singleWriteVerb(`${plural}.remove`, (...given) => this.#remove(...given)));
    this.listVersions = readVerb(`${plural}.listVersions`, (reading, key) => this.#versions(reading, key));
    this.findVersion = readVerb(`${plural}.findVersion`, (reading, key) => this.#version(reading, key));
    const ofHistory = history === undefined ? [] : [this.listVersions, this.findVersion];
    this.verbs = [this.list, this.find, this.create, this.change, this.remove, ...ofHistory];
  }

  async #page(reading: Reading, { scopeId, after, limit }: Page<K>): Promise<readonly Row<F, K>[]> {
    const behind = after === undefined ? sql`` : sql`AND ${this.#key} > ${after}`;
    const rows = await reading.all<Found<F, K>>(
      sql`SELECT ${this.#key} AS key${this.#listed} FROM ${this.#table}
          WHERE ${this.#scope} = ${scopeId} ${behind} ORDER BY ${this.#key} LIMIT ${limit}`,
    );
    return this.#rows(reading, scopeId, rows);
  }

  async #read(reading: Reading, { scopeId, key }: KeyOf<K>, lock = sql``): Promise<Row<F, K> | null> {
    const found = await reading.all<Found<F, K>>(
      sql`SELECT ${this.#key} AS key${this.#whole} FROM ${this.#table} WHERE ${this.#is(scopeId, key)} ${lock}`,
    );
    return (await this.#rows(reading, scopeId, found))[0] ?? null;
  }

  #is(scopeId: number, key: K): Sql {
    return sql`${this.#scope} = ${scopeId} AND ${this.#key} = ${key}`;
  }

  async #rows(
    reading: Reading,
    scopeId: number,
    found: readonly Found<F, K>[],
  ): Promise<readonly Row<F, K>[]> {
    if (found.length === 0) return [];
    const managed = await this.#managedAmong(
      reading,
      scopeId,
      found.map(({ key }) => key),
    );
    return found.map((row) => ({ ...versioned(row), managed: managed.has(row.key) }));
  }

  async #create(transaction: Transaction, input: ToCreate<F, More>): Promise<Row<F, K> | Refused> {
    const { ids, beside } = this.declaration;
    const { scopeId, name, values, more } = input;
    if (!(await this.#lock(transaction, scopeId))) return this.#unknown(name as K);
    if (name !== undefined) {
      const key = name as K;
      const after = { ...values, key };
      const refused =
        (await this.#nameRefused(transaction, scopeId, key)) ??
        (await beside?.(transaction, { by: input, before: undefined, after, more }));
      if (refused !== undefined) return refused;
      if ((await this.#insert(transaction, input, after)) === 0) return this.#taken(key);
      return this.#made(transaction, input, key);
    }
    for (;;) {
      const key = (await leaseBlock(transaction, { kind: ids as IdKind, size: 1 })) as K;
      // A provisioning file may have given the id already.
      if ((await this.#insert(transaction, input, { ...values, key })) === 1)
        return this.#made(transaction, input, key);
    }
  }

  /** False: what the objects are in is gone. */
  async #lock(transaction: Transaction, scopeId: number): Promise<boolean> {
    const { scope } = this.declaration;
    return scope.lock === undefined || scope.lock(transaction, scopeId);
  }

  /** Why no object may get this name. */
  async #nameRefused(transaction: Transaction, scopeId: number, name: K): Promise<Refused | undefined> {
    if ((await this.#managedAmong(transaction, scopeId, [name])).has(name)) return this.#managed(name);
    const there = await this.#read(transaction, { scopeId, key: name });
    return there === null ? undefined : this.#taken(name);
  }

  #managedAmong(reading: Reading, scopeId: number, keys: readonly K[]): Promise<ReadonlySet<Key>> {
    const { scope, plural, section = plural } = this.declaration;
    return scope.managed(reading, scopeId, section, keys);
  }

  async #made(transaction: Transaction, by: Acting, key: K): Promise<Row<F, K>> {
    const made = (await this.#read(transaction, { scopeId: by.scopeId, key })) as Row<F, K>;
    await this.#record(transaction, by, made, this.declaration.acts.make);
    return made;
  }

  async #insert(
    transaction: Transaction,
    { scopeId, now, username }: Acting,
    { key, ...values }: Values<F> & { readonly key: K },
  ): Promise<number> {
    const { history } = this.declaration;
    const names = this.#names.map((name) => raw(`, ${name}`));
    const given = this.#names.map((name) => sql`, ${(values as unknown as Values<F>)[name] as string}`);
    return transaction.run(
      sql`INSERT INTO ${this.#table} (${this.#scope}, ${this.#key}${joined(names)}${raw(history === undefined ? '' : ', changed_at, changed_by')})
          VALUES (${scopeId}, ${key}${joined(given)}${history === undefined ? sql`` : sql`, ${now}, ${username}`})
          ON CONFLICT (${this.#scope}, ${this.#key}) DO NOTHING`,
    );
  }

  async #change(transaction: Transaction, input: ToChange<F, K, More>): Promise<Row<F, K> | Refused> {
    const { acts, history, beside } = this.declaration;
    const { scopeId, key, values, rename, more } = input;
    const before = await this.#changeable(transaction, input);
    if (isRefused(before)) return before;
    const next = (rename ?? key) as K;
    const isRenamed = next !== key;
    const nameRefused = isRenamed ? await this.#nameRefused(transaction, scopeId, next) : undefined;
    if (nameRefused !== undefined) return nameRefused;
    const wanted = this.#names.map((name) => values[name] ?? before[name]);
    if (
      !isRenamed &&
      more === undefined &&
      wanted.every((value, at) => value === before[this.#names[at] as string])
    )
      return before;
    const after = {
      ...Object.fromEntries(this.#names.map((name, at) => [name, wanted[at]])),
      key: next,
    } as Values<F> & {
      readonly key: K;
    };
    const refused = await beside?.(transaction, { by: input, before, after, more });
    if (refused !== undefined) return refused;
    const set = this.#names.map((name, at) => sql`, ${raw(name)} = ${wanted[at] as string}`);
    if (history !== undefined) {
      await this.keepFormer(transaction, [{ scopeId, key }]);
      set.push(sql`, version = version + 1, changed_at = ${input.now}, changed_by = ${input.username}`);
    }
    await transaction.run(
      sql`UPDATE ${this.#table} SET ${this.#key} = ${next}${joined(set)} WHERE ${this.#is(scopeId, key)}`,
    );
    const changed = (await this.#read(transaction, { scopeId, key: next })) as Row<F, K>;
    await this.#record(transaction, input, changed, acts.change, key);
    return changed;
  }

  async #remove(transaction: Transaction, input: ToRemove<K>): Promise<Refused | null> {
    const before = await this.#changeable(transaction, input);
    if (isRefused(before)) return before;
    const { acts, beside } = this.declaration;
    const refused = await beside?.(transaction, { by: input, before, after: undefined, more: undefined });
    if (refused !== undefined) return refused;
    await this.removeAll(transaction, [input]);
    await this.#record(transaction, input, before, acts.remove);
    return null;
  }

  async #changeable(transaction: Transaction, input: ToRemove<K>): Promise<Row<F, K> | Refused> {
    const { scope } = this.declaration;
    const { key, scopeId, ifMatch } = input;
    if (!(await this.#lock(transaction, scopeId))) return this.#unknown(key);
    const found = await this.#read(transaction, input, scope.lock === undefined ? locked : sql``);
    if (found === null) return this.#unknown(key);
    if (found.managed) return this.#managed(key);
    if (isMatch(ifMatch, found.version)) return found;
    return refusal(
      'changed_meanwhile',
      `The ${this.#label(key)} was changed by someone else. Reload it and try again. Nothing was changed.`,
    );
  }

  #label(key: K): string {
    return `${this.declaration.noun} ${this.declaration.ids === undefined ? quoted(key as string) : key}`;
  }

  /** The sentence about an object that is not there. */
  missing(key: Key): string {
    return `There is no ${this.#label(key as K)} ${this.declaration.scope.place}.`;
  }

  #unknown(key: K): Refused {
    return refusal('not_found', this.missing(key));
  }

  #managed(key: K): Refused {
    return refusal('managed', managedError(`The ${this.#label(key)}`).message);
  }

  #taken(key: K): Refused {
    return refusal(
      'taken',
      `There is a ${this.#label(key)} ${this.declaration.scope.place} already. Nothing was changed.`,
    );
  }

  /** `knownAs`: the key that an object had before it was renamed. */
  async #record(
    transaction: Transaction,
    by: Acting,
    row: Row<F, K>,
    act: Act,
    knownAs = row.key,
  ): Promise<void> {
    const { scope, details, news } = this.declaration;
    const told = details?.(row) ?? scope.details?.(by.scopeId) ?? '';
    await recordAct(transaction, {
      companyId: by.companyId,
      at: by.now,
      by: byUser(by),
      act,
      object: String(knownAs),
      details: knownAs === row.key ? told : `${told}, now ${quoted(String(row.key))}`,
    });
    if (news !== undefined) await raiseNews(transaction, news);
  }

  async #versions(reading: Reading, { scopeId, key }: KeyOf<K>): Promise<readonly Version<F>[]> {
    const current = await reading.all<Found<F, K>>(
      sql`SELECT ${this.#key} AS key${this.#listed} FROM ${this.#table} WHERE ${this.#is(scopeId, key)}`,
    );
    if (current.length === 0) return [];
    const former = await reading.all<Found<F, K>>(
      sql`SELECT ${this.#key} AS key${this.#listed} FROM ${this.#former}
          WHERE ${this.#is(scopeId, key)} ORDER BY version DESC`,
    );
    return [...current, ...former].map((row) => versioned(row));
  }

  async #version(
    reading: Reading,
    { scopeId, key, version }: KeyOf<K> & { readonly version: number },
  ): Promise<Version<F> | null> {
    const current = await this.#read(reading, { scopeId, key });
    if (current === null || current.version === String(version)) return current;
    const former = await reading.first<Found<F, K>>(
      sql`SELECT ${this.#key} AS key${this.#whole} FROM ${this.#former}
          WHERE ${this.#is(scopeId, key)} AND version = ${version}`,
    );
    return former === undefined ? null : versioned(former);
  }

  get #former(): Fragment {
    return raw(this.declaration.history?.table ?? '');
  }

  /** Keeps objects that are about to be changed as former versions, of which the oldest go. */
  async keepFormer(transaction: Transaction, keys: readonly KeyOf<K>[]): Promise<void> {
    const { history, scope, table } = this.declaration;
    if (history === undefined) return;
    const those = this.#among(keys);
    const columns = raw(
      [scope.column, 'id', 'version', ...this.#names, 'changed_at', 'changed_by'].join(', '),
    );
    await transaction.run(
      sql`INSERT INTO ${this.#former} (${columns}) SELECT ${columns} FROM ${this.#table} WHERE ${those}`,
    );
    await transaction.run(
      sql`DELETE FROM ${this.#former} WHERE (${this.#scope}, ${this.#key}, version) IN
            (SELECT ${this.#scope}, ${this.#key}, version - ${history.keep} FROM ${raw(table)} WHERE ${those})`,
    );
  }

  /** Objects as provisioning files have them. */
  async readAll(reading: Reading, scopeIds: readonly number[]): Promise<readonly Provisioned<F, K>[]> {
    return reading.all<Provisioned<F, K>>(
      sql`SELECT ${this.#scope} AS "scopeId", ${this.#key} AS key${raw(this.#names.map((name) => `, ${name}`).join(''))}
          FROM ${this.#table} WHERE ${this.#scope} ${oneOf('bigint', scopeIds)} ORDER BY ${this.#scope}, ${this.#key}`,
    );
  }

  /** Makes objects as a provisioning file has them, or changes those that are there. */
  async putAll(transaction: Transaction, objects: readonly Provisioned<F, K>[]): Promise<void> {
    await this.keepFormer(transaction, objects);
    const { table, scope, ids, history } = this.declaration;
    const key = ids === undefined ? 'name' : 'id';
    const columns: Columns = {
      [scope.column]: 'bigint',
      [key]: ids === undefined ? 'text' : 'bigint',
      ...Object.fromEntries(this.#names.map((name) => [name, 'text'])),
    };
    const set = this.#names.map((name) => `${name} = excluded.${name}`);
    if (history !== undefined)
      set.push(`version = ${table}.version + 1`, 'changed_at = NULL', 'changed_by = NULL');
    await transaction.insert(
      table,
      columns,
      objects.map((one) => [one.scopeId, one.key, ...this.#names.map((name) => one[name] as string)]),
      `ON CONFLICT (${scope.column}, ${key}) DO UPDATE SET ${set.join(', ')}`,
    );
  }

  /** Removes objects with their former versions, whoever manages them. */
  async removeAll(transaction: Transaction, keys: readonly KeyOf<K>[]): Promise<void> {
    const those = this.#among(keys);
    if (this.declaration.history !== undefined)
      await transaction.run(sql`DELETE FROM ${this.#former} WHERE ${those}`);
    await transaction.run(sql`DELETE FROM ${this.#table} WHERE ${those}`);
  }

  #among(keys: readonly KeyOf<K>[]): Sql {
    const pair = sql`${this.#scope}, ${this.#key}`;
    const columns = {
      scope_id: 'bigint',
      key: this.declaration.ids === undefined ? 'text' : 'bigint',
    } as const;
    const set = rowSet(
      'keys',
      columns,
      keys.map(({ scopeId, key }) => [scopeId, key]),
    );
    return sql`(${pair}) IN (SELECT scope_id, key FROM ${set})`;
  }
}

export function isRefused(outcome: object | null): outcome is Refused {
  return outcome !== null && 'refused' in outcome;
}

export function refusal(code: ErrorCode, error: string): Refused {
  return { refused: { code, error } };
}

/** Statements one behind another. */
function joined(parts: readonly Fragment[]): Fragment {
  return {
    write: (into) => {
      for (const part of parts) part.write(into);
    },
  };
}

function versioned<F extends Fields, K extends Key>(row: Found<F, K>) {
  const { version, changedAt = null, changedBy = null } = row;
  return { ...row, version: version === undefined ? digestOf(row) : String(version), changedAt, changedBy };
}

function digestOf(row: object): string {
  return createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, 16);
}

const maxNameLength = 100;

/** The rule for names: one line, without spaces at its ends. */
export function objectName(written: string): Result<string> {
  const name = written.trim();
  if (name === '') return fault('invalid_value', 'must have a character that is no space.');
  const length = [...name].length;
  if (length > maxNameLength)
    return fault('invalid_value', `must have at most ${maxNameLength} characters, but has ${length}.`);
  // They would be steps in a path.
  if (name === '.' || name === '..') return fault('invalid_value', 'must not be `.` or `..`.');
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? fault('invalid_value', 'must not hold control characters.')
    : success(name);
}

/** Objects of a company, which provisioning files know by their key and the company's name. */
export const inCompany: Scope = {
  column: 'company_id',
  place: 'in the company of the account',
  async managed(reading, companyId, section, keys) {
    const company = (await findCompany(reading, companyId))?.name ?? '';
    const keyIn = (key: Key) => `${key} ${company}`;
    const managed = await managedAmong(reading, section, keys.map(keyIn));
    return new Set(keys.filter((key) => managed.has(keyIn(key))));
  },
};
