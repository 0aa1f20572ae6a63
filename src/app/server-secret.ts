/**
 * The server's secret, which signs API keys and sessions. It is either set by the operator, or created once and kept in
 * the data folder.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { key } from '../config/environment.ts';
import { StartError } from '../foundation/errors.ts';
import { isForbidden, makePrivateFile, makePrivateFolder, notReadable } from '../foundation/private-files.ts';

/** Undefined when the operator has set no secret and none has been created. */
export function knownSecret(
  config: Pick<Config, 'secret' | 'databaseUrl' | 'dataFolder'>,
): string | undefined {
  if (config.secret !== undefined || config.databaseUrl !== undefined) return config.secret;
  return orStartError(config, () => read(join(config.dataFolder, 'secret')));
}

/**
 * The secret as known before the store is opened; its faults are reported. Undefined when `serverSecret` has to create it
 * once the store exists, because a created secret without a store is the sign of a lost store.
 */
export function secretBeforeStore(
  config: Pick<Config, 'secret' | 'databaseUrl' | 'dataFolder'>,
): string | undefined {
  return config.databaseUrl === undefined ? knownSecret(config) : serverSecret(config);
}

/** Whether a secret has been created in the data folder before. */
export function hasMadeSecret({ dataFolder }: Pick<Config, 'dataFolder'>): boolean {
  return existsSync(join(dataFolder, 'secret'));
}

const shortest = 32;
const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/];

/** Undefined when the secret is strong enough. */
export function weaknessOf(secret: string): string | undefined {
  const isShort = secret.length < shortest;
  if (!isShort && kinds.filter((kind) => kind.test(secret)).length > 1) return undefined;
  const what = isShort ? `has fewer than ${shortest} characters` : 'has characters of one kind only';
  return `The server's secret (CARILLON_SECRET) ${what}, so it could be guessed. Use the output of "openssl rand -hex 32".`;
}

export function serverSecret(config: Pick<Config, 'secret' | 'databaseUrl' | 'dataFolder'>): string {
  if (config.secret !== undefined) return config.secret;
  if (config.databaseUrl !== undefined) {
    throw new StartError(
      `CARILLON_SECRET must be set with PostgreSQL, to the same value on every node: ${key.expects}.`,
    );
  }
  const path = join(config.dataFolder, 'secret');
  return orStartError(config, () => read(path) ?? create(config.dataFolder, path));
}

function orStartError<Result>({ dataFolder }: Pick<Config, 'dataFolder'>, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The server's secret cannot be kept in ${dataFolder}: ${(error as Error).message}. Check CARILLON_DATA and its permissions, or set CARILLON_SECRET.`,
    );
  }
}

function read(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw isForbidden(error) ? notReadable(path) : error;
  }
  if (key.parse(text) !== undefined) return text;
  throw new StartError(
    `The file ${path} no longer holds the server's secret. Restore it, or remove it to have a new one created; API keys given out so far then stop working.`,
  );
}

/** The file gets its final name only when it is complete and durable. Of several processes, the first wins. */
function create(folder: string, path: string): string {
  makePrivateFolder(folder);
  const draft = `${path}.${process.pid}`;
  makePrivateFile(draft);
  const file = openSync(draft, 'w');
  try {
    writeSync(file, `${randomBytes(32).toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
    syncFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read(path) as string;
}

/** The name of a new file is durable only once its folder is synced. */
function syncFolder(folder: string): void {
  // Windows has no such call for folders.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
