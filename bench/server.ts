/** A server to measure: a process of its own on a fresh store, as an operator would run it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/harness/free-port.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../test/harness/postgres.ts';

export type Engine = 'sqlite' | 'postgres';

/** PostgreSQL only where it is installed. */
export const engines: readonly Engine[] = findPostgres() === undefined ? ['sqlite'] : ['sqlite', 'postgres'];

export interface ServerOptions {
  readonly engine: Engine;
  readonly roles?: string;
  readonly receiptDelayMs?: number;
}

export interface Server {
  readonly url: string;
  readonly apiKey: string;
  readonly basic: string;
  readonly pid: number;
  /** Milliseconds from the start of the process until it was ready. */
  readonly startMs: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  /** Resident memory in MiB. */
  memory(): number;
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const project = fileURLToPath(new URL('../', import.meta.url));
const username = 'bench';
const password = 'the password of the benchmark';

function provisioning(receiptDelayMs: number): string {
  return `companies:
  - name: Bench
    defaultSender: Bench
    users: [{ username: ${username}, password: "${password}", roles: [send] }]
carriers: [{ name: sim, type: simulator, receiptDelayMs: ${receiptDelayMs} }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;
}

export async function startServer({ engine, roles, receiptDelayMs = 500 }: ServerOptions): Promise<Server> {
  execFileSync(process.execPath, [join(project, 'scripts/build.mjs'), '--when-needed'], { cwd: project });
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  writeFileSync(join(folder, 'provisioning.yaml'), provisioning(receiptDelayMs));
  const server = new ServerProcess(folder, await freePort(), roles, postgres);
  await server.start();
  return server;
}

class ServerProcess implements Server {
  readonly url: string;
  readonly basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  apiKey = '';
  startMs = 0;
  readonly #folder: string;
  readonly #port: number;
  readonly #roles: string | undefined;
  readonly #postgres: PostgresServer | undefined;
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number, roles: string | undefined, postgres: PostgresServer | undefined) {
    this.#folder = folder;
    this.#port = port;
    this.#roles = roles;
    this.#postgres = postgres;
    this.url = `http://127.0.0.1:${port}`;
    this.dataFolder = join(folder, 'data');
    this.databaseUrl = postgres?.url;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const startedAt = performance.now();
    this.#process = spawn(
      process.execPath,
      [
        join(project, 'bin/carillon.js'),
        'serve',
        ...(this.#roles === undefined ? [] : ['--roles', this.#roles]),
      ],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          PATH: process.env.PATH,
          CARILLON_DATA: this.dataFolder,
          CARILLON_HTTP: `127.0.0.1:${this.#port}`,
          CARILLON_SECRET: 'the secret of the benchmarks',
          CARILLON_SMTP: 'off',
          CARILLON_LOG: 'warn',
          CARILLON_PROVISION: join(this.#folder, 'provisioning.yaml'),
          ...(this.#postgres === undefined ? {} : { DATABASE_URL: this.#postgres.url }),
        },
      },
    );
    while (!(await this.#isReady())) await new Promise((resolve) => setTimeout(resolve, 5));
    this.startMs = performance.now() - startedAt;
    const answer = await fetch(`${this.url}/authentication/auth/apikey?name=bench`, {
      headers: { authorization: this.basic },
    });
    this.apiKey = (await answer.json()) as string;
  }

  memory(): number {
    const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return Number(pages) / 1024;
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#postgres?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    if (this.#process?.exitCode !== null) throw new Error('the server ended while starting');
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      // It does not listen yet.
      return false;
    }
  }
}
