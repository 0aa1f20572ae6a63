/** A server to measure: its own process on a fresh store, built and started as an operator would. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../test/harness/free-port.ts';
import { type PostgresServer, startPostgres } from '../test/harness/postgres.ts';
import { pause } from './measure.ts';
import type { Engine } from './options.ts';

export interface ServerOptions {
  readonly engine: Engine;
  readonly roles?: string;
  /** The carrier for all messages, as a line of the provisioning file. The simulator if absent. */
  readonly carrier?: string;
  /** Webhooks that receive each status of the company's messages, many per post. */
  readonly webhooks?: readonly string[];
  /** The SMPP login of the first user. */
  readonly login?: string;
  /** The relay for outgoing mail. */
  readonly relay?: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const project = fileURLToPath(new URL('../', import.meta.url));
const command = join(project, 'bin/carillon.js');
const readyLimitMs = 30_000;

/** Two users of one company, each with a number that phones can reply to. */
export const usernames = ['ada', 'ben'] as const;
export type Username = (typeof usernames)[number];
export const password = 'the password of the benchmarks';
export const rentedNumbers: Readonly<Record<Username, string>> = { ada: '46731230001', ben: '46731230002' };
/** Numbers that two-way SMS are sent from. */
const pool = Array.from({ length: 10 }, (_, index) => String(46_731_239_001 + index));
/** Time from a submission to its delivery receipt; half a second is fast for a real carrier. */
export const receiptDelayMs = 500;

const simulator = `{ name: sim, type: simulator, receiptDelayMs: ${receiptDelayMs} }`;

function provisioning(carrier: string, webhooks: readonly string[], login: string | undefined): string {
  const [, name] = /name: (\w+)/.exec(carrier) ?? [];
  return `companies:
  - name: Bench
    defaultSender: Bench
    webhooks: [${webhooks.map((url, place) => `{ id: hook${place}, url: "${url}", events: [message.status], batch: true }`).join(', ')}]
    users:
${usernames.map((username, place) => `      - { username: ${username}, password: "${password}", roles: [send]${place === 0 && login !== undefined ? `, smpp: ${login}` : ''} }`).join('\n')}
carriers: [${carrier}]
routes: [{ name: all, prefix: "", carriers: [${name}] }]
numbers:
${usernames.map((username) => `  - { number: "${rentedNumbers[username]}", rentedBy: ${username} }`).join('\n')}
${pool.map((number) => `  - { number: "${number}", pool: true }`).join('\n')}
`;
}

export function basic(username: Username = 'ada'): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

export async function startServer({
  engine,
  roles,
  carrier = simulator,
  webhooks = [],
  login,
  relay = '',
  environment = {},
}: ServerOptions): Promise<Server> {
  execFileSync(process.execPath, [join(project, 'scripts/build.mjs'), '--when-needed'], { cwd: project });
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  writeFileSync(join(folder, 'provisioning.yaml'), provisioning(carrier, webhooks, login));
  const server = new Server(folder, { port: await freePort(), roles, postgres, relay, environment });
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

interface ServerPlace {
  readonly port: number;
  readonly roles: string | undefined;
  readonly postgres: PostgresServer | undefined;
  readonly relay: string;
  readonly environment: Readonly<Record<string, string>>;
}

export class Server {
  readonly url: string;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  readonly #folder: string;
  readonly #serve: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #postgres: PostgresServer | undefined;
  #running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;

  constructor(folder: string, { port, roles, postgres, relay, environment }: ServerPlace) {
    this.#folder = folder;
    process.once('exit', this.#abandon);
    this.#serve = ['serve', ...(roles === undefined ? [] : ['--roles', roles])];
    this.#postgres = postgres;
    this.url = `http://127.0.0.1:${port}`;
    this.dataFolder = join(folder, 'data');
    this.databaseUrl = postgres?.url;
    this.#environment = {
      PATH: process.env.PATH,
      CARILLON_DATA: this.dataFolder,
      CARILLON_HTTP: `127.0.0.1:${port}`,
      CARILLON_SECRET: 'the secret of the benchmarks, long enough to be one',
      CARILLON_SMTP: 'off',
      CARILLON_SMTP_RELAY: relay,
      CARILLON_LOG: 'warn',
      CARILLON_CALLBACK_ALLOW: '127.0.0.0/8',
      CARILLON_PROVISION: join(folder, 'provisioning.yaml'),
      ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }),
      ...environment,
    };
  }

  /** Also runs when the benchmark is aborted. */
  readonly #abandon = () => {
    this.#running?.child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };

  get pid(): number {
    return this.#running?.child.pid ?? 0;
  }

  /** Returns the milliseconds from the start of the process until it was ready. */
  async start(): Promise<number> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [command, ...this.#serve], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: this.#environment,
    });
    child.stderr.on('data', (chunk: Buffer) => {
      // Stopping on our own signal is not worth reporting.
      if (!chunk.toString().startsWith('SIGTERM: ')) process.stderr.write(chunk);
    });
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => {
        this.#running = undefined;
        resolve();
      });
    });
    this.#running = { child, ended };
    while (!(await this.#isReady())) {
      if (this.#running === undefined) throw new Error('the server ended while starting');
      if (performance.now() - startedAt > readyLimitMs) throw new Error('the server did not become ready');
      await pause(3);
    }
    return performance.now() - startedAt;
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      // It is not listening yet.
      return false;
    }
  }

  /** Logs in, which costs the server a password check, and returns the same key each time. */
  async apiKey(username: Username = 'ada'): Promise<string> {
    const answer = await fetch(`${this.url}/authentication/auth/apikey?name=bench`, {
      headers: { authorization: basic(username) },
    });
    if (!answer.ok) throw new Error(`no API key: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as string;
  }

  /** Runs another command beside the server, in the same environment. */
  async run(...parameters: readonly string[]): Promise<void> {
    await promisify(execFile)(process.execPath, [command, ...parameters], { env: this.#environment });
  }

  /** SIGTERM is a regular stop, SIGKILL a crash. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const running = this.#running;
    running?.child.kill(signal);
    await running?.ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#postgres?.close();
    process.off('exit', this.#abandon);
    this.#abandon();
  }
}
