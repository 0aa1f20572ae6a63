/**
 * Defines what a noun declares to be a resource: its table, its fields with their rules, what contains its objects, and what
 * is special about it. `resource.ts` makes its verbs of the store, and `resource-api.ts` its endpoints. Threads of the store
 * load this file, so it imports no package.
 */
import { companyNames, waitForTurn } from '../accounts/company-records.ts';
import { readSetKeys } from '../accounts/set-keys.ts';
import type { AuditDetails, Remark } from '../audit/audit-details.ts';
import type { Act, ActingUser } from '../audit/audit-log.ts';
import { type ErrorCode, type ErrorContent, errorOfFields } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';
import type { IdKind, IdSequence } from '../storage/ids.ts';
import type { Topic } from '../storage/news.ts';
import type { Fragment } from '../storage/sql.ts';
import type { StoredField } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

/** A text of an object, which calls give by name. Its description is that of the API parameter. */
export interface TextField {
  readonly description: string;
  /** In characters; 0 by default. */
  readonly minLength?: number;
  readonly maxLength: number;
  /** The code for a text that is too long or too short; `invalid_value` by default. */
  readonly codeOfLength?: ErrorCode;
  /** Further requirements on a text, and what it is turned into. */
  readonly rule?: (given: string) => Result<string>;
  /** The codes of the faults that the rule finds. */
  readonly codes?: readonly ErrorCode[];
  /** Lists show only this many characters of it. */
  readonly listedLength?: number;
}

export type TextFields = Readonly<Record<string, TextField>>;

/** A field that is not a text of a call is set by `become`, and stored in its columns as declared. */
export type Fields = Readonly<Record<string, TextField | StoredField<unknown>>>;
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends StoredField<infer Value> ? Value : string;
};
type TextNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends TextField ? Name : never;
}[keyof F];
/** The texts in a call. */
export type Texts<F extends Fields> = { readonly [Name in TextNames<F>]: string };
export type GivenTexts<F extends Fields> = { readonly [Name in TextNames<F>]?: string | undefined };

/** Ids are drawn from a counter; names are chosen by the user who creates the object. */
export type Key = number | string;

interface KeyedOnly {
  readonly key: Key;
}

/** The container of objects: a company, one of its address books, or a user. */
export interface Scope<Of extends KeyedOnly = KeyedOnly> {
  readonly column: 'company_id' | 'book_id' | 'user_id';
  /** Where objects are looked for, as the end of a sentence: `in the company of the account`. */
  readonly place: string;
  /** Keeps the container from being removed meanwhile; false when it is gone. */
  lock?(transaction: Transaction, scopeId: number): Promise<boolean>;
  /**
   * The keys of objects that a provisioning file manages, each with the fields that the file sets. Absent if files have no
   * such objects.
   */
  managed?(
    reading: Reading,
    scopeId: number,
    section: string,
    objects: readonly Of[],
  ): Promise<ReadonlyMap<Key, readonly string[]>>;
  /** Details for an audit log entry besides the object's key. */
  details?(reading: Reading, by: Acting): Promise<Remark>;
}

export type Keyed<F extends Fields, K extends Key> = Values<F> & { readonly key: K };

/** `Extra` is what is read from other tables. */
export type Row<F extends Fields, K extends Key, Extra = unknown> = Values<F> &
  Extra & {
    readonly key: K;
    /** The number of its changes, starting at 1, or a digest of its values if the table does not count changes. */
    readonly version: string;
    /**
     * Unix time in milliseconds; null if a provisioning file made the change, or if the change is older than the storing
     * of such times.
     */
    readonly changedAt: number | null;
    readonly changedBy: string | null;
    readonly managed: boolean;
    /** The fields that a provisioning file sets. */
    readonly managedFields: readonly string[];
  };

export interface Acting extends ActingUser {
  readonly companyId: number;
  readonly scopeId: number;
  /** Set if the caller sees only the objects that this user owns. */
  readonly ownerId?: number | undefined;
  readonly now: number;
}

/** Why nothing was changed. */
export interface Refused {
  readonly refused: ErrorContent & { readonly field?: string | undefined };
}

/** A write in progress, for additional work of a noun in the same transaction. */
export interface Writing<F extends Fields, K extends Key, More, Extra> {
  readonly by: Acting;
  readonly before: Row<F, K, Extra> | undefined;
  /** Undefined when the object is being removed. */
  readonly after: Keyed<F, K> | undefined;
  /** The call's parameters that are not fields. */
  readonly more: More | undefined;
}

/** The previous object, and the new values that a call gives. */
export interface Wish<F extends Fields, K extends Key, More, Extra> {
  readonly by: Acting;
  readonly key: K;
  /** Undefined for a new object. */
  readonly before: Row<F, K, Extra> | undefined;
  readonly values: GivenTexts<F>;
  readonly more: More | undefined;
}

