/** Fresh stores for tests of code above the engines; each such test runs on SQLite and on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type EngineName, eachEngine, freshDatabase } from './engines.ts';
import { LentStore } from './lent-store.ts';
import { emptyStore, listTables } from './storage-verbs.ts';

export interface FreshStore {
  /** The store currently open. */
  readonly store: Store;
  /** The location of its data: a folder, or a database URL. */
  readonly place: string;
  /** Closes the store and reopens it on the same data, as a restart does. */
  reopen(): Promise<Store>;
  /** Opens one more store on the same data, as another process would. */
  openAnother(): Promise<Store>;
  /** Closes everything that is open and removes the data. Called automatically at the end of the block. */
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: EngineName;
  openFreshStore(): Promise<FreshStore>;
}

/** Emptied stores for the next test in this process, whatever its file, because opening one takes fifty times as long. */
const idleStores: Readonly<Record<EngineName, OpenedStore[]>> = { sqlite: [], postgres: [] };
const maxIdleStores = 2;

/**
 * Runs a block of tests on each engine. A store opened in a test is taken back and emptied after it; one opened before all
 * tests stays until the block ends.
 */
export function eachStore(title: string, tests: (engine: Engine) => void): void {
  eachEngine(title, (name) => withStores(name, tests));
}

/** The same on SQLite alone, for tests whose use of the store is covered on both engines by other tests. */
export function sqliteStore(title: string, tests: (engine: Engine) => void): void {
  describe(title, () => withStores('sqlite', tests));
}

function withStores(name: EngineName, tests: (engine: Engine) => void): void {
  let ofBlock: OpenedStore[] = [];
  let ofTest: OpenedStore[] | undefined;
  const takeBack = async (stores: readonly OpenedStore[]) => {
    for (const fresh of stores) {
      if (idleStores[name].length < maxIdleStores && (await fresh.empty())) idleStores[name].push(fresh);
      else await fresh.dispose();
    }
  };
  beforeEach(() => {
    ofTest = [];
  });
  afterEach(async () => {
    const stores = ofTest ?? [];
    ofTest = undefined;
    await takeBack(stores);
  });
  afterAll(async () => {
    await takeBack(ofBlock);
    ofBlock = [];
  });
  tests({
    name,
    async openFreshStore() {
      const fresh = idleStores[name].pop() ?? (await openStore(name));
      (ofTest ?? ofBlock).push(fresh);
      return fresh;
    },
  });
}

interface Place {
  readonly at: string;
  open(): Promise<Store>;
  remove(): void | Promise<void>;
}

/**
 * Opens a fresh store that the caller disposes of. Use `unused` if the server's statistics about it must come from this test
 * alone.
 */
export function openFreshStore(
  engine: EngineName,
  content: 'migrated' | 'unused' = 'migrated',
): Promise<FreshStore> {
  return openStore(engine, content);
}

async function openStore(
  engine: EngineName,
  content: 'migrated' | 'unused' = 'migrated',
): Promise<OpenedStore> {
  const place = engine === 'sqlite' ? sqlitePlace() : await postgresPlace(content);
  try {
    const store = await place.open();
    return new OpenedStore(place, store, await store.read(listTables, null));
  } catch (error) {
    await place.remove();
    throw error;
  }
}

class OpenedStore implements FreshStore {
  readonly #place: Place;
  readonly #tables: readonly string[];
  readonly #others: Store[] = [];
  #opened: Store;
  #lent: LentStore;
  #disposed = false;

  constructor(place: Place, opened: Store, tables: readonly string[]) {
    this.#place = place;
    this.#tables = tables;
    this.#opened = opened;
    this.#lent = new LentStore(opened);
  }

  get store(): Store {
    return this.#lent;
  }

  get place(): string {
    return this.#place.at;
  }

  readonly reopen = async (): Promise<Store> => {
    await this.#lent.close();
    this.#opened = await this.#place.open();
    this.#lent = new LentStore(this.#opened);
    return this.#lent;
  };

  readonly openAnother = async (): Promise<Store> => {
    const other = await this.#place.open();
    this.#others.push(other);
    return other;
  };

  /** Takes the store back; returns false if it cannot be lent again. */
  async empty(): Promise<boolean> {
    if (this.#disposed || this.#lent.isClosed) return false;
    await this.#lent.takeBack();
    await Promise.allSettled(this.#others.splice(0).map((other) => other.close()));
    if (!(await this.#opened.write(emptyStore, this.#tables))) return false;
    this.#lent = new LentStore(this.#opened);
    return true;
  }

  readonly dispose = async (): Promise<void> => {
    if (this.#disposed) return;
    this.#disposed = true;
    // A store that the test itself closed may refuse to be closed again.
    await Promise.allSettled([this.#opened, ...this.#others].map((open) => open.close()));
    await this.#place.remove();
  };
}

function sqlitePlace(): Place {
  // Idle stores left when a process ends are removed with the run.
  const folder = mkdtempSync(join(inject('folder'), 'store-'));
  return {
    at: folder,
    open: () => openSqliteStore({ folder, worker: testWorker }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A machine that stalls for seconds must not end what these tests are doing. */
const patient = 'statement_timeout=120000&idle_in_transaction_session_timeout=120000';

async function postgresPlace(content: 'migrated' | 'unused'): Promise<Place> {
  const database = await freshDatabase(content);
  const url = `${database.url}?${patient}`;
  return {
    at: url,
    open: () => openPostgresStore({ url, log: { warn: () => undefined } }),
    remove: () => database.drop(),
  };
}

export const testWorker = new URL('./store-worker.ts', import.meta.url);
