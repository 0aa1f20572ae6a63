/**
 * What a noun declares to be a resource: its table, its fields with their rules, what its objects are in, and what is special
 * about it. `resource.ts` makes the verbs of the store of it, and `resource-api.ts` the endpoints.
 *
 * Threads of the store load this file: it imports no package.
 */
import { companyNames } from '../accounts/company-records.ts';
import { readSetKeys } from '../accounts/set-keys.ts';
import type { Act, ActingUser } from '../audit/audit-log.ts';
import { type ErrorCode, errorOfFields, type Told } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';
import type { IdKind, IdSequence } from '../storage/ids.ts';
import type { Topic } from '../storage/news.ts';
import type { Fragment } from '../storage/sql.ts';
import type { StoredField } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

/** A text of an object, which calls give by its name. Its description is that of the parameter in the API. */
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

export type TextFields = Readonly<Record<string, TextField>>;

/** A field that is no text of a call is set by `become`, and stands in its columns as told. */
export type Fields = Readonly<Record<string, TextField | StoredField<unknown>>>;
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends StoredField<infer Value> ? Value : string;
};
type TextNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends TextField ? Name : never;
}[keyof F];
/** The texts of a call. */
export type Texts<F extends Fields> = { readonly [Name in TextNames<F>]: string };
export type GivenTexts<F extends Fields> = { readonly [Name in TextNames<F>]?: string | undefined };

/** Ids are drawn from a counter; names are chosen by whoever makes the object. */
export type Key = number | string;

interface KeyedOnly {
  readonly key: Key;
}

/** What objects are in: a company, one of its address books, or a user. */
export interface Scope<Of extends KeyedOnly = KeyedOnly> {
  readonly column: 'company_id' | 'book_id' | 'user_id';
  /** Where objects are looked for, as the end of a sentence: `in the company of the account`. */
  readonly place: string;
  /** Keeps what the objects are in from being removed meanwhile; false: it is gone. */
  lock?(transaction: Transaction, scopeId: number): Promise<boolean>;
  /** The keys of those that a provisioning file manages, each with the fields that the file sets. Left out: files know none. */
  managed?(
    reading: Reading,
    scopeId: number,
    section: string,
    objects: readonly Of[],
  ): Promise<ReadonlyMap<Key, readonly string[]>>;
  /** What an entry of the audit log says besides the object's key. */
  details?(reading: Reading, by: Acting): Promise<string>;
}

export type Keyed<F extends Fields, K extends Key> = Values<F> & { readonly key: K };

/** `Extra`: what is read of other tables. */
export type Row<F extends Fields, K extends Key, Extra = unknown> = Values<F> &
  Extra & {
    readonly key: K;
    /** The count of its changes, from 1 on, or a digest of its values where the table keeps no count. */
    readonly version: string;
    /** Unix time in milliseconds; null: by a provisioning file, or before this was kept. */
    readonly changedAt: number | null;
    readonly changedBy: string | null;
    readonly managed: boolean;
    /** The fields that a provisioning file sets. */
    readonly managedFields: readonly string[];
  };

export interface Acting extends ActingUser {
  readonly companyId: number;
  readonly scopeId: number;
  /** Set where the caller sees only the objects that this user owns. */
  readonly ownerId?: number | undefined;
  readonly now: number;
}

/** Why nothing was changed. */
export interface Refused {
  readonly refused: Told & { readonly field?: string | undefined };
}

/** One write under way, for what a noun does besides in the same transaction. */
export interface Writing<F extends Fields, K extends Key, More, Extra> {
  readonly by: Acting;
  readonly before: Row<F, K, Extra> | undefined;
  /** Undefined: the object goes. */
  readonly after: Keyed<F, K> | undefined;
  /** Parameters of the call that are no fields. */
  readonly more: More | undefined;
}

/** An object as it was, and what a call gives of it. */
export interface Wish<F extends Fields, K extends Key, More, Extra> {
  readonly by: Acting;
  readonly key: K;
  /** Undefined for a new one. */
  readonly before: Row<F, K, Extra> | undefined;
  readonly values: GivenTexts<F>;
  readonly more: More | undefined;
}

