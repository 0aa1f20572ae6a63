/** What a kind of provisioned object is: all that the engine knows of it, so that another kind is another file. */
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

/** A log holds no texts, and no people: of e-mail senders, as of contacts, it gets the counts. */
export type Audience = 'operator' | 'log';

/** A name of a field that an object has both in a file and in the store; of any kind: some text. */
type SharedField<Asked, Kept> = object extends Kept ? string : keyof Asked & keyof Kept & string;

/** How objects are known by their ids, if they have one in `id`; as for any kind. */
type IdsOf<Kept> = object extends Kept ? Ids : Kept extends { readonly id: number | undefined } ? Ids : never;

interface Ids {
  /** As in `belongs to the user demo`. */
  readonly noun: string;
  readonly retired?: RetiredKind;
}

type FieldOf<Kept> = object extends Kept ? string : keyof Kept & string;

/** Which sender ids the objects of a kind name. */
interface NamedSenders<Kept, Field> {
  /** Each has one sender id, or a list of them. */
  readonly fields: readonly Field[];
  /** As in `still named by the user alice`. */
  nameOf(kept: Kept): string;
  /** As in `3 of the users`, where names would be too many. */
  readonly many?: string;
  /** A log gets their count only. */
  readonly isPersonal?: boolean;
  /** Nothing is sent for it, from whatever sender it names. */
  isIdle?(kept: Kept): boolean;
}

/** `Asked`: an object as a file has it. `Kept`: as the store has it, in the words of the file. */
export interface Kind<Asked extends Planned, Kept extends object> {
  /** Its key in the file. */
  readonly section: string;
  /** Where the section stands. An object of a company goes with it, and has `company`, its name. */
  readonly within: 'file' | 'company';
  /** One object rather than a list of them. */
  readonly isSingle?: boolean;
  /** As in `this company stands twice in the file`. */
  readonly noun: string;
  readonly read: Read<Omit<Asked, 'company'>>;
  /** The field that has the key; at fault it holds the empty text, or 0. */
  readonly keyField: SharedField<Asked, Kept>;
  /** The empty text is a key like any other. */
  readonly hasEmptyKey?: boolean;
  /** One in the service: where it is known by an id or name in its company, that is in it too. */
  keyOf(item: Asked | Kept): string;
  /** Objects with ids of their own, which are given once. */
  readonly ids?: IdsOf<Kept>;
  /** Keys, and ids, of objects of other kinds that the file names in passing: by section. */
  mentions?(asked: Asked): Readonly<Record<string, Mention>>;
  /** Those in question; others may be among them. */
  load(reading: Reading, scope: Scope): Promise<readonly Kept[]>;
  /** What the store is to have. Undefined: nothing. */
  after(asked: Asked, before: Kept | undefined, view: View, keeps: Keeps): Kept | undefined;
  readonly senders?: NamedSenders<Kept, FieldOf<Kept>>;
  /** Lines for people, without any secret. */
  describe(edits: readonly Edit<Kept>[], audience: Audience): readonly string[];
  /** What contradicts itself in the file, whatever is in the store. */
  fileFaults?(asked: Asked): readonly Fault[];
  /** What is wrong with an object of the file, as it comes out. */
  faultsOf?(asked: Asked, view: View): readonly Fault[];
  /** What else is wrong with the outcome. */
  faults?(view: View): readonly Fault[];
  /** What is allowed, but may not be meant. */
  warnings?(asked: Asked): readonly Fault[];
  /** Faults of secrets, and secrets as they may be stored: before the store hears of them. */
  secretFaults?(asked: Asked, before: Kept | undefined, passwords: Passwords): Promise<readonly Fault[]>;
  protect?(asked: Asked, before: Kept | undefined, tools: Protection): Promise<Asked>;
  create(transaction: Transaction, created: readonly Kept[]): Promise<void>;
  /** `before`: the same objects in the same order. */
  change(transaction: Transaction, after: readonly Kept[], before: readonly Kept[]): Promise<void>;
  remove(transaction: Transaction, removed: readonly Kept[]): Promise<void>;
  /** What nodes hold in memory of it. */
  readonly news?: readonly Topic[];
  /** Of a command: a file leaves no entries in the audit log. */
  auditOf?(edit: Edit<Kept>): CommandEntry;
}

/** Of the audit log. */
export interface CommandEntry extends Pick<AuditEntry, 'act' | 'object' | 'details'> {
  /** Its name. */
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

/** The objects of a kind that a plan concerns: there may be many others. */
export interface Named {
  readonly keys: readonly string[];
  readonly ids: readonly number[];
  /** Keys of those that are to go. */
  readonly removed: readonly string[];
  /** The plan gives some of them a sender id. */
  readonly namesSenders?: boolean;
}

/** By section. */
export type Scope = Readonly<Record<string, Named>>;

export function namedIn(scope: Scope, section: string): Named {
  return scope[section] ?? { keys: [], ids: [], removed: [] };
}

/** Whether a key that the file leaves out keeps its value: no file, or another one, has set it. */
export type Keeps = (key: string) => boolean;

/** The object with all that it keeps; `others`: fields that are no keys, or are treated apart. */
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

/** Plan, store and what comes of both, as far as the kinds have been compared that stand before; each by key. */
export interface View {
  asked<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Asked>;
  before<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept>;
  after<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlyMap<string, Kept>;
  /** Keys of those that the file makes or changes. */
  edited<Asked extends Planned, Kept extends object>(kind: Kind<Asked, Kept>): ReadonlySet<string>;
}

export function removedAmong<Asked extends Planned>(asked: ReadonlyMap<string, Asked>): readonly Asked[] {
  return [...asked.values()].filter(({ remove }) => remove);
}
