/**
 * The thread that holds a SQLite connection. The writer runs groups of calls, each group as one durable transaction, and the
 * reader answers reads beside it. Blocking here never holds up the event loop that serves requests.
 */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StartError } from '../../foundation/errors.ts';
import { type Call, portOfThread, type Reply } from '../../foundation/thread.ts';
import { byVerb } from '../group-commit.ts';
import { type AnyVerb, type ReadVerb, runVerb, type WriteVerb } from '../verb.ts';
import {
  beginWriting,
  type Database,
  emptyLog,
  forgetStatistics,
  openDatabase,
  waitForNoLock,
} from './database.ts';
import { CommitInDoubt, crossing, isHarmless, isIoError } from './faults.ts';
import { Migrator, requireSqliteSchema } from './migrate.ts';
import type {
  NamedCall,
  Opened,
  WorkerAnswer,
  WorkerAsk,
  WorkerRequest,
  WorkerSettled,
  WorkerSetup,
} from './store-thread.ts';
import { SqliteTransaction } from './transaction.ts';

/** Starts the thread's loop. The thread's entry file passes the verbs of all rooms. */
export function runSqliteWorker(verbs: ReadonlyMap<string, AnyVerb>): void {
  const port = portOfThread();
  const begun = begin(verbs);
  let queue: Promise<void> = Promise.resolve();
  const take = (first: Message): void => {
    // Requests run one after the other: a verb may await, and nothing else may enter its transaction meanwhile.
    queue = queue.then(async () => {
      if ('refused' in begun || 'older' in begun) {
        reply(port, first, begun);
        if (first.ask === 'close') port.close();
        return;
      }
      const { requests, last } = takeAll(port, first);
      const calls = requests.map(({ ask }) => callsIn(ask, verbs));
      const settled = await begun.answer(calls.flat());
      let start = 0;
      for (const [place, request] of requests.entries()) {
        const end = start + (calls[place] as readonly NamedCall[]).length;
        reply(port, request, answerOf(settled.slice(start, end)));
        start = end;
      }
      if (last?.ask === 'open') reply(port, last, { isOpen: true } satisfies Opened);
      if (last?.ask === 'migrate' && begun instanceof Migrator) reply(port, last, begun.migrate());
      // Another thread or process was reading or writing at that moment.
      if (last?.ask === 'forget' && !begun.forget()) setTimeout(() => take(last), forgetAgainMs).unref();
      if (last?.ask !== 'close') return;
      begun.close();
      port.close();
    });
  };
  port.on('message', take);
}

function reply(port: MessagePort, { id }: Message, answer: unknown): void {
  if (id !== undefined) port.postMessage({ id, answer } satisfies Reply);
}

type NotOpen = Exclude<Opened, { isOpen: true }>;

/** Returns NotOpen if the store can't be opened in this way. The starter of the thread gets the reason. */
function begin(verbs: ReadonlyMap<string, AnyVerb>): Writer | Reader | Migrator | NotOpen {
  const setup = workerData as WorkerSetup;
  const { role, path, schema = 'use' } = setup;
  if (role === 'reader') return new Reader(setup, verbs);
  try {
    const database = openDatabase(path);
    if (role === 'migrator') return new Migrator(path, database, verbs);
    const older = requireSqliteSchema(database, schema);
    if (older === undefined) return new Writer(path, verbs, database);
    database.close();
    return { older };
  } catch (error) {
    return { refused: (error as Error).message, isOwn: error instanceof StartError };
  }
}

type Message = Call<WorkerAsk>;
type Request = Call<WorkerRequest>;

const forgetAgainMs = 1_000;

/** A transaction takes no further request once it touches this many rows. */
const maxTransactionWeight = 1_000;

/**
 * All requests that arrived while the last transaction was being made durable share the next one. The thread never waits
 * while there is work, and the busier it is, the fewer commits it makes.
 */
function takeAll(
  port: MessagePort,
  first: Message,
): { requests: readonly Request[]; last: Message | undefined } {
  const requests: Request[] = [];
  let weight = 0;
  let message: Message | undefined = first;
  while (message !== undefined && isRequest(message)) {
    requests.push(message);
    weight += message.ask.weight;
    if (weight >= maxTransactionWeight) break;
    message = (receiveMessageOnPort(port) as { message: Message } | undefined)?.message;
  }
  return { requests, last: message };
}

function isRequest(message: Message): message is Request {
  return typeof message.ask === 'object';
}

/** The calls of a request, one step after the other. Its answer lists their results in the same order. */
function callsIn({ steps }: WorkerRequest, verbs: ReadonlyMap<string, AnyVerb>): readonly NamedCall[] {
  return steps.flatMap(({ verb, inputs }) => {
    const packing = verbs.get(verb)?.packing;
    const unpacked = packing === undefined ? (inputs as readonly unknown[]) : packing.unpack(inputs as never);
    return unpacked.map((input) => ({ verb, input }));
  });
}

function answerOf(settled: readonly WorkerSettled[]): WorkerAnswer {
  const outputs: unknown[] = [];
  for (const one of settled) {
    if ('error' in one) return { settled };
    outputs.push(one.output);
  }
  return { outputs };
}

class Writer {
  readonly #path: string;
  readonly #verbs: ReadonlyMap<string, AnyVerb>;
  readonly #ranks: ReadonlyMap<string, number>;
  #database: Database;
  #transaction: SqliteTransaction;

