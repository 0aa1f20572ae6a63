/** The embedded store: SQLite behind a thread that writes and two that read. */
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFolder } from '../../foundation/private-files.ts';
import { type Call, GroupCommit, type Settled } from '../group-commit.ts';
import { migrateSqlite } from '../migrate.ts';
import type { ReadOptions, Store } from '../store.ts';
import type { ReadVerb, WriteVerb } from '../verb.ts';
import { databasePath, forgetStatistics, openDatabase } from './database.ts';
import { Readers } from './readers.ts';
import { arrived, StoreThread } from './store-thread.ts';

export interface SqliteOptions {
  /** Folder of the database; made when absent. */
  readonly folder: string;
  /** Entry file of the threads: it calls `runSqliteWorker` with the verbs of all rooms. */
  readonly worker: URL;
  /** A thread has ended by itself, so that the store stays unavailable for as long as this process lives. */
  readonly onEnd?: (error: Error) => void;
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const path = databasePath(options.folder);
  try {
    makePrivateFolder(options.folder);
    const database = openDatabase(path);
    try {
      migrateSqlite(database);
      forgetStatistics(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The store in ${options.folder} cannot be opened: ${(error as Error).message}. Check CARILLON_DATA, its permissions and the disk.`,
    );
  }
  const { worker, onEnd } = options;
  const writer = new StoreThread(worker, { role: 'writer', path }, onEnd);
  const readers = new Readers(() => new StoreThread(worker, { role: 'reader', path }, onEnd));
  await Promise.all([writer.ready, readers.ready]);
  return new SqliteStore(writer, readers);
}

class SqliteStore implements Store {
  readonly dialect = 'sqlite';
  readonly #writer: StoreThread;
  readonly #readers: Readers;
  readonly #commits: GroupCommit;

  constructor(writer: StoreThread, readers: Readers) {
    this.#writer = writer;
    this.#readers = readers;
    this.#commits = new GroupCommit({
      commit: (group) => this.#commit(group),
      // Several on their way: the writer puts together what has come by the time that it is free.
      depth: 8,
      // Measured with 50 callers: 10 % more calls a second than with whole turns; 8 or 24 gave less.
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

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#commits.write(verb, input);
  }

  read<Input, Output>(
    verb: ReadVerb<Input, Output>,
    input: Input,
    options: ReadOptions = {},
  ): Promise<Output> {
    return this.#readers.read(verb, input, options);
  }

  /** One process has this store: there is nobody to tell. */
  announce(): void {}

  /** Nor anybody to hear from. */
  onAnnouncement(): void {}

  forgetDeleted(): void {
    this.#writer.forget();
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    // The last connection to close folds the write-ahead log into the database, and only the writer can.
    await this.#readers.close();
    await this.#writer.close();
  }

  async #commit(group: readonly Call[]): Promise<readonly Settled[]> {
    const settled = await this.#writer.ask(
      group.map((call) => ({ verb: call.verb.name, input: call.input })),
      group.reduce((sum, call) => sum + call.weight, 0),
    );
    return settled.map((one) => ('error' in one ? { error: arrived(one).error } : one));
  }
}
