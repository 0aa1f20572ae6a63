/** How threads are started, called and answered. What a thread still owes when it ends is answered by an error. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, type FieldError, ServiceError } from './errors.ts';
import type { Sentence } from './sentences.ts';
import { Slots } from './slots.ts';

/** Without an id nobody waits for an answer. */
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
  /** For who waits for an answer when the thread ends. */
  readonly lost: (cause: Error) => Error;
  /** For who asks after that. */
  readonly gone: (cause: Error) => Error;
  readonly onEnd?: (cause: Error) => void;
}

export class CalledThread<Ask> {
  /** Resolves when the thread is no more. */
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

  /** `transfer` is left out rather than empty: an empty list costs a call of the store a tenth more. */
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

/** In the thread: has each call answered, also one that nobody waits for any more. `given` names what an answer hands over. */
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

/** An error as it crosses threads, without what else makes it ours. Without a code it is no fault of the caller. */
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

/** The entry file may be source or built. */
export function startThread(
  entry: URL,
  { name, workerData }: { readonly name: string; readonly workerData?: unknown },
): Worker {
  const file = entry.pathname.endsWith('.ts') ? bundleOf(entry) : entry;
  return new Worker(file, { workerData, execArgv: [], name });
}

const bundles = new Map<string, URL>();

/**
 * From source (development, tests) an entry is built, with its packages and apart from what it may load later, once for
 * each process, or for all that share the fresh folder that `CARILLON_THREADS` names. With a loader for TypeScript, each
 * thread would take half a second to start; with its packages file by file, nearly as much.
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
    // Packages with programs of their own beside their code.
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
    // Another process was quicker.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
}

let own: string | undefined;

function ownFolder(): string {
  own ??= folderOfThreads();
  return own;
}

/** Beside the packages, some of which what is built still imports. It goes with this process. */
export function folderOfThreads(): string {
  const cache = fileURLToPath(new URL('../../node_modules/.cache/carillon', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'threads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