/** `Narrowing`: the parameters that narrow a list. */
export interface Declaration<F extends Fields, K extends Key, More, Extra, Narrowing = unknown> {
  /** As in `There is no template 1001`. */
  readonly noun: string;
  /** The first word of the verbs' names. */
  readonly plural: string;
  /** Where a provisioning file has the objects; `plural` unless told. */
  readonly section?: string;
  readonly table: string;
  readonly scope: Scope<Keyed<F, K>>;
  /** With `ids`, keys are in the column `id`; without, they are names. */
  readonly ids?: IdKind | IdSequence;
  /** The column of names; `name` unless told. */
  readonly nameColumn?: string;
  readonly fields: F;
  /** Fields that change without being changed by anybody: the version stays. */
  readonly unversioned?: readonly (keyof F & string)[];
  /** Where each former version is kept, and how many of them. The table then counts changes in `version`. */
  readonly history?: { readonly table: string; readonly keep: number };
  /** The table counts changes in `version` but keeps no former versions. */
  readonly isCounted?: boolean;
  /** The column with the user who owns an object: some callers see only their own. */
  readonly ownerColumn?: string;
  /** Of a resource of companies `template.make`, `template.change` and `template.remove` unless told. */
  readonly acts?: {
    readonly make: Act;
    readonly change: Act | ((after: Row<F, K, Extra>, before: Row<F, K, Extra>) => Act);
    /** Left out where objects stay. */
    readonly remove?: Act;
  };
  readonly news?: Topic;
  /** What open pages call the list, which they read again after a change; `plural` unless told. */
  readonly hint?: string;
  /**
   * Of an object that a file manages, calls change what the file does not set. `changed`: they may also give what it sets,
   * if that stays as it is. An object whose `managed` has no fields is managed as a whole.
   */
  readonly isManagedByField?: boolean | 'changed';
  /** About how many rows the parameters that are no fields touch; see `WriteVerb.weight`. */
  weight?(more: More | undefined): number;
  /** What an entry of the audit log calls an object; its key unless told. */
  readonly auditedAs?: (row: Row<F, K, Extra>) => string;
  /** What the entry tells of it. `before`: of one that was changed. */
  readonly details?: (row: Row<F, K, Extra>, before: Row<F, K, Extra> | undefined) => string;
  /** Narrows a list by parameters of its call. */
  readonly among?: (given: Narrowing) => Fragment;
  /** Locks what always has to be locked before an object. */
  lockFirst?(transaction: Transaction, wish: Pick<Wish<F, K, More, Extra>, 'by' | 'more'>): Promise<void>;
  /** What an object is to be, or why it can't; unless told, what it was, with the texts that are given. */
  become?(transaction: Transaction, wish: Wish<F, K, More, Extra>): Promise<Values<F> | Refused>;
  /**
   * What is written besides the row, of objects that are known by their names. False: there was nothing to write. A refusal
   * must come before the first write.
   */
  beside?(transaction: Transaction, writing: Writing<F, K, More, Extra>): Promise<Refused | boolean>;
  /** The key after a change, where some changes give an object another one. */
  keyAfter?(transaction: Transaction, before: Row<F, K, Extra>, after: Values<F>): Promise<K>;
  /** What is written once the row is written or removed. */
  afterwards?(transaction: Transaction, writing: Writing<F, K, More, Extra>): Promise<void>;
  /** Why an object has to stay. */
  refusesRemoval?(reading: Reading, by: Acting, row: Row<F, K, Extra>): Promise<Refused | undefined>;
  /** What rows have of other tables, in the order of the rows. */
  extra?(reading: Reading, rows: readonly Keyed<F, K>[]): Promise<readonly Extra[]>;
}

const maxNameLength = 100;

/** The rule for names: one line, without spaces at its ends. */
export function objectName(written: string): Result<string> {
  const name = written.trim();
  if (name === '') return fault('invalid_value', { sentence: 'name_blank' });
  const length = [...name].length;
  if (length > maxNameLength)
    return fault('invalid_value', { sentence: 'length_at_most', most: maxNameLength, length });
  // They would be steps in a path.
  if (name === '.' || name === '..') return fault('invalid_value', { sentence: 'name_of_dots' });
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? fault('invalid_value', { sentence: 'control_characters' })
    : success(name);
}

/** Objects of a company, which provisioning files know by their key and the company's name. */
export const inCompany: Scope = {
  column: 'company_id',
  place: 'in the company of the account',
  async managed(reading, companyId, section, objects) {
    const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
    const keys = objects.map(({ key }) => key);
    return managedByFile(reading, section, keys, (key) => `${key} ${company}`);
  },
};

/** Of objects those that provisioning files manage; `objectOf`: as their section knows them. */
export async function managedByFile(
  reading: Reading,
  section: string,
  keys: readonly Key[],
  objectOf: (key: Key) => string,
): Promise<ReadonlyMap<Key, readonly string[]>> {
  const set = await readSetKeys(reading, section, keys.map(objectOf));
  const fieldsOf = (key: Key) =>
    set.filter(({ object }) => object === objectOf(key)).flatMap(({ keys }) => keys);
  const named = new Set(set.map(({ object }) => object));
  return new Map(keys.filter((key) => named.has(objectOf(key))).map((key) => [key, fieldsOf(key)]));
}

export function isRefused(outcome: object | null): outcome is Refused {
  return outcome !== null && 'refused' in outcome;
}

/** The outcome of a write, unless it was refused. */
export function allowed<Outcome extends object>(outcome: Outcome | Refused): Outcome {
  if (!isRefused(outcome)) return outcome;
  const { field, ...told } = outcome.refused;
  throw errorOfFields(told, ...(field === undefined ? [] : [field]));
}

export function refusal(code: ErrorCode, said: string | Sentence): Refused {
  return { refused: fault(code, said) };
}
