/** The embedded store: SQLite behind one writer thread and two reader threads. */
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFolder } from '../../foundation/private-files.ts';
import { type CallResult, GroupCommit, type VerbCall } from '../group-commit.ts';
import { ReadTurns } from '../read-turns.ts';
import { schemaVersion } from '../schema.ts';
import { type Migrating, type SchemaOptions, tellingOf } from '../schema-version.ts';
import { type ReadOptions, type Store, StoreDamage, storeUnavailable } from '../store.ts';
import { type ReadOwner, type ReadVerb, theNode, type WriteVerb } from '../verb.ts';
import { databasePath } from './database.ts';
import { isDamaged } from './faults.ts';
import { copyPath, hasCopy } from './migrate.ts';
import { checkQuickly } from './quick-check.ts';
import { arrived, StoreThread, type WorkerSetup } from './store-thread.ts';

export interface SqliteOptions extends SchemaOptions {
  /** The folder of the database, created if absent. */
  readonly folder: string;
  /** The entry file of the threads, which calls `runSqliteWorker` with the verbs of all rooms. */
  readonly worker: URL;
  /** A thread has ended unexpectedly, so the store stays unavailable for the life of this process. */
  readonly onEnd?: (error: Error) => void;
  /** Called the first time that a call meets damage or a search finds some. */
  readonly onDamage?: (error: Error) => void;
}

/** Migrates an older store by default. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { folder, worker, onEnd, onDamage, schema = 'migrate', migrating } = options;
  const path = databasePath(folder);
  let readers: Readers | undefined;
  try {
    makePrivateFolder(folder);
    // No other thread opens it: statements prepared there would keep the write-ahead log files until that thread ends.
    const write = () => new StoreThread(worker, { role: 'writer', path, schema }, onEnd);
    let writer = write();
    const reader: StartReader = (cache) => new StoreThread(worker, { role: 'reader', path, ...cache }, onEnd);
    readers = new Readers(reader);
    const [older] = await Promise.all([writer.ready, readers.ready]);
    if (older !== undefined) {
      await bringForward(older, path, new StoreThread(worker, { role: 'migrator', path }), migrating);
      writer = write();
      await writer.ready;
    }
    const damage = new StoreDamage((signal) => checkQuickly(reader, signal), onDamage);
    return new SqliteStore(writer, readers, damage);
  } catch (error) {
    await readers?.close();
    if (error instanceof StartError) throw error;
    if (isDamaged(error)) throw new StartError(damagedStore(path, error as Error));
    throw new StartError(
      `The store in ${folder} cannot be opened: ${(error as Error).message}. Check CARILLON_DATA, its permissions and the disk.`,
    );
  }
}

/** docs/backup.md: A damaged store. */
function damagedStore(path: string, { message }: Error): string {
  return `The store ${path} is damaged (SQLite: ${message}). Nothing was changed. Put the copy of your latest backup in its place, or save what can be read: see "A damaged store" in docs/backup.md.`;
}

async function bringForward(
  from: number,
  path: string,
  thread: StoreThread,
  { mayBegin, tell }: Partial<Migrating> = {},
): Promise<void> {
  try {
    await thread.ready;
    const copy = hasCopy(from) ? { copy: copyPath(path) } : {};
    const migration = { from, to: schemaVersion, ...copy };
    await mayBegin?.(thread, migration);
    await tellingOf({ tell: tell ?? (() => undefined) }, migration, () => thread.migrate());
  } finally {
    await thread.close();
  }
}

class SqliteStore implements Store {
  readonly dialect = 'sqlite';
  readonly damage: StoreDamage;
  readonly #writer: StoreThread;
  readonly #readers: Readers;
  readonly #commits: GroupCommit;
  readonly #listeners: ((topic: string) => void)[] = [];

