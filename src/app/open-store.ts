/** Opens the configured store: the embedded one, or PostgreSQL. */
import type { Config } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import { isReadable } from '../foundation/private-files.ts';
import { printError } from '../foundation/terminal.ts';
import type { Migrating, SchemaMode, SchemaOptions } from '../storage/schema-version.ts';
import { readSecretCheck, secretCheck } from '../storage/secret-check.ts';
import { databasePath } from '../storage/sqlite/database.ts';
import type { Store } from '../storage/store.ts';
import { knownSecret, secretBeforeStore, serverSecret } from './server-secret.ts';

interface StoreLog {
  warn(details: object, message: string): void;
  fatal(details: object, message: string): void;
}

/** Time for the answers that are still being sent, all of them refusals. */
const lastAnswersMs = 500;

/** `keepDamage` receives SQLite's message about the first damage that a call meets. */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  log: StoreLog,
  schema: Required<Pick<SchemaOptions, 'schema'>> & SchemaOptions,
  keepDamage: (said: string) => void = () => undefined,
): Promise<Store> {
  const onDamage = (err: Error) => {
    log.fatal({ err }, 'the store is damaged: restore it from a backup, or save what can be read');
    keepDamage(err.message);
  };
  if (config.databaseUrl !== undefined) {
    const { openPostgresStore } = await import('../storage/postgres/store.ts');
    return openPostgresStore({ url: config.databaseUrl, log, onDamage, ...schema });
  }
  const { openSqliteStore } = await import('../storage/sqlite/store.ts');
  // The threads run from the same kind of file as this one: source or build.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return openSqliteStore({
    ...schema,
    folder: config.dataFolder,
    onDamage,
    worker: new URL(`./store-worker.${extension}`, import.meta.url),
    onEnd: (err) => {
      log.fatal({ err }, 'a thread of the store has ended: this process stops too, so that it is restarted');
      setTimeout(() => process.exit(1), lastAnswersMs);
    },
  });
}

interface CommandOptions {
  /**
   * Commands that are meant for a new store create it if it is missing; other commands have nothing to do without a store.
   */
  readonly schema?: SchemaMode;
  /** For the mode that migrates. */
  readonly migrating?: Migrating;
  /** Whether the store must belong to this process's secret. */
  readonly secretOf?: 'store' | 'anybody';
}

/** Opens the store for one command, which must have the store's secret, as a server must. */
export async function withStore<Result>(
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'secret'>,
  work: (store: Store) => Promise<Result>,
  { schema = 'use', migrating, secretOf = 'store' }: CommandOptions = {},
): Promise<Result> {
  const tell = (details: object, message: string) => printError(`${message}: ${JSON.stringify(details)}`);
  if (schema === 'use') await requireStore(config);
  const store = await openStore(
    config,
    { warn: tell, fatal: tell },
    { schema, ...(migrating === undefined ? {} : { migrating }) },
  );
  try {
    const secret = knownSecret(config);
    // A command without a secret may do whatever does not need a secret.
    if (secret !== undefined && secretOf === 'store') await requireSecret(store, secret);
    return await work(store);
  } finally {
    await store.close();
  }
}

async function requireStore({
  databaseUrl,
  dataFolder,
}: Pick<Config, 'databaseUrl' | 'dataFolder'>): Promise<void> {
  if (databaseUrl === undefined) {
    if (isReadable(databasePath(dataFolder))) return;
    throw new StartError(
      `There is no store in ${dataFolder}. Set CARILLON_DATA (or DATABASE_URL) to the value that the server uses. To create a new store, run carillon serve or carillon apply.`,
    );
  }
  const { hasPostgresStore } = await import('../storage/postgres/store.ts');
  if (await hasPostgresStore(databaseUrl)) return;
  throw new StartError(
    'There is no store in the database of DATABASE_URL. Set it to the value that the server uses. To create a new store, run carillon serve or carillon apply.',
  );
}

/**
 * The secret of a process that needs one, with the store open. A new secret is created only for a store that does not
 * belong to one yet. `known` is the secret that the process had before it opened the store.
 */
export async function secretFor(
  store: Store,
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'secret'>,
  known = secretBeforeStore(config),
): Promise<string> {
  if (known !== undefined) return known;
  await requireSecret(store, undefined);
  return serverSecret(config);
}

/**
 * A store of an earlier version does not belong to a secret yet and takes any. Undefined means that the secret has not been
 * created yet; a new secret never fits a store that belongs to another one.
 */
export async function requireSecret(store: Store, secret: string | undefined): Promise<void> {
  const kept = await store.read(readSecretCheck, null);
  if (kept === undefined) return;
  if (secret === undefined || kept !== secretCheck(secret)) throw otherSecret();
}

export function otherSecret(): StartError {
  return new StartError(
    'The store belongs to another secret than this process has. Set CARILLON_SECRET to the secret of the other nodes (or restore the file "secret" of the data folder). If the secret was changed on purpose, stop all nodes and run: carillon secret accept',
  );
}
