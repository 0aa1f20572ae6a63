/**
 * What the thread does that brings an older file of SQLite forward: it answers what is read before that, keeps a copy, and
 * migrates. A thread of its own, so that neither a copy nor a step over a large table holds up the event loop.
 */
import { StartError } from '../../foundation/errors.ts';
import type { AnyVerb } from '../verb.ts';
import { keepCopy, removeOlderCopies } from './copy-before.ts';
import type { Database } from './database.ts';
import { crossing } from './faults.ts';
import { migrateSqlite } from './migrate.ts';
import { SqliteTransaction } from './transaction.ts';
import type { NamedCall, Opened, WorkerSettled } from './worker-calls.ts';

export class Migrator {
  readonly #path: string;
  readonly #database: Database;
  readonly #verbs: ReadonlyMap<string, AnyVerb>;

  constructor(path: string, database: Database, verbs: ReadonlyMap<string, AnyVerb>) {
    this.#path = path;
    this.#database = database;
    this.#verbs = verbs;
  }

  async answer(calls: readonly NamedCall[]): Promise<readonly WorkerSettled[]> {
    const transaction = new SqliteTransaction(this.#database);
    const settled: WorkerSettled[] = [];
    for (const call of calls) {
      try {
        const verb = this.#verbs.get(call.verb);
        if (verb?.kind !== 'read') throw new Error(`the store knows no read verb ${call.verb}`);
        settled.push({ output: await verb.run(transaction, call.input) });
      } catch (error) {
        settled.push({ error: crossing(error) });
      }
    }
    return settled;
  }

  migrate(): Opened {
    try {
      migrateSqlite(this.#database, () => keepCopy(this.#path));
      removeOlderCopies(this.#path);
      return { isOpen: true };
    } catch (error) {
      return { refused: (error as Error).message, isOwn: error instanceof StartError };
    }
  }

  readonly forget = () => true;

  close(): void {
    this.#database.close();
  }
}
