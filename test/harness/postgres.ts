/** A PostgreSQL server for tests: a fresh cluster in a temporary folder, removed when the process that started it ends. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { emptyTables } from './empty-tables.ts';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  /** The URL of the database `postgres`, from which the cluster's administrator creates others. */
  readonly url: string;
  /**
   * Stops the server but keeps its data: `fast` rolls back and shuts down, `immediate` crashes, and `kill` sends SIGKILL to
   * the main process, which its children notice only afterwards.
   */
  stop(how: 'fast' | 'immediate' | 'kill'): Promise<void>;
  start(): Promise<void>;
  /** Suspends its processes, with their connections open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

export interface PostgresSettings {
  /**
   * Whether to flush writes to disk before acknowledging them. Off by default, since most tests do not crash a machine.
   */
  readonly fsync?: boolean;
}

/** The folder of PostgreSQL's programs, which Debian keeps outside the path, one folder per version. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root, so root starts it as another user. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // This user does not exist here, so the next is tried.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
}

/**
 * The shell between us and the server outlives us just long enough to clean up: when its input closes because this process was
 * killed, it stops the server and removes the folder ($0).
 */
const supervise = `"$@" & server=$!
if read -r signal; then kill -s "$signal" $server; wait $server
else kill -s QUIT $server; wait $server; rm -rf "$0"; fi`;

const startTimeoutMs = 45_000;

export async function startPostgres(settings: PostgresSettings = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed here.');
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postgres-'));
  const runAs = unprivileged();
  if (runAs !== undefined) chownSync(folder, runAs.uid, runAs.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'carillon', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...runAs, cwd: folder, stdio: 'pipe' },
  );
  const server = new Server(join(programs, 'postgres'), folder, data, await freePort(), runAs, settings);
  await server.start();
  return server;
}

class Server implements PostgresServer {
  readonly url: string;
  readonly #command: readonly string[];
  readonly #data: string;
  #frozen: readonly number[] = [];
  readonly #folder: string;
  readonly #runAs: { uid: number; gid: number } | undefined;
  #running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;
  #output = '';

  constructor(
    program: string,
    folder: string,
    data: string,
    port: number,
    runAs: { uid: number; gid: number } | undefined,
    settings: PostgresSettings,
  ) {
    this.url = `postgres://carillon@127.0.0.1:${port}/postgres`;
    this.#folder = folder;
    this.#data = data;
    this.#runAs = runAs;
    const fsync = settings.fsync === true ? 'on' : 'off';
    const set = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      'max_connections=300',
      `fsync=${fsync}`,
      `full_page_writes=${fsync}`,
    ];
    this.#command = [program, '-D', data, ...set.flatMap((setting) => ['-c', setting])];
  }

  async start(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    this.#spawn();
    while (!(await answers(this.url))) {
      if (Date.now() > deadline) {
        await this.close();
        throw new Error(`PostgreSQL did not start within ${startTimeoutMs} ms:\n${this.#output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
      // After a kill, PostgreSQL refuses to start while a child of the previous server is still running.
      if (this.#output.includes('pre-existing shared memory block')) {
        await this.stop('immediate');
        this.#spawn();
      }
    }
  }

  #spawn(): void {
    this.#output = '';
    const child = spawn('sh', ['-c', supervise, this.#folder, ...this.#command], {
      ...this.#runAs,
      cwd: this.#folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.#running = { child, ended };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-4_000);
      });
    }
  }

  async stop(how: 'fast' | 'immediate' | 'kill'): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.child.stdin?.end({ fast: 'INT\n', immediate: 'QUIT\n', kill: 'KILL\n' }[how]);
    await running?.ended;
  }

  freeze(): void {
    const [postmaster = ''] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    this.#frozen = [postmaster, ...children.trim().split(' ')].map(Number);
    for (const pid of this.#frozen) process.kill(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#frozen) process.kill(pid, 'SIGCONT');
    this.#frozen = [];
  }

  async close(): Promise<void> {
    this.thaw();
    await this.stop('immediate');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Runs one statement on its own connection, outside any transaction. Returns the number of rows. */
export function runOn(url: string, statement: string): Promise<number> {
  return onClient(url, async (client) => (await client.query(statement)).rows.length);
}

async function onClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

let made = 0;

/** Creates a separate database; copying a named template is faster than migrating. */
export async function createDatabase(serverUrl: string, template = 'template1'): Promise<string> {
  const name = `test_${process.pid}_${++made}_${Math.random().toString(36).slice(2, 8)}`;
  for (let attempt = 1; ; attempt++) {
    try {
      await runOn(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
      return urlOfDatabase(serverUrl, name);
    } catch (error) {
      // A connection closed just now may still count as using the template.
      const inUse = (error as { code?: string }).code === '55006';
      if (!inUse || attempt === 400) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const goneWithinMs = 1_000;

/** Terminates connections that are still open; those being closed get time to finish, so that they do not fail. */
async function cutOff(serverUrl: string, name: string): Promise<void> {
  const until = Date.now() + goneWithinMs;
  const connected = `FROM pg_stat_activity WHERE datname = '${name}' AND backend_type = 'client backend'`;
  await onClient(serverUrl, async (client) => {
    while ((await client.query(`SELECT ${connected}`)).rows.length > 0) {
      if (Date.now() > until) await client.query(`SELECT pg_terminate_backend(pid) ${connected}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
}

export async function dropDatabase(serverUrl: string, url: string): Promise<void> {
  const name = nameOf(url);
  await cutOff(serverUrl, name);
  await runOn(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** The database's tables, columns and indexes as one text. */
export async function shapeOfDatabase(url: string): Promise<string> {
  return onClient(url, shapeOn);
}

/** Empties the database if it still has this shape; otherwise returns false. */
export async function emptyDatabase(
  serverUrl: string,
  url: string,
  shape: string | undefined,
): Promise<boolean> {
  await cutOff(serverUrl, nameOf(url));
  return onClient(url, async (client) => {
    if ((await shapeOn(client)) !== shape) return false;
    await client.query(emptyTables);
    return true;
  });
}

async function shapeOn(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ shape: string }>(
    `SELECT string_agg(concat_ws(' ', relname, reloptions, attname, atttypid, atttypmod, attnotnull), ', '
              ORDER BY relname, attnum) AS shape
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace`,
  );
  return rows[0]?.shape ?? '';
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
