/**
 * Shared by all test files of a run: the code that threads start from, and a PostgreSQL server, which starts when the first
 * file asks for it and ends with the run. Test files run in their own processes, so they ask over a socket.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { settingNames } from '../../src/config/config.ts';
import { folderOfThreads } from '../../src/foundation/thread.ts';
import { openPostgresStore } from '../../src/storage/postgres/store.ts';
import { createDatabase, findPostgres, type PostgresServer, startPostgres } from './postgres.ts';

/** The socket at which to ask for the server, or why there is no server. */
export type SharedPostgres = { readonly socket: string } | { readonly missing: string };

/** The response sent over the socket. */
export type SharedPostgresAnswer =
  | { readonly url: string; readonly template: string }
  | { readonly error: string };

declare module 'vitest' {
  export interface ProvidedContext {
    /** Removed at the end of the run. */
    folder: string;
    postgres: SharedPostgres;
  }
}

/** The settings that say how the tests run. All others are those of a server or a command. */
const settingsOfRuns = ['NODE', 'REPLAY', 'RUNS', 'SEED', 'SLOWEST', 'TEST_ENGINE', 'THREADS'];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // A shell in which somebody followed the first steps has CARILLON_URL, CARILLON_USER and CARILLON_PASSWORD set. Commands that
  // the tests start would read them.
  for (const name of settingNames) {
    if (!settingsOfRuns.includes(name.slice('CARILLON_'.length))) delete process.env[name];
  }
  // Built once for all test files, which run in their own processes; not in watch mode, in which the build would become
  // outdated.
  if (!project.config.watch) process.env.CARILLON_THREADS = folderOfThreads();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-run-'));
  project.provide('folder', folder);
  const end = await sharePostgres(project, folder);
  return async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function sharePostgres(project: TestProject, folder: string): Promise<() => Promise<void>> {
  // This is for an additional run alongside a full one, such as on another version of Node.
  if (process.env.CARILLON_TEST_ENGINE === 'sqlite') {
    project.provide('postgres', { missing: 'this run is of SQLite only' });
    return async () => undefined;
  }
  if (findPostgres() === undefined) {
    const missing = 'PostgreSQL is not installed here (Debian: apt-get install postgresql)';
    if (process.env.CI) throw new Error(`${missing}, and CI must not pass without its tests.`);
    project.provide('postgres', { missing });
    return async () => undefined;
  }
  let server: Promise<PostgresServer> | undefined;
  let prepared: Promise<SharedPostgresAnswer> | undefined;
  const answer = () => {
    server ??= startPostgres();
    prepared ??= server.then(prepare).catch((error: Error) => ({ error: error.message }));
    return prepared;
  };
  const socket = join(folder, 'postgres');
  const desk = createServer(async (asking) => {
    asking.on('error', () => undefined);
    asking.end(JSON.stringify(await answer()));
  });
  await new Promise<void>((resolve) => desk.listen(socket, resolve));
  project.provide('postgres', { socket });
  return async () => {
    desk.close();
    await (await server)?.close();
  };
}

/** Migrates one database, which is then copied for every test. */
async function prepare({ url }: PostgresServer): Promise<SharedPostgresAnswer> {
  const template = await createDatabase(url);
  const store = await openPostgresStore({ url: template, log: { warn: () => undefined } });
  await store.close();
  return { url, template: new URL(template).pathname.slice(1) };
}
