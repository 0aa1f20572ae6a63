/** Fresh stores for tests of what lies above the engines: each such test runs on SQLite and on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type EngineName, eachEngine, freshDatabase } from './engines.ts';

export interface FreshStore {
  /** The store that is open now. */
  readonly store: Store;
  /** Where its data is: a folder, or the URL of a database. */
  readonly place: string;
  /** Closes the store and opens it again on the same data, as a restart does. */
  reopen(): Promise<Store>;
  /** One more store on the same data, as another process has it. */
  openAnother(): Promise<Store>;
  /** Closes what is open and removes the data. Called at the end of the block for those who don't. */
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: EngineName;
  openFreshStore(): Promise<FreshStore>;
}

/** Runs a block of tests for each engine, and disposes of the stores that it opened. */
export function eachStore(title: string, tests: (engine: Engine) => void): void {
  eachEngine(title, (name) => {
    const opened: FreshStore[] = [];
    afterAll(async () => {
      for (const fresh of opened) await fresh.dispose();
    });
    tests({
      name,
      async openFreshStore() {
        const fresh = await openFreshStore(name);
        opened.push(fresh);
        return fresh;
      },
    });
  });
}

interface Place {
  readonly at: string;
  open(): Promise<Store>;
  remove(): void | Promise<void>;
}

/** A fresh store, of which the caller disposes. */
export async function openFreshStore(engine: EngineName): Promise<FreshStore> {
  const place = engine === 'sqlite' ? sqlitePlace() : await postgresPlace();
  let store = await place.open().catch(async (error: unknown) => {
    await place.remove();
    throw error;
  });
  const others: Store[] = [];
  let disposed = false;
  return {
    get store() {
      return store;
    },
    place: place.at,
    async reopen() {
      await store.close();
      store = await place.open();
      return store;
    },
    async openAnother() {
      const other = await place.open();
      others.push(other);
      return other;
    },
    async dispose() {
      if (disposed) return;
      disposed = true;
      // One that the test has closed itself may refuse to be closed again.
      await Promise.allSettled([store, ...others].map((open) => open.close()));
      await place.remove();
    },
  };
}

function sqlitePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-store-'));
  return {
    at: folder,
    open: () => openSqliteStore({ folder, worker: testWorker }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgresPlace(): Promise<Place> {
  const database = await freshDatabase();
  return {
    at: database.url,
    open: () => openPostgresStore({ url: database.url, log: { warn: () => undefined } }),
    remove: () => database.drop(),
  };
}

/** The entry file of the store's threads under test. */
export const testWorker = new URL('./store-worker.ts', import.meta.url);
