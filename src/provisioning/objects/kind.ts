/** Defines a kind of provisioned object: everything the engine knows about it, so that adding a kind means adding a file. */
import type { Passwords } from '../../accounts/password.ts';
import type { RetiredKind } from '../../accounts/retired-ids.ts';
import type { AuditEntry } from '../../audit/audit-log.ts';
import type { Edit } from '../../foundation/edit.ts';
import type { Sealing } from '../../foundation/sealing.ts';
import type { Topic } from '../../storage/news.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import type { Fault } from '../../yaml/fault.ts';
import type { Read } from '../../yaml/fields.ts';
import type { Planned } from './planned.ts';

/** A log contains no texts and no people: it gets only the counts of e-mail senders and contacts. */
export type Audience = 'operator' | 'log';

/** The name of a field that an object has both in a file and in the store; for an unspecific kind, any string. */
type SharedField<Asked, Kept> = object extends Kept ? string : keyof Asked & keyof Kept & string;

/** Describes ids, for objects that have one in `id` and for an unspecific kind; `never` for all others. */
type IdsOf<Kept> = object extends Kept ? Ids : Kept extends { readonly id: number | undefined } ? Ids : never;

interface Ids {
  /** As in `belongs to the user demo`. */
  readonly noun: string;
  readonly retired?: RetiredKind;
}

type FieldOf<Kept> = object extends Kept ? string : keyof Kept & string;

/** The sender ids that objects of a kind name. */
interface NamedSenders<Kept, Field> {
  /** Each field has one sender id or a list of them. */
  readonly fields: readonly Field[];
  /** As in `still named by the user alice`. */
  nameOf(kept: Kept): string;
  /** As in `3 of the users`, if there are too many names. */
  readonly many?: string;
  /** Whether a log gets only the count of such objects. */
  readonly isPersonal?: boolean;
  /** True if nothing is sent for the object, whatever sender it names. */
  isIdle?(kept: Kept): boolean;
}

/** `Asked` is an object as in a file, `Kept` an object as in the store, in the words of the file. */
export interface Kind<Asked extends Planned, Kept extends object> {
  /** The key of the kind in the file. */
  readonly section: string;
  /** Where the section belongs. An object of a company is removed with the company, and has its name in `company`. */
  readonly within: 'file' | 'company';
  /** Whether the section is a single object rather than a list. */
  readonly isSingle?: boolean;
  /** As in `this company appears twice in the file`. */
  readonly noun: string;
  readonly read: Read<Omit<Asked, 'company'>>;
  /** The field that contains the object's key; if faulty, it holds empty text or 0. */
  readonly keyField: SharedField<Asked, Kept>;
  /** Whether empty text is a key like any other. */
  readonly hasEmptyKey?: boolean;
  /** Unique in the service: for an object known by an id or name within its company, the key includes the company. */
  keyOf(item: Asked | Kept): string;
  /** For objects with ids of their own, which are assigned once. */
  readonly ids?: IdsOf<Kept>;
  /** Keys and ids of other kinds' objects that the file mentions, by section. */
  mentions?(asked: Asked): Readonly<Record<string, Mention>>;
  /** Loads the relevant objects; others may be among them. */
  load(reading: Reading, scope: Scope): Promise<readonly Kept[]>;
  /** The object that the store should have afterwards; undefined for none. */
  after(asked: Asked, before: Kept | undefined, view: View, keeps: Keeps): Kept | undefined;
  readonly senders?: NamedSenders<Kept, FieldOf<Kept>>;
  /** Lines for people, without secrets. */
  describe(edits: readonly Edit<Kept>[], audience: Audience): readonly string[];
  /** Contradictions within the file, whatever is in the store. */
  fileFaults?(asked: Asked): readonly Fault[];
  /** Faults of an object in the file, in its final state. */
  faultsOf?(asked: Asked, view: View): readonly Fault[];
  /** All other faults of the result. */
  faults?(view: View): readonly Fault[];
  /** Warnings about what is allowed but may not be intended. */
  warnings?(asked: Asked): readonly Fault[];
  /** Faults that take time to find, such as those of passwords; looked for before the store is written to. */
  slowFaults?(asked: Asked, before: Kept | undefined, passwords: Passwords): Promise<readonly Fault[]>;
  /** Turns secrets into a form that may be stored, before they reach the store. */
  protect?(asked: Asked, before: Kept | undefined, tools: Protection): Promise<Asked>;
  create(transaction: Transaction, created: readonly Kept[]): Promise<void>;
  /** `before` has the same objects as `after`, in the same order. */
  change(transaction: Transaction, after: readonly Kept[], before: readonly Kept[]): Promise<void>;
  remove(transaction: Transaction, removed: readonly Kept[]): Promise<void>;
  /** The topics for nodes that hold such objects in memory. */
  readonly news?: readonly Topic[];
  /** For commands, since a file leaves no entries in the audit log. */
  auditOf?(edit: Edit<Kept>): CommandEntry;
}

/** An entry for the audit log. */
export interface CommandEntry extends Pick<AuditEntry, 'act' | 'object' | 'details'> {
  /** The company's name. */
  readonly company: string;
}

export interface Protection {
  readonly passwords: Passwords;
  readonly sealing: Sealing;
}

export interface Mention {
  readonly keys?: readonly string[];
  readonly ids?: readonly number[];
}

/** The objects of a kind that a plan concerns; there may be many others. */
export interface Named {
  readonly keys: readonly string[];
  readonly ids: readonly number[];
  /** Keys of objects to be removed. */
  readonly removed: readonly string[];
  /** Whether the plan gives some of them a sender id. */
  readonly namesSenders?: boolean;
}

/** By section. */
export type Scope = Readonly<Record<string, Named>>;

export function namedIn(scope: Scope, section: string): Named {
  return scope[section] ?? { keys: [], ids: [], removed: [] };
}

/** Whether a key that the file omits keeps its value. It does if another file has set it, or if no file has. */
export type Keeps = (key: string) => boolean;

/** The object with everything it keeps; `others` are fields that are not keys or are handled separately. */
export function keeping<Kept extends object>(
  wanted: Kept,
  before: Kept | undefined,
  keeps: Keeps,
  others: readonly string[] = [],
): Kept {
  if (before === undefined) return wanted;
  const kept = Object.entries(before).filter(([key]) => keeps(key) && !others.includes(key));
  return { ...wanted, ...Object.fromEntries(kept) };
}

/** The plan, the store and the result of both, for the kinds compared so far; each by key. */
export interface View {
  asked<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Asked>;
  before<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept>;
  after<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept>;
  /** Keys of objects that the file creates or changes. */
  edited<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlySet<string>;
}

export function removedAmong<Asked extends Planned>(asked: ReadonlyMap<string, Asked>): readonly Asked[] {
  return [...asked.values()].filter(({ remove }) => remove);
}