  constructor(writer: StoreThread, readers: Readers, damage: StoreDamage) {
    this.damage = damage;
    this.#writer = writer;
    this.#readers = readers;
    this.#commits = new GroupCommit({
      commit: (group) => this.#commit(group),
      // Several groups may be on their way. The writer combines those that have arrived by the time it is free.
      depth: 8,
      // Measured with 50 callers: 10 % more calls a second than without early groups. With groups of 8 or 24, the gain
      // was smaller.
      earlyGroup: 16,
      lane: () => 'writer',
      maxGroupWeight: 1_000,
      maxWaitingWeight: 50_000,
    });
  }

  worksFor(verb: { readonly name: string }): boolean {
    return this.#commits.worksFor(verb);
  }

  waitMs(verb: { readonly name: string }): number {
    return this.#commits.waitMs(verb);
  }

  get waitingReads(): number {
    return this.#readers.waiting;
  }

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#commits.write(verb, input);
  }

  async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    options: ReadOptions = {},
  ): Promise<Output> {
    try {
      return await this.#readers.read(verb, input, options);
    } catch (error) {
      throw this.damage.noted(error);
    }
  }

  /** Only one process has this store, so all listeners are here. */
  announce(topic: string): void {
    setImmediate(() => {
      for (const listener of this.#listeners) listener(topic);
    });
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#listeners.push(listener);
  }

  forgetDeleted(): void {
    this.#writer.forget();
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    // The last thread to end merges the write-ahead log into the database and removes the log, which only the writer can
    // do.
    await this.#readers.close();
    await this.#writer.close();
  }

  async #commit(group: readonly VerbCall[]): Promise<readonly CallResult[]> {
    const settled = await this.#writer.ask(
      group,
      group.reduce((sum, call) => sum + call.weight, 0),
    );
    return settled.map((one) => ('error' in one ? { error: this.damage.noted(arrived(one).error) } : one));
  }
}

/** As long as a PostgreSQL read waits for its connection. */
const maxWaitMs = 5_000;

/**
 * How long the thread for long reads is kept after a read. It takes some 20 MB, and its start a tenth of a second, for which
 * people who turn pages should not have to wait.
 */
const keptMs = { forTheNode: 2_000, forOthers: 60_000 };

/**
 * Short reads are as fast with this cache as with the usual one, which is empty again after each commit. The thread keeps the
 * memory of a cache that was once full, as after the walk through all messages that follows a start.
 */
const forShortReads = { cacheKiB: 512 };

type StartReader = (cache?: Pick<WorkerSetup, 'cacheKiB'>) => StoreThread;

/** Each reader thread has its own connection: one for short reads, and one for long reads, whose owners take turns. */
class Readers {
  readonly ready: Promise<unknown>;
  readonly #start: StartReader;
  readonly #short: StoreThread;
  /** Started at the first long read, because most commands finish without one. */
  #long: StoreThread | undefined;
  #longIsKeptUntil = 0;
  #longEnds: NodeJS.Timeout | undefined;
  /** The end of the previous thread for long reads. */
  #longHasEnded: Promise<void> | undefined;
  /** Reads for that thread are queued here, where they can be dropped or overtaken by those of another owner. */
  readonly #turns = new ReadTurns({ turns: 1, ownedTurns: 1, maxWaitMs });

  constructor(start: StartReader) {
    this.#start = start;
    this.#short = start(forShortReads);
    this.ready = this.#short.ready;
  }

  async read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    { signal }: ReadOptions,
  ): Promise<Output> {
    const owner = verb.ownerOf?.(input);
    if (owner === undefined) {
      signal?.throwIfAborted();
      return this.#short.read(verb, input);
    }
    await this.#turns.take(owner, signal);
    clearTimeout(this.#longEnds);
    try {
      const thread = await this.#forLongReads();
      return await thread.read(verb, input);
    } finally {
      // Before the turn is given on: the next read clears the timer.
      this.#keepLong(owner);
      this.#turns.give(owner);
    }
  }

  #keepLong({ companyId }: ReadOwner): void {
    const now = performance.now();
    const wantedMs = companyId === theNode().companyId ? keptMs.forTheNode : keptMs.forOthers;
    this.#longIsKeptUntil = Math.max(this.#longIsKeptUntil, now + wantedMs);
    this.#longEnds = setTimeout(() => {
      this.#longHasEnded = this.#long?.close();
      this.#long = undefined;
    }, this.#longIsKeptUntil - now).unref();
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  async close(): Promise<void> {
    clearTimeout(this.#longEnds);
    await Promise.all([this.#short.close(), this.#long?.close(), this.#longHasEnded]);
  }

  async #forLongReads(): Promise<StoreThread> {
    try {
      this.#long ??= this.#start();
      await this.#long.ready;
      return this.#long;
    } catch (error) {
      // The next read tries again.
      this.#long = undefined;
      throw storeUnavailable(error as Error);
    }
  }
}
