/**
 * A verb is an operation that a room asks of the store: one declared transaction step over a set of callers' inputs. Verbs
 * have names because on SQLite they run in another thread, which looks them up by name.
 */
import type { Change, Dialect, Sql } from './sql.ts';
import type { Columns, Row } from './storable.ts';

/** SQLite returns a value at once, PostgreSQL a promise; a verb awaits both. */
type Eventually<T> = T | Promise<T>;

export interface Reading {
  readonly dialect: Dialect;
  all<Result>(statement: Sql): Eventually<Result[]>;
  first<Result>(statement: Sql): Eventually<Result | undefined>;
}

export interface Transaction extends Reading {
  /** Runs a statement that returns no rows; returns the number of rows it changed. */
  run(statement: Sql): Eventually<number>;
  /**
   * Runs a statement for each row of a set (see `fromEach`). Returns the number of rows changed. No two rows of the set may
   * match the same row of the store. A statement that is a constant is written only once, so it must always come with the same
   * columns.
   */
  each(columns: Columns, rows: readonly Row[], statement: Sql): Eventually<number>;
  /** Like `each`, but returns which rows of the set changed something, as their places in it, in any order. */
  whichOfEach(columns: Columns, rows: readonly Row[], statement: Sql): Eventually<readonly number[]>;
  /** Like `each`, for a statement that returns rows, in any order. */
  allOfEach<Result>(columns: Columns, rows: readonly Row[], statement: Sql): Eventually<Result[]>;
  /** Makes several independent changes that share no row. Their order is undefined. */
  together(changes: readonly Change[]): Eventually<void>;
  /** Inserts a set of rows, with their values in the order of the columns. `onConflict` is the text of the clause. */
  insert(table: string, columns: Columns, rows: readonly Row[], onConflict?: string): Eventually<void>;
}

/**
 * Runs for several callers at once, inside a transaction that other verbs may share, and returns one output per caller in
 * order. Expected outcomes are returned, not thrown. A throw rolls the transaction back, and each input is then tried alone,
 * so one caller's error does not affect the others.
 */
export interface WriteVerb<Input, Output> {
  readonly kind: 'write';
  readonly name: string;
  readonly run: (transaction: Transaction, inputs: readonly Input[]) => Promise<Output[]>;
  /** The approximate number of rows that an input touches, which limits the size of a transaction. */
  readonly weight: (input: Input) => number;
  /** See `refusable`. */
  readonly refusable?: boolean;
  /** See `byKeys`. */
  readonly isByKeys?: boolean;
  /** See `afterLoading`. */
  readonly load?: () => Promise<unknown>;
  /** See `packed`. */
  readonly packing?: InputPacking<never, unknown>;
}

/** Makes the inputs of several calls cheap to clone. */
export interface InputPacking<Input, Unpacked = Input> {
  pack(inputs: readonly Input[]): unknown;
  unpack(packed: never): readonly Unpacked[];
}

