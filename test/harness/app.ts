/** The whole server as users run it: a process with a fresh store that a test can stop, kill and restart. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ApiClient, apiClient, type Credentials, patientTries } from './api-client.ts';
import type { EngineName, FreshDatabase } from './engines.ts';
import { freePort } from './free-port.ts';
import { program, programWithLedger } from './program.ts';

/** A company with one user of each kind that tests need, and a simulator that responds at once. */
export const standardProvisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send] }
      - { username: bob, password: "bob's long password", roles: [send] }
      - { username: carol, password: "carol's long password", roles: [] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46731230001", rentedBy: alice }
`;

export const alice = { username: 'alice', password: "alice's long password" } satisfies Credentials;
export const bob = { username: 'bob', password: "bob's long password" } satisfies Credentials;
/** Can log in but has no role. */
export const carol = { username: 'carol', password: "carol's long password" } satisfies Credentials;

export interface WholeAppOptions {
  readonly engine: EngineName;
  /** The provisioning file's YAML; without it the server does a first start, with its demo company. */
  readonly provisioning?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments after `serve`. */
  readonly serve?: readonly string[];
  /** The script that `node` runs instead of the usual one. */
  readonly program?: string;
  /** The path of a Node other than the one that runs the tests. */
  readonly node?: string;
  /** Where standard error is written instead of `stderr` below. */
  readonly stderrFile?: string;
  /** Whether its address has a name, as passkeys need. */
  readonly isNamed?: boolean;
  /** Whether to wait until `/readyz` reports ready, which is the default; false for a server whose HTTP has TLS. */
  readonly ready?: boolean;
  /** Shares the store of this node (PostgreSQL) instead of using a fresh one. */
  readonly besides?: WholeApp;
}

interface RestartOptions extends Pick<WholeAppOptions, 'stderrFile'> {
  /** Whether to wait until `/readyz` reports ready, which is the default; false waits only for a response of any kind. */
  readonly ready?: boolean;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WholeApp {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  /** The server's output so far, across all starts. */
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number | undefined;
  /** The exit code of the latest run; null if a signal ended it. */
  readonly lastExitCode: number | null | undefined;
  as(credentials?: Credentials): ApiClient;
  /** Runs another command (`apply`, `keys list`, …) alongside the server, in the same environment. */
  run(...parameters: readonly string[]): Promise<CommandResult>;
  apply(provisioning: string): Promise<CommandResult>;
  /** Stops reading the server's output; the pipes stay open, or are closed. */
  stopReading(readers: 'there' | 'gone'): void;
  readOn(): void;
  /** Crashes the server with SIGKILL. */
  kill(): Promise<void>;
  /** Shuts down with SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Restarts on the same address and data, stopping the server first if necessary. */
  restart(options?: RestartOptions): Promise<void>;
  /** Kills the process and removes its data. */
  close(): Promise<void>;
}

/** The environment variables that the process needs, without any service settings from our own environment. */
function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CARILLON_') && name !== 'DATABASE_URL' && !name.startsWith('VITEST'),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

export async function startWholeApp(options: WholeAppOptions): Promise<WholeApp> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-app-'));
  const shared = options.besides?.env;
  const database = shared === undefined && options.engine === 'postgres' ? await testDatabase() : undefined;
  const port = await freePort();
  const baseUrl = `http://${options.isNamed ? 'localhost' : '127.0.0.1'}:${port}`;
  const provisioningFile = join(folder, 'provisioning.yaml');
  if (options.provisioning !== undefined) writeFileSync(provisioningFile, options.provisioning);
  const env: Record<string, string> = {
    ...cleanEnvironment(),
    CARILLON_SECRET: 'a secret of the tests, long enough to be one',
    ...(options.provisioning === undefined ? {} : { CARILLON_PROVISION: provisioningFile }),
    CARILLON_DATA: join(folder, 'data'),
    CARILLON_SMTP: 'off',
    ...pick(shared, 'DATABASE_URL'),
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
    ...options.env,
    CARILLON_HTTP: `127.0.0.1:${port}`,
    ...(options.isNamed ? { CARILLON_PUBLIC_URL: baseUrl } : {}),
  };
  const app = new AppProcess({ ...options, folder, baseUrl, env, dropDatabase: () => database?.drop() });
  try {
    await app.start({ ready: options.ready ?? true });
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** Imported only here, so that scripts, which run without the test runner, can start the server too. */
async function testDatabase(): Promise<FreshDatabase> {
  const { freshDatabase } = await import('./engines.ts');
  return freshDatabase();
}

function pick(from: Readonly<Record<string, string>> | undefined, name: string): Record<string, string> {
  const value = from?.[name];
  return value === undefined ? {} : { [name]: value };
}

/** Far longer than the server itself takes, even on a slow, busy machine. */
const startTimeoutMs = 110_000;
const stopTimeoutMs = 110_000;

interface AppProcessOptions extends Pick<WholeAppOptions, 'serve' | 'stderrFile' | 'program' | 'node'> {
  readonly folder: string;
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly dropDatabase: () => Promise<void> | undefined;
}

class AppProcess implements WholeApp {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  stdout = '';
  stderr = '';
  lastExitCode: number | null | undefined;
  readonly #node: string;
  readonly #program: string;
  readonly #folder: string;
  readonly #serve: readonly string[];
  readonly #stderrFile: string | undefined;
  readonly #dropDatabase: () => Promise<void> | undefined;
  #running: { readonly child: ChildProcess; readonly ended: Promise<number | null> } | undefined;

  constructor(options: AppProcessOptions) {
    const { folder, baseUrl, env, serve = [], stderrFile, dropDatabase } = options;
    this.#node = options.node ?? process.execPath;
    this.#program = options.program ?? (env.CARRIER_LEDGER === undefined ? program() : programWithLedger());
    this.#folder = folder;
    this.baseUrl = baseUrl;
    this.env = env;
    this.#serve = serve;
    this.#stderrFile = stderrFile;
    this.#dropDatabase = dropDatabase;
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  as(credentials?: Credentials): ApiClient {
    return apiClient(this.baseUrl, credentials, patientTries);
  }

  async start({ stderrFile = this.#stderrFile, ready = true }: RestartOptions = {}): Promise<void> {
    const writtenBefore = this.stdout.length;
    const stderr = stderrFile === undefined ? 'pipe' : openSync(stderrFile, 'a');
    const child = spawn(this.#node, [this.#program, 'serve', ...this.#serve], {
      cwd: this.#folder,
      env: this.env,
      stdio: ['ignore', 'pipe', stderr],
    });
    if (typeof stderr === 'number') closeSync(stderr);
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    const ended = new Promise<number | null>((resolve) => {
      // The event is 'close', not 'exit', because all output has been read once it comes.
      child.once('close', (exitCode) => {
        process.off('exit', killWithUs);
        this.#running = undefined;
        this.lastExitCode = exitCode;
        resolve(exitCode);
      });
    });
    this.#running = { child, ended };
    await this.#ready(ready ? 'Carillon is running.' : 'Carillon is ready at ', writtenBefore);
  }

  /** `said` is what the server prints when ready, for cases where it can't or won't report that over HTTP. */
  async #ready(said: string, writtenBefore: number): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    while (this.#running !== undefined && Date.now() < deadline) {
      const answer = await fetch(`${this.baseUrl}/readyz`).catch(() => undefined);
      if (answer?.status === 200 || this.stdout.indexOf(said, writtenBefore) >= 0) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const outcome = this.#running === undefined ? 'has ended' : `is not ready after ${startTimeoutMs} ms`;
    throw new Error(`The server ${outcome}.\n${this.stdout.slice(-4_000)}\n${this.stderr.slice(-4_000)}`);
  }

  run(...parameters: readonly string[]): Promise<CommandResult> {
    return new Promise((resolve) => {
      const options = { cwd: this.#folder, env: this.env };
      const child = execFile(this.#node, [this.#program, ...parameters], options, (_, stdout, stderr) => {
        resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
      });
    });
  }

  apply(provisioning: string): Promise<CommandResult> {
    // Changes the file used at the start, because a different file would not reset what that file has set.
    const file = this.env.CARILLON_PROVISION ?? join(this.#folder, 'applied.yaml');
    writeFileSync(file, provisioning);
    return this.run('apply', file);
  }

  stopReading(readers: 'there' | 'gone'): void {
    for (const stream of this.#outputs()) {
      if (readers === 'gone') stream.destroy();
      else stream.pause();
    }
  }

  readOn(): void {
    for (const stream of this.#outputs()) stream.resume();
  }

  #outputs(): Readable[] {
    const { stdout, stderr } = this.#running?.child ?? {};
    return [stdout, stderr].filter((stream) => stream instanceof Readable);
  }

  async kill(): Promise<void> {
    const running = this.#running;
    running?.child.kill('SIGKILL');
    await running?.ended;
  }

  async stop(): Promise<number | null> {
    const running = this.#running;
    if (running === undefined) return null;
    running.child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.stderr += `\n(the test killed the server, which did not stop within ${stopTimeoutMs} ms)`;
      running.child.kill('SIGKILL');
    }, stopTimeoutMs);
    const exitCode = await running.ended;
    clearTimeout(timer);
    return exitCode;
  }

  async restart(options?: RestartOptions): Promise<void> {
    await this.stop();
    await this.start(options);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#dropDatabase();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
