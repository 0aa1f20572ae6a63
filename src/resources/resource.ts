/**
 * A resource: a noun whose objects are listed, read, created, changed and removed, one at a time. Its declaration determines
 * the verbs of the store below, the endpoints of the management API (`resource-api.ts`) and its section of a provisioning
 * file. Anything special about a noun is a function named in its declaration. A change is refused if a provisioning file
 * manages the object (PORT-6), or if the object's version differs from the one that the change is based on. Each change
 * leaves an entry in the audit log, and raises news if nodes hold objects in memory. Threads of the store load this file, so
 * it imports no package.
 */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { managedFault } from '../accounts/set-keys.ts';
import { type Act, byUser, recordAct, usualActs } from '../audit/audit-log.ts';
import { type IfMatch, isMatch } from '../foundation/if-match.ts';
import { quoted } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';
import { leaseBlock } from '../storage/ids.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { raiseNews } from '../storage/news.ts';
import { type Fragment, forUpdate, noLock, oneOf, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Columns } from '../storage/storable.ts';
import { type StoredField, StoredRecord, text } from '../storage/stored-record.ts';
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
import {
  type Acting,
  type Declaration,
  type Fields,
  type GivenTexts,
  isRefused,
  type Key,
  type Keyed,
  type Refused,
  type Row,
  refusal,
  type TextField,
  type Texts,
  type Values,
  type Wish,
} from './declaration.ts';

/** A free name that is refused this often is refused by an index other than that of names. */
const maxTriesOfName = 5;

export interface Page<K extends Key, Narrowing = unknown> {
  readonly scopeId: number;
  /** Only objects that this user owns. */
  readonly ownerId?: number | undefined;
  /** Parameters that narrow the list. */
  readonly among?: Narrowing | undefined;
  /** The last key of the previous page, for a list by key. */
  readonly after?: K | undefined;
  /** For a list by name. */
  readonly from?: NamePlace | undefined;
  readonly limit: number;
}

export interface ToCreate<F extends Fields, More> extends Acting {
  /** Only for objects known by name. */
  readonly name: string | undefined;
  readonly values: Texts<F>;
  readonly more: More | undefined;
}

export interface ToRemove<K extends Key> extends Acting {
  readonly key: K;
  readonly ifMatch: IfMatch;
}

export interface ToChange<F extends Fields, K extends Key, More> extends ToRemove<K> {
  /** Omitted values stay as they are. */
  readonly values: GivenTexts<F>;
  readonly rename: string | undefined;
  readonly more: More | undefined;
}

/** An object as a provisioning file has it. */
export type Provisioned<F extends Fields, K extends Key> = Values<F> & KeyOf<K>;

export interface KeyOf<K extends Key> {
  readonly scopeId: number;
  /** Only if this user owns it. */
  readonly ownerId?: number | undefined;
  readonly key: K;
}

interface ResourceTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly texts: readonly string[];
}

/** A row's values besides its fields, if the table counts and dates changes. */
interface Found<K extends Key> {
  readonly key: K;
  readonly version?: number;
  readonly changedAt?: number | null;
  readonly changedBy?: string | null;
}

export class Resource<
  F extends Fields,
  K extends Key,
  More = Readonly<Record<string, unknown>>,
  Extra = unknown,
  Narrowing = unknown,