export interface ReadVerb<Input, Output> {
  readonly kind: 'read';
  readonly name: string;
  readonly run: (reading: Reading, input: Input) => Promise<Output>;
  /** See `snapshotVerb`. */
  readonly snapshot?: boolean;
  /** The owner whose turn a call uses. See `inTurns`. */
  readonly ownerOf?: (input: Input) => ReadOwner;
  /** Reads cross one by one, as they are. */
  readonly packing?: undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of verbs of all kinds; each is called with its own input only.
export type AnyVerb = WriteVerb<any, any> | ReadVerb<any, any>;

export function writeVerb<Input, Output>(
  name: string,
  run: WriteVerb<Input, Output>['run'],
  weight: (input: Input) => number = () => 1,
): WriteVerb<Input, Output> {
  return { kind: 'write', name, run, weight };
}

/**
 * For a verb whose callers see a refusal and can try again: when too much is waiting, it is refused as overload. All other
 * verbs are the node's own work and are never refused, because refused work would only pile up in front of the store.
 */
export function refusable<Input, Output>(verb: WriteVerb<Input, Output>): WriteVerb<Input, Output> {
  return { ...verb, refusable: true };
}

/**
 * For a verb whose statements find their rows by keys, so that one plan is right for all sets. PostgreSQL keeps these plans
 * (docs/decisions/0103-plans-that-are-kept.md).
 */
export function byKeys<Input, Output>(verb: WriteVerb<Input, Output>): WriteVerb<Input, Output> {
  return { ...verb, isByKeys: true };
}

/** For a verb whose modules are loaded at its first call, before its transaction, so that no lock is held meanwhile. */
export function afterLoading<Input, Output>(
  load: () => Promise<unknown>,
  verb: WriteVerb<Input, Output>,
): WriteVerb<Input, Output> {
  return { ...verb, load };
}

/** For a verb on the way of each message, whose inputs cross to the writer's thread packed. */
export function packed<Input, Output>(
  packing: InputPacking<Input>,
  verb: WriteVerb<Input, Output>,
): WriteVerb<Input, Output> {
  return { ...verb, packing };
}

/**
 * Runs one step of a transaction. A verb that returns too few or too many outputs is broken, and no answer is better than a
 * wrong one.
 */
export async function runVerb<Input, Output>(
  verb: WriteVerb<Input, Output>,
  transaction: Transaction,
  inputs: readonly Input[],
): Promise<readonly Output[]> {
  const outputs = await verb.run(transaction, inputs);
  if (outputs.length === inputs.length) return outputs;
  throw new Error(`${verb.name} gave ${outputs.length} answers to ${inputs.length} inputs`);
}

/** A write verb for calls that seldom coincide, so each input is handled separately. */
export function singleWriteVerb<Input, Output>(
  name: string,
  run: (transaction: Transaction, input: Input) => Promise<Output>,
  weight?: (input: Input) => number,
): WriteVerb<Input, Output> {
  return writeVerb(
    name,
    async (transaction, inputs) => {
      const outputs: Output[] = [];
      for (const input of inputs) outputs.push(await run(transaction, input));
      return outputs;
    },
    weight,
  );
}

/**
 * For a write verb whose inputs each lock a separate row. Processes them in the order of those rows, which is the same
 * on all nodes, so no two transactions deadlock. Returns the outputs in the order of the inputs.
 */
export async function inOrderOf<Input, Output>(
  inputs: readonly Input[],
  keyOf: (input: Input) => string | number,
  run: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const inOrder = inputs
    .map((input, index) => ({ input, index, key: keyOf(input) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const outputs = new Array<Output>(inputs.length);
  for (const { input, index } of inOrder) outputs[index] = await run(input);
  return outputs;
}

export function readVerb<Input, Output>(
  name: string,
  run: ReadVerb<Input, Output>['run'],
): ReadVerb<Input, Output> {
  return { kind: 'read', name, run };
}

/**
 * A read verb whose statements must not see anything committed between them. On PostgreSQL, this costs two more round trips.
 */
export function snapshotVerb<Input, Output>(
  name: string,
  run: ReadVerb<Input, Output>['run'],
): ReadVerb<Input, Output> {
  return { ...readVerb(name, run), snapshot: true };
}

/** The owner of a long read. Companies take turns, and so do the users within each. */
export interface ReadOwner {
  readonly companyId: number;
  readonly userId: number;
}

/**
 * For a read verb that takes milliseconds, such as a page, and that one caller may call often. The owners of the calls take
 * turns on some of the connections, so neither a short read nor another company waits for more than a page.
 */
export function inTurns<Input, Output>(
  verb: ReadVerb<Input, Output>,
  ownerOf: (input: Input) => ReadOwner,
): ReadVerb<Input, Output> {
  return { ...verb, ownerOf };
}

/** The owner of the node's own long reads. */
export const theNode = (): ReadOwner => ({ companyId: 0, userId: 0 });

/** For a verb whose input identifies the caller. */
export const theCaller = ({ companyId, userId }: ReadOwner): ReadOwner => ({ companyId, userId });

/** Collects the verbs that the modules export, including those of exported resources. */
export function verbsOf(...modules: readonly object[]): ReadonlyMap<string, AnyVerb> {
  const verbs = new Map<string, AnyVerb>();
  const exported = modules.flatMap((module) => Object.values(module));
  for (const one of exported.flatMap((one) => (hasVerbs(one) ? one.verbs : [one]))) {
    if (!isVerb(one)) continue;
    if (verbs.has(one.name)) throw new Error(`two verbs of the store have the name ${one.name}`);
    verbs.set(one.name, one);
  }
  return verbs;
}

/** A resource has its own verbs. */
function hasVerbs(exported: unknown): exported is { readonly verbs: readonly AnyVerb[] } {
  return typeof exported === 'object' && exported !== null && 'verbs' in exported;
}

function isVerb(exported: unknown): exported is AnyVerb {
  return typeof exported === 'object' && exported !== null && 'run' in exported && 'kind' in exported;
}