/** `Narrowing` is the parameters that narrow a list. */
export interface Declaration<F extends Fields, K extends Key, More, Extra, Narrowing = unknown> {
  /** The noun as in `There is no template 1001`. */
  readonly noun: string;
  /** The first word of the verbs' names. */
  readonly plural: string;
  /** The section of a provisioning file that has the objects; `plural` by default. */
  readonly section?: string;
  readonly table: string;
  readonly scope: Scope<Keyed<F, K>>;
  /** True if lists are by name; otherwise they are by key. */
  readonly isListedByName?: boolean;
  /** With `ids`, keys are in the column `id`; without it, keys are names. */
  readonly ids?: IdKind | IdSequence;
  /** The column of names; `name` by default. */
  readonly nameColumn?: string;
  readonly fields: F;
  /** Fields that change without anyone changing them, so the version stays the same. */
  readonly unversioned?: readonly (keyof F & string)[];
  /** What else the version depends on, of values from other tables. */
  readonly versioned?: (extra: Extra) => unknown;
  /**
   * The table for former versions, and how many of them are kept. The object's own table then counts changes in `version`.
   */
  readonly history?: { readonly table: string; readonly keep: number };
  /** True if the table counts changes in `version` but keeps no former versions. */
  readonly isCounted?: boolean;
  /** The column with the user who owns an object, for callers who see only their own. */
  readonly ownerColumn?: string;
  /** For a resource of companies, `template.make`, `template.change` and `template.remove` by default. */
  readonly acts?: {
    readonly make: Act;
    readonly change: Act | ((after: Row<F, K, Extra>, before: Row<F, K, Extra>) => Act);
    /** Absent if objects are never removed. */
    readonly remove?: Act;
  };
  readonly news?: Topic;
  /** The name of the list in open pages, which reload it after a change; `plural` by default. */
  readonly hint?: string;
  /**
   * If a file manages an object, calls may change what the file does not set. With `changed`, they may also include what
   * the file sets, provided that the values stay the same. An object whose `managed` has no fields is managed as a whole.
   */
  readonly isManagedByField?: boolean | 'changed';
  /** Roughly how many rows are touched by the parameters that are not fields; see `WriteVerb.weight`. */
  weight?(more: More | undefined): number;
  /** The name of an object in an audit log entry; its key by default. */
  readonly auditedAs?: (row: Row<F, K, Extra>) => string;
  /** The entry's details. `before` is given for an object that was changed. */
  readonly details?: (row: Row<F, K, Extra>, before: Row<F, K, Extra> | undefined) => AuditDetails;
  /** Narrows a list by parameters of the call. */
  readonly among?: (given: Narrowing) => Fragment;
  /** Locks whatever must always be locked before an object. */
  lockFirst?(transaction: Transaction, wish: Pick<Wish<F, K, More, Extra>, 'by' | 'more'>): Promise<void>;
  /** The object's new values, or why they are not possible; by default, the previous values with the given texts. */
  become?(transaction: Transaction, wish: Wish<F, K, More, Extra>): Promise<Values<F> | Refused>;
  /**
   * Writes more than the row, for objects known by name. Returns false when there was nothing to write. A refusal must
   * precede the first write.
   */
  beside?(transaction: Transaction, writing: Writing<F, K, More, Extra>): Promise<Refused | boolean>;
  /** The key after a change, if some changes give an object a new key. */
  keyAfter?(transaction: Transaction, before: Row<F, K, Extra>, after: Values<F>): Promise<K>;
  /** Writes more once the row has been written or removed. */
  afterwards?(transaction: Transaction, writing: Writing<F, K, More, Extra>): Promise<void>;
  /** Why an object may not be removed. */
  refusesRemoval?(reading: Reading, by: Acting, row: Row<F, K, Extra>): Promise<Refused | undefined>;
  /** The values of rows in other tables, in the order of the rows. */
  extra?(reading: Reading, rows: readonly Keyed<F, K>[]): Promise<readonly Extra[]>;
}

const maxNameLength = 100;

/** The rule for names: a single line without leading or trailing spaces. */
export function objectName(written: string): Result<string> {
  const name = written.trim();
  if (name === '') return fault('invalid_value', { sentence: 'name_blank' });
  const length = [...name].length;
  if (length > maxNameLength)
    return fault('invalid_value', { sentence: 'length_at_most', most: maxNameLength, length });
  // In a path, these names would be segments with a special meaning.
  if (name === '.' || name === '..') return fault('invalid_value', { sentence: 'name_of_dots' });
  return /[\p{Cc}\p{Cs}]/u.test(name)
    ? fault('invalid_value', { sentence: 'control_characters' })
    : success(name);
}

/** `objectOf` gives an object as its section of a file knows it, by its key and the name of its company. */
export function managedInCompany(
  objectOf: (key: Key, company: string) => string,
): NonNullable<Scope['managed']> {
  return async (reading, companyId, section, objects) => {
    const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
    const keys = objects.map(({ key }) => key);
    return managedByFile(reading, section, keys, (key) => objectOf(key, company));
  };
}

/** Objects of a company, which provisioning files identify by key and company name. */
export const inCompany: Scope = {
  column: 'company_id',
  place: 'in the company of the account',
  managed: managedInCompany((key, company) => `${key} ${company}`),
};

/** For objects that need others of the company: administrators, and files, which set the same records, take turns. */
export const inLockedCompany: Scope = {
  ...inCompany,
  lock: waitForTurn,
};

/** The objects that provisioning files manage, out of the given ones; `objectOf` identifies them as in their section. */
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

/** Returns the outcome of a write; throws if it was refused. */
export function allowed<Outcome extends object>(outcome: Outcome | Refused): Outcome {
  if (!isRefused(outcome)) return outcome;
  const { field, ...content } = outcome.refused;
  throw errorOfFields(content, ...(field === undefined ? [] : [field]));
}

export function refusal(code: ErrorCode, said: string | Sentence): Refused {
  return { refused: fault(code, said) };
}

/** A sentence names at most this many of the things or people that it is about. */
export const maxNamed = 5;

export function firstOf(names: readonly string[]): string {
  return [...names.slice(0, maxNamed), ...(names.length > maxNamed ? ['…'] : [])].join(', ');
}

/** A refusal because of one parameter of the call. */
export function refusedField(field: string, code: ErrorCode, said: Sentence): Refused {
  return { refused: { ...fault(code, said), field } };
}