> {
  readonly declaration: Declaration<F, K, More, Extra, Narrowing>;
  readonly list: ReadVerb<Page<K, Narrowing>, readonly Row<F, K, Extra>[]>;
  readonly find: ReadVerb<KeyOf<K>, Row<F, K, Extra> | null>;
  readonly create: WriteVerb<ToCreate<F, More>, Row<F, K, Extra> | Refused>;
  readonly change: WriteVerb<ToChange<F, K, More>, Row<F, K, Extra> | Refused>;
  readonly remove: WriteVerb<ToRemove<K>, Refused | null>;
  /** Latest first, with each text as shown in a list; empty if there is no such object. */
  readonly listVersions: ReadVerb<KeyOf<K>, readonly Row<F, K, Extra>[]>;
  readonly findVersion: ReadVerb<KeyOf<K> & { readonly version: number }, Row<F, K, Extra> | null>;
  readonly verbs: readonly AnyVerb[];
  readonly #acts: NonNullable<Declaration<F, K, More, Extra, Narrowing>['acts']>;
  readonly #names: readonly (keyof F & string)[];
  readonly #stored: StoredRecord<Readonly<Record<string, StoredField<unknown>>>>;
  readonly #columns: readonly string[];
  readonly #isCounted: boolean;
  readonly #keyColumn: string;
  readonly #scope: Fragment;
  readonly #key: Fragment;
  readonly #byName: NameOrder | undefined;
  readonly #table: Fragment;
  /** The columns of a row, in full and as shown in a list. */
  readonly #whole: Fragment;
  readonly #listed: Fragment;

  constructor(declaration: Declaration<F, K, More, Extra, Narrowing>) {
    const { noun, plural, table, scope, ids, nameColumn = 'name', fields, history } = declaration;
    this.declaration = declaration;
    this.#acts = declaration.acts ?? usualActs(noun);
    this.#names = Object.keys(fields);
    const isCut = (name: string) => listedLengthOf(fields[name]) !== undefined;
    if (ids !== undefined && declaration.beside !== undefined)
      throw new Error(`${plural}: what stands beside an object is written before its id is known to be free`);
    if (history === undefined && this.#names.some(isCut))
      throw new Error(`${plural}: the version of a text that is cut is another one`);
    this.#stored = new StoredRecord(
      Object.fromEntries(this.#names.map((name) => [name, storedField(fields[name])])),
    );
    this.#columns = Object.keys(this.#stored.columns);
    this.#keyColumn = ids === undefined ? nameColumn : 'id';
    this.#scope = raw(scope.column);
    this.#key = raw(this.#keyColumn);
    this.#byName = declaration.isListedByName
      ? new NameOrder(nameColumn, ids === undefined ? undefined : 'id')
      : undefined;
    this.#table = raw(table);
    const dates = history === undefined ? [] : ['changed_at AS "changedAt"', 'changed_by AS "changedBy"'];
    this.#isCounted = history !== undefined || declaration.isCounted === true;
    const counted = this.#isCounted ? ['version', ...dates] : [];
    const selected = (write: (column: string, at: number) => string) =>
      raw([`${this.#keyColumn} AS key`, ...this.#columns.map(write), ...counted].join(', '));
    this.#whole = selected((column) => column);
    this.#listed = selected((column, at) => {
      const length = listedLengthOf(fields[this.#names[at] ?? '']);
      return length === undefined ? column : `SUBSTR(${column}, 1, ${length}) AS ${column}`;
    });
    this.list = snapshotVerb(`${plural}.list`, (reading, page) => this.#page(reading, page));
    const findVerb = declaration.extra === undefined ? readVerb : snapshotVerb;
    this.find = findVerb<KeyOf<K>, Row<F, K, Extra> | null>(`${plural}.find`, (reading, key) =>
      this.#read(reading, key),
    );
    const weightOf = ({ more }: { readonly more: More | undefined }) => 1 + (declaration.weight?.(more) ?? 0);
    this.create = refusable(
      singleWriteVerb<ToCreate<F, More>, Row<F, K, Extra> | Refused>(
        `${plural}.create`,
        (transaction, input) => this.#create(transaction, input),
        weightOf,
      ),
    );
    this.change = refusable(
      singleWriteVerb<ToChange<F, K, More>, Row<F, K, Extra> | Refused>(
        `${plural}.change`,
        (transaction, input) => this.#change(transaction, input),
        weightOf,
      ),
    );
    this.remove = refusable(singleWriteVerb(`${plural}.remove`, (...given) => this.#remove(...given)));
    this.listVersions = readVerb(`${plural}.listVersions`, (reading, key) => this.#versions(reading, key));
    this.findVersion = readVerb(`${plural}.findVersion`, (reading, key) => this.#version(reading, key));
    const ofHistory = history === undefined ? [] : [this.listVersions, this.findVersion];
    const removal = this.#acts.remove === undefined ? [] : [this.remove];
    this.verbs = [this.list, this.find, this.create, this.change, ...removal, ...ofHistory];
  }

  async #page(reading: Reading, page: Page<K, Narrowing>): Promise<readonly Row<F, K, Extra>[]> {
    const { scopeId, ownerId, among, after, from = { language: 'en' }, limit } = page;
    const behind =
      this.#byName?.behind(from) ?? (after === undefined ? sql`` : sql`AND ${this.#key} > ${after}`);
    const narrowed = (among && this.declaration.among?.(among)) ?? sql``;
    const rows = await reading.all<Found<K>>(
      sql`SELECT ${this.#listed} FROM ${this.#table}
          WHERE ${this.#scope} = ${scopeId} ${this.#isOf(ownerId)} ${behind} ${narrowed}
          ORDER BY ${this.#byName?.by(from) ?? this.#key} LIMIT ${limit}`,
    );
    return this.#rows(reading, scopeId, rows);
  }

  #isOf(ownerId: number | undefined): Sql {
    const { plural, ownerColumn } = this.declaration;
    if (ownerId === undefined) return sql``;
    if (ownerColumn === undefined) throw new Error(`${plural}: no user owns one`);
    return sql`AND ${raw(ownerColumn)} = ${ownerId}`;
  }

  async #read(reading: Reading, one: KeyOf<K>, lock = noLock): Promise<Row<F, K, Extra> | null> {
    const found = await reading.all<Found<K>>(
      sql`SELECT ${this.#whole} FROM ${this.#table} WHERE ${this.#is(one)} ${lock}`,
    );
    return (await this.#rows(reading, one.scopeId, found))[0] ?? null;
  }

  #is({ scopeId, key, ownerId }: KeyOf<K>): Sql {
    return sql`${this.#scope} = ${scopeId} AND ${this.#key} = ${key} ${this.#isOf(ownerId)}`;
  }

  async #rows(
    reading: Reading,
    scopeId: number,
    found: readonly Found<K>[],
  ): Promise<readonly Row<F, K, Extra>[]> {
    if (found.length === 0) return [];
    const values = found.map((row) => Object.assign({ key: row.key }, this.#stored.read(row) as Values<F>));
    const managed = await this.#managedAmong(reading, scopeId, values);
    const extra = await this.declaration.extra?.(reading, values);
    return found.map((row, at) => {
      const { key, changedAt = null, changedBy = null } = row;
      const version = this.#versionOf(row, values[at] as Values<F>, extra?.[at]);
      const kept = { key, version, changedAt, changedBy };
      const byFile = { managed: managed.has(key), managedFields: managed.get(key) ?? [] };
      return Object.assign(kept, values[at], extra?.[at], byFile) as Row<F, K, Extra>;
    });
  }

  /** The version of an object whose changes are not counted, for another list that has its values. */
  versionOf(object: Keyed<F, K>): string {
    return this.#versionOf({ key: object.key }, object);
  }

  #versionOf({ key, version }: Found<K>, values: Values<F>, extra?: Extra): string {
    if (version !== undefined) return String(version);
    const { unversioned = [], versioned } = this.declaration;
    const own = this.#names.filter((name) => !unversioned.includes(name));
    const others = extra === undefined || versioned === undefined ? [] : [versioned(extra)];
    return digestOf([key, ...own.map((name) => values[name] ?? null), ...others]);
  }

  async #create(transaction: Transaction, input: ToCreate<F, More>): Promise<Row<F, K, Extra> | Refused> {
    const { ids, lockFirst, beside, afterwards } = this.declaration;
    const { scopeId, name, values: given, more } = input;
    await lockFirst?.(transaction, { by: input, more });
    if (!(await this.#lock(transaction, scopeId))) return this.#unknown(name as K);
    for (let tries = 1; name === undefined || tries <= maxTriesOfName; tries++) {
      const key = (name ??
        (await leaseBlock(transaction, { kind: ids as NonNullable<typeof ids>, size: 1 }))) as K;
      const nameRefused = name === undefined ? undefined : await this.#nameRefused(transaction, scopeId, key);
      if (nameRefused !== undefined) return nameRefused;
      const values = await this.#become(transaction, {
        by: input,
        key,
        before: undefined,
        values: given,
        more,
      });
      if (isRefused(values)) return values;
      const after = { ...values, key };
      const writing = { by: input, before: undefined, after, more };
      const written = await beside?.(transaction, writing);
      if (typeof written === 'object') return written;
      if ((await this.#insert(transaction, input, after)) === 1) {
        await afterwards?.(transaction, writing);
        const made = (await this.#read(transaction, { scopeId, key })) as Row<F, K, Extra>;
        await this.#record(transaction, input, this.#acts.make, made);
        // No node can hold in memory an object that had no id before.
        if (ids === undefined) await this.#raiseNews(transaction);
        return made;
      }
      // Someone else was faster, and that object is visible now, or a provisioning file has already assigned the id.
    }
    throw new Error(`${this.declaration.plural} '${name}' can't be stored, though the name is free`);
  }

  /** False when the container of the objects is gone. */
  async #lock(transaction: Transaction, scopeId: number): Promise<boolean> {
    const { scope } = this.declaration;
    return scope.lock === undefined || scope.lock(transaction, scopeId);
  }

  /** Why no object may get this name. */
  async #nameRefused(transaction: Transaction, scopeId: number, name: K): Promise<Refused | undefined> {
    // For files, the name alone identifies an object that has one.
    const named = { key: name } as Keyed<F, K>;
    if ((await this.#managedAmong(transaction, scopeId, [named])).has(name)) return this.#managed(name);
    const there = await this.#read(transaction, { scopeId, key: name });
    if (there === null) return undefined;
    const { noun, scope } = this.declaration;
    return refusal('taken', {
      sentence: 'name_exists',
      noun: withArticle(noun),
      name: quoted(String(name)),
      place: scope.place,
    });
  }

  async #managedAmong(reading: Reading, scopeId: number, objects: readonly Keyed<F, K>[]) {
    const { scope, plural, section = plural } = this.declaration;
    return (await scope.managed?.(reading, scopeId, section, objects)) ?? new Map<Key, readonly string[]>();
  }

  async #become(transaction: Transaction, wish: Wish<F, K, More, Extra>): Promise<Values<F> | Refused> {
    const { become } = this.declaration;
    if (become !== undefined) return become(transaction, wish);
    const given: Readonly<Record<string, string | undefined>> = wish.values;
    return Object.fromEntries(
      this.#names.map((name) => [name, given[name] ?? wish.before?.[name]]),
    ) as Values<F>;
  }

  async #insert(
    transaction: Transaction,
    { scopeId, now, username }: Acting,
    after: Keyed<F, K>,
  ): Promise<number> {
    const { history, scope } = this.declaration;
    const dates = history === undefined ? [] : ['changed_at', 'changed_by'];
    const columns = raw([scope.column, this.#keyColumn, ...this.#columns, ...dates].join(', '));
    const given = [...this.#stored.row(after), ...(history === undefined ? [] : [now, username])];
    return transaction.run(
      sql`INSERT INTO ${this.#table} (${columns})
          VALUES (${scopeId}, ${after.key}${joined(given.map((value) => sql`, ${value}`))})
          ON CONFLICT DO NOTHING`,
    );
  }

  async #change(transaction: Transaction, input: ToChange<F, K, More>): Promise<Row<F, K, Extra> | Refused> {
    const { history, lockFirst, beside, isManagedByField, keyAfter, afterwards } = this.declaration;
    const { scopeId, key, values: given, rename, more } = input;
    await lockFirst?.(transaction, { by: input, more });
    const judgesChanges = isManagedByField === 'changed';
    const fields = judgesChanges ? [] : namesOf({ ...given, ...more, [this.#keyColumn]: rename });
    const before = await this.#changeable(transaction, input, fields);
    if (isRefused(before)) return before;
    const name = (rename ?? key) as K;
    const isRenamed = name !== key;
    const nameRefused = isRenamed ? await this.#nameRefused(transaction, scopeId, name) : undefined;
    if (nameRefused !== undefined) return nameRefused;
    const values = await this.#become(transaction, { by: input, key: name, before, values: given, more });
    if (isRefused(values)) return values;
    const row = this.#stored.row(values);
    const was = this.#stored.row(before);
    const isSame = row.every((value, at) => value === was[at]);
    if (isSame && !isRenamed && (more === undefined || beside === undefined)) return before;
    if (judgesChanges && this.#changesManaged(before, values)) return this.#managed(key);
    const next = (await keyAfter?.(transaction, before, values)) ?? name;
    const after = { ...values, key: next };
    const writing = { by: input, before, after, more };
    const written = await beside?.(transaction, writing);
    if (typeof written === 'object') return written;
    if (isSame && !isRenamed && !written) return before;
    const set = row.map((value, at) => sql`, ${raw(this.#columns[at] as string)} = ${value}`);
    if (history !== undefined) {
      await this.keepFormer(transaction, [{ scopeId, key }]);
      set.push(sql`, changed_at = ${input.now}, changed_by = ${input.username}`);
    }
    if (this.#isCounted) set.push(sql`, version = version + 1`);
    await transaction.run(
      sql`UPDATE ${this.#table} SET ${this.#key} = ${next}${joined(set)} WHERE ${this.#is(input)}`,
    );
    await afterwards?.(transaction, writing);
    const changed = (await this.#read(transaction, { scopeId, key: next })) as Row<F, K, Extra>;
    const { change } = this.#acts;
    const act = typeof change === 'function' ? change(changed, before) : change;
    await this.#record(transaction, input, act, changed, before);
    await this.#raiseNews(transaction);
    return changed;
  }

  async #remove(transaction: Transaction, input: ToRemove<K>): Promise<Refused | null> {
    const { beside, refusesRemoval, afterwards } = this.declaration;
    const before = await this.#changeable(transaction, input);
    if (isRefused(before)) return before;
    const writing = { by: input, before, after: undefined, more: undefined };
    const refused =
      (await refusesRemoval?.(transaction, input, before)) ?? (await beside?.(transaction, writing));
    if (typeof refused === 'object') return refused;
    await this.removeAll(transaction, [input]);
    await afterwards?.(transaction, writing);
    await this.#record(transaction, input, this.#acts.remove as Act, before);
    await this.#raiseNews(transaction);
    return null;
  }

  /** `fields` are those to be changed; undefined for the object as a whole. */
  async #changeable(
    transaction: Transaction,
    input: ToRemove<K>,
    fields?: readonly string[],
  ): Promise<Row<F, K, Extra> | Refused> {
    const { scope, isManagedByField } = this.declaration;
    const { key, scopeId, ifMatch } = input;
    if (!(await this.#lock(transaction, scopeId))) return this.#unknown(key);
    // The second transaction waits, and then sees what the first has done.
    const found = await this.#read(transaction, input, scope.lock === undefined ? forUpdate : noLock);
    if (found === null) return this.#unknown(key);
    const { managedFields } = found;
    const byField = isManagedByField && managedFields.length > 0 ? fields : undefined;
    const managed = byField && managedFields.find((name) => byField.includes(name));
    if (managed !== undefined || (byField === undefined && found.managed)) return this.#managed(key, managed);
    if (isMatch(ifMatch, found.version)) return found;
    return refusal('changed_meanwhile', { sentence: 'changed_by_other', ...this.#named(key) });
  }

  #changesManaged(before: Row<F, K, Extra>, values: Values<F>): boolean {
    const stored = (name: string, { [name]: value }: Readonly<Record<string, unknown>>) =>
      storedField(this.declaration.fields[name]).write(value);
    return this.#names.some(
      (name) =>
        before.managedFields.includes(name) && !isDeepStrictEqual(stored(name, values), stored(name, before)),
    );
  }

  #named(key: Key) {
    const { noun, ids } = this.declaration;
    return { noun, id: ids === undefined ? quoted(String(key)) : String(key) };
  }

  /** The sentence for an object that does not exist. */
  missing(key: Key): Sentence {
    return { sentence: 'none_in_place', ...this.#named(key), place: this.declaration.scope.place };
  }

  missingVersion(key: Key, version: number): Sentence {
    return { sentence: 'none_of_version', ...this.#named(key), version };
  }

  #unknown(key: K): Refused {
    return refusal('not_found', this.missing(key));
  }

  #managed(key: K, field?: string): Refused {
    const named = this.#named(key);
    return {
      refused: managedFault(
        field === undefined
          ? { sentence: 'managed_object', ...named }
          : { sentence: 'managed_field', field, ...named },
      ),
    };
  }

  /** `before` is given for an object that was changed. An object known by name may have been renamed. */
  async #record(
    transaction: Transaction,
    by: Acting,
    act: Act,
    row: Row<F, K, Extra>,
    before?: Row<F, K, Extra>,
  ): Promise<void> {
    const { ids, scope, details, auditedAs = ({ key }) => String(key) } = this.declaration;
    const isRenamed = ids === undefined && before !== undefined && before.key !== row.key;
    const renamed = { sentence: 'renamed_to', name: quoted(String(row.key)) } as const;
    await recordAct(transaction, {
      companyId: by.companyId,
      at: by.now,
      by: byUser(by),
      act,
      object: auditedAs(before ?? row),
      details: [
        ...[details?.(row, before) ?? ''].flat(),
        (await scope.details?.(transaction, by)) ?? '',
        isRenamed ? renamed : '',
      ],
    });
  }

  async #raiseNews(transaction: Transaction): Promise<void> {
    const { news } = this.declaration;
    if (news !== undefined) await raiseNews(transaction, news);
  }

  async #versions(reading: Reading, one: KeyOf<K>): Promise<readonly Row<F, K, Extra>[]> {
    const current = await reading.all<Found<K>>(
      sql`SELECT ${this.#listed} FROM ${this.#table} WHERE ${this.#is(one)}`,
    );
    if (current.length === 0) return [];
    const former = await reading.all<Found<K>>(
      sql`SELECT ${this.#listed} FROM ${this.#former} WHERE ${this.#is(one)} ORDER BY version DESC`,
    );
    return this.#rows(reading, one.scopeId, [...current, ...former]);
  }

  async #version(
    reading: Reading,
    { version, ...one }: KeyOf<K> & { readonly version: number },
  ): Promise<Row<F, K, Extra> | null> {
    const current = await this.#read(reading, one);
    if (current === null || current.version === String(version)) return current;
    const former = await reading.all<Found<K>>(
      sql`SELECT ${this.#whole} FROM ${this.#former} WHERE ${this.#is(one)} AND version = ${version}`,
    );
    return (await this.#rows(reading, one.scopeId, former))[0] ?? null;
  }

  get #former(): Fragment {
    return raw(this.declaration.history?.table ?? '');
  }

  /** Stores objects that are about to be changed as former versions, of which the oldest are dropped. */
  async keepFormer(transaction: Transaction, keys: readonly KeyOf<K>[]): Promise<void> {
    const { history, scope, table } = this.declaration;
    if (history === undefined) return;
    const those = this.#among(keys);
    const columns = raw(
      [scope.column, 'id', 'version', ...this.#columns, 'changed_at', 'changed_by'].join(', '),
    );
    await transaction.run(
      sql`INSERT INTO ${this.#former} (${columns}) SELECT ${columns} FROM ${this.#table} WHERE ${those}`,
    );
    await transaction.run(
      sql`DELETE FROM ${this.#former} WHERE (${this.#scope}, ${this.#key}, version) IN
            (SELECT ${this.#scope}, ${this.#key}, version - ${history.keep} FROM ${raw(table)} WHERE ${those})`,
    );
  }

  /** The resource's tables, for searching their texts. The username in `changed_by` is one of the texts. */
  get tables(): readonly ResourceTable[] {
    const { table, scope, history } = this.declaration;
    const key = [scope.column, this.#keyColumn];
    const texts = this.#columns.filter((column) => this.#stored.columns[column] === 'text');
    if (history === undefined) return [{ name: table, key, texts }];
    const dated = [...texts, 'changed_by'];
    return [
      { name: table, key, texts: dated },
      { name: history.table, key: [...key, 'version'], texts: dated },
    ];
  }

  /** Objects in the form that provisioning files use. */
  async readAll(reading: Reading, scopeIds: readonly number[]): Promise<readonly Provisioned<F, K>[]> {
    const columns = raw(['', ...this.#columns].join(', '));
    const found = await reading.all<KeyOf<K>>(
      sql`SELECT ${this.#scope} AS "scopeId", ${this.#key} AS key${columns}
          FROM ${this.#table} WHERE ${this.#scope} ${oneOf('bigint', scopeIds)} ORDER BY ${this.#scope}, ${this.#key}`,
    );
    return found.map((row) => {
      const { scopeId, key } = row;
      return Object.assign({ scopeId, key }, this.#stored.read(row) as Values<F>);
    });
  }

  /** Creates objects from a provisioning file, or changes existing ones. */
  async putAll(transaction: Transaction, objects: readonly Provisioned<F, K>[]): Promise<void> {
    await this.keepFormer(transaction, objects);
    const { table, scope, ids, history } = this.declaration;
    const key = this.#keyColumn;
    const columns: Columns = Object.assign(
      { [scope.column]: 'bigint', [key]: ids === undefined ? 'text' : 'bigint' },
      this.#stored.columns,
    );
    const set = this.#columns.map((column) => `${column} = excluded.${column}`);
    if (this.#isCounted) set.push(`version = ${table}.version + 1`);
    if (history !== undefined) set.push('changed_at = NULL', 'changed_by = NULL');
    await transaction.insert(
      table,
      columns,
      objects.map((one) => [one.scopeId, one.key, ...this.#stored.row(one)]),
      `ON CONFLICT (${scope.column}, ${key}) DO UPDATE SET ${set.join(', ')}`,
    );
  }

  /** Removes objects with their former versions, whatever manages them. */
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

type Field = TextField | StoredField<unknown> | undefined;

function storedField(field: Field): StoredField<unknown> {
  return field !== undefined && 'columns' in field ? field : text;
}

function listedLengthOf(field: Field): number | undefined {
  return field !== undefined && 'listedLength' in field ? field.listedLength : undefined;
}

/** The names that a call gives. */
function namesOf(given: object): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
}

export function withArticle(noun: string): string {
  return `${/^[aeiouA]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Joins statements one after another. */
function joined(parts: readonly Fragment[]): Fragment {
  return {
    write: (into) => {
      for (const part of parts) part.write(into);
    },
  };
}

/** The version of an object whose changes are not counted. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