  constructor(path: string, verbs: ReadonlyMap<string, AnyVerb>, database: Database) {
    this.#path = path;
    this.#verbs = verbs;
    this.#ranks = new Map([...verbs.keys()].map((name, index) => [name, index]));
    this.#database = database;
    forgetStatistics(this.#database);
    waitForNoLock(this.#database);
    this.#transaction = new SqliteTransaction(this.#database);
  }

  async answer(calls: readonly NamedCall[]): Promise<readonly WorkerSettled[]> {
    if (calls.length === 0) return [];
    try {
      return await this.#commit(calls);
    } catch (error) {
      const crossed = crossing(error);
      // Damage affects only the calls that meet it.
      const isOfOne = crossed.fault === 'own' || crossed.fault === 'damaged';
      if (!isOfOne || calls.length === 1) {
        if (!isOfOne && !isHarmless(error)) this.#reopen();
        return calls.map(() => ({ error: crossed }));
      }
    }
    // One call failed. Each is run alone, so only the faulty one gets the error.
    const settled: WorkerSettled[] = [];
    for (const call of calls) settled.push(...(await this.answer([call])));
    return settled;
  }

  /** Returns false if forgetting is not possible now. */
  forget(): boolean {
    try {
      return emptyLog(this.#database);
    } catch {
      // The disk is at fault, and the next call that meets the fault will report it.
      return false;
    }
  }

  close(): void {
    this.#database.close();
  }

  async #commit(calls: readonly NamedCall[]): Promise<readonly WorkerSettled[]> {
    const settled: WorkerSettled[] = new Array(calls.length);
    const steps = this.#steps(calls);
    for (const { verb } of steps) if (verb.load !== undefined) await verb.load();
    beginWriting(this.#database);
    try {
      for (const step of steps) {
        const inputs = step.indexes.map((index) => calls[index]?.input);
        const outputs = await runVerb(step.verb, this.#transaction, inputs);
        for (let index = 0; index < inputs.length; index++) {
          settled[step.indexes[index] as number] = { output: outputs[index] };
        }
      }
      this.#keep();
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
    return settled;
  }

  #keep(): void {
    try {
      this.#database.exec('COMMIT');
    } catch (error) {
      throw isIoError(error) ? new CommitInDoubt((error as Error).message, { cause: error }) : error;
    }
  }

  /** Sorts steps in registry order, which follows a message's life: its outcome is stored before its receipt. */
  #steps(calls: readonly NamedCall[]) {
    const named = calls.map((call) => {
      const verb = this.#verbs.get(call.verb);
      if (verb?.kind !== 'write') throw new Error(`the store knows no write verb ${call.verb}`);
      return { verb: verb as WriteVerb<unknown, unknown> };
    });
    const rank = (step: { verb: { name: string } }) => this.#ranks.get(step.verb.name) as number;
    return [...byVerb(named)].sort((a, b) => rank(a) - rank(b));
  }

  /** After a disk fault, the connection may hold broken state. A new one recovers as soon as the disk does. */
  #reopen(): void {
    try {
      const fresh = openDatabase(this.#path);
      waitForNoLock(fresh);
      this.#database.close();
      this.#database = fresh;
      this.#transaction = new SqliteTransaction(fresh);
    } catch {
      // The disk is still at fault. The next call runs into the fault, gets `store_unavailable`, and tries this again.
    }
  }
}

function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back by itself (disk full, I/O error), so there is no transaction left to end.
  }
}

class Reader {
  readonly #verbs: ReadonlyMap<string, AnyVerb>;
  readonly #setup: WorkerSetup;
  #opened: { readonly database: Database; readonly transaction: SqliteTransaction } | undefined;

  constructor(setup: WorkerSetup, verbs: ReadonlyMap<string, AnyVerb>) {
    this.#setup = setup;
    this.#verbs = verbs;
  }

  /** Opened by the first read, which comes after the writer has made the store ready. */
  #open() {
    if (this.#opened !== undefined) return this.#opened;
    const { path, cacheKiB } = this.#setup;
    const database = openDatabase(path, { readOnly: true, ...(cacheKiB !== undefined && { cacheKiB }) });
    this.#opened = { database, transaction: new SqliteTransaction(database) };
    return this.#opened;
  }

  async answer(calls: readonly NamedCall[]): Promise<readonly WorkerSettled[]> {
    const settled: WorkerSettled[] = [];
    for (const call of calls) {
      try {
        const verb = this.#verbs.get(call.verb);
        if (verb?.kind !== 'read') throw new Error(`the store knows no read verb ${call.verb}`);
        settled.push({
          output: await (verb.snapshot === true
            ? this.#inSnapshot(verb, call)
            : verb.run(this.#open().transaction, call.input)),
        });
      } catch (error) {
        settled.push({ error: crossing(error) });
      }
    }
    return settled;
  }

  /** The writer, in its own thread, can commit between independent statements. */
  async #inSnapshot(verb: ReadVerb<unknown, unknown>, { input }: NamedCall): Promise<unknown> {
    const { database, transaction } = this.#open();
    database.exec('BEGIN');
    try {
      return await verb.run(transaction, input);
    } finally {
      // Nothing was written, so there is nothing to keep.
      rollBack(database);
    }
  }

  /** Only the writer has anything to forget. */
  readonly forget = () => true;

  close(): void {
    this.#opened?.database.close();
  }
}
