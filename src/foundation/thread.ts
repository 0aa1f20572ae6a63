/** Starts, calls and answers threads. Calls still pending when a thread ends are rejected with an error. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, type FieldError, ServiceError } from './errors.ts';
import type { Sentence } from './sentences.ts';
import { Slots } from './slots.ts';

/** Without an id no response is expected. */
export interface Call<Ask> {
  readonly id?: number;
  readonly ask: Ask;
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: CrossingFault };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

interface CalledThreadOptions {
  readonly name: string;
  /** Completes "… has ended". */
  readonly noun: string;
  readonly workerData?: unknown;
  /** The error for calls pending when the thread ends. */
  readonly lost: (cause: Error) => Error;
  /** The error for calls made after that. */
  readonly gone: (cause: Error) => Error;
  readonly onEnd?: (cause: Error) => void;
}

export class CalledThread<Ask> {
  /** Resolves when the thread has exited. */
  readonly ended: Promise<void>;
  readonly #options: CalledThreadOptions;
  readonly #worker: Worker;
  #waiting = new Slots<Waiting>();
  #failure: Error | undefined;

  constructor(entry: URL, options: CalledThreadOptions) {
    this.#options = options;
    this.#worker = startThread(entry, options);
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new Error(`${options.noun} has ended`));
        resolve();
      });
    });
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** `transfer` is omitted rather than empty: an empty list makes a call to the store a tenth slower. */
  call<Answer>(ask: Ask, transfer?: readonly ArrayBuffer[]): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#options.gone(this.#failure));
    return new Promise((resolve, reject) => {
      const id = this.#waiting.add({ resolve, reject });
      try {
        this.#worker.postMessage({ id, ask } satisfies Call<Ask>, transfer);
      } catch (error) {
        this.#waiting.remove(id);
        throw error;
      }
    });
  }

  tell(ask: Ask): void {
    this.#worker.postMessage({ ask } satisfies Call<Ask>);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.remove(reply.id);
    if ('fault' in reply) waiting?.reject(arrived(reply.fault));
    else waiting?.resolve(reply.answer as never);
  }

  #fail(cause: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = cause;
    const waiting = this.#waiting;
    this.#waiting = new Slots();
    for (const { reject } of waiting) reject(this.#options.lost(cause));
    this.#options.onEnd?.(cause);
  }
}

/** Runs in the thread: answers each call, even if no caller waits any more. `given` lists what an answer transfers. */
export function answerCalls<Ask, Answer>(
  answer: (ask: Ask) => Promise<Answer>,
  given: (answer: Answer) => readonly ArrayBuffer[] = () => [],
): void {
  const port = portOfThread();
  port.on('message', async ({ id, ask }: Call<Ask>) => {
    if (id === undefined) {
      await answer(ask);
      return;
    }
    try {
      const answered = await answer(ask);
      port.postMessage({ id, answer: answered } satisfies Reply, given(answered));
    } catch (error) {
      port.postMessage({ id, fault: crossing(error) } satisfies Reply);
    }
  });
}

export function portOfThread() {
  if (parentPort === null) throw new Error('this file runs as a worker thread only');
  return parentPort;
}

/** An error as it crosses threads, without our own class. Without a code the caller is not at fault. */
export interface CrossingFault {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly values: Sentence | undefined;
  readonly errors: readonly FieldError[];
}

export function crossing(error: unknown): CrossingFault {
  if (error instanceof ServiceError) {
    const { code, message, values, errors } = error;
    return { code, message, stack: undefined, values, errors };
  }
  const { message = String(error), stack } = error as Partial<Error>;
  return { code: undefined, message, stack, values: undefined, errors: [] };
}

export function arrived({ code, message, stack, values, errors }: CrossingFault): Error {
  if (code !== undefined) return new ServiceError(code, message, { values, errors });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** The entry file may be source or a build. */
export function startThread(
  entry: URL,
  { name, workerData }: { readonly name: string; readonly workerData?: unknown },
): Worker {
  const file = entry.pathname.endsWith('.ts') ? bundleOf(entry) : entry;
  return new Worker(file, { workerData, execArgv: [], name });
}

const bundles = new Map<string, URL>();

/**
 * When running from source (development, tests), bundles an entry with its packages, apart from what it may load later, once
 * per process or for all processes that share the fresh folder named by `CARILLON_THREADS`. With a TypeScript loader each
 * thread would take half a second to start, and nearly as long if its packages were loaded file by file.
 */
function bundleOf(entry: URL): URL {
  const known = bundles.get(entry.href);
  if (known !== undefined) return known;
  const source = fileURLToPath(entry);
  const folder = join(process.env.CARILLON_THREADS ?? ownFolder(), source.replaceAll(/[^\w.-]/g, '_'));
  if (!existsSync(folder)) build(source, folder);
  const bundle = pathToFileURL(join(folder, 'thread.mjs'));
  bundles.set(entry.href, bundle);
  return bundle;
}

function build(source: string, folder: string): void {
  const draft = `${folder}.${process.pid}`;
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  buildSync({
    entryPoints: [{ in: source, out: 'thread' }],
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    // Packages with native programs beside their code.
    external: ['@node-rs/argon2', '@photostructure/sqlite'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    logLevel: 'error',
  });
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
}

let own: string | undefined;

function ownFolder(): string {
  own ??= folderOfThreads();
  return own;
}

/** A folder beside the packages, because the bundle still imports some of them. It is removed when this process exits. */
export function folderOfThreads(): string {
  const cache = fileURLToPath(new URL('../../node_modules/.cache/carillon', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'threads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
