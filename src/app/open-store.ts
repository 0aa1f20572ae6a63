/** Opens the store that the configuration names: the embedded one, or PostgreSQL. */
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

/** For the answers, refusals all of them, that are on their way. */
const lastAnswersMs = 500;

/** `keepDamage` is told what SQLite says of the damage that a call meets first. */
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
  // The threads run the same way as this file: from source, or built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return openSqliteStore({
    ...schema,
    folder: config.dataFolder,
    onDamage,
    worker: new URL(`./store-worker.${extension}`, import.meta.url),
    onEnd: (err) => {
      log.fatal({ err }, 'a thread of the store has ended: this process ends too, to be restarted');
      setTimeout(() => process.exit(1), lastAnswersMs);
    },
  });
}

interface CommandOptions {
  /** Those that are for a new store make it where there is none; all others have nothing to do there. */
  readonly schema?: SchemaMode;
  /** For the one that migrates. */
  readonly migrating?: Migrating;
  /** Whether the store has to belong to the secret of this process. */
  readonly secretOf?: 'store' | 'anybody';
}

/** Opens the store for the length of one command, which belongs to the store's secret like a server does. */
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
    // A command without a secret may do what needs none.
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
      `There is no store in ${dataFolder}. Set CARILLON_DATA (or DATABASE_URL) to that of the server; carillon serve and carillon apply make a new one.`,
    );
  }
  const { hasPostgresStore } = await import('../storage/postgres/store.ts');
  if (await hasPostgresStore(databaseUrl)) return;
  throw new StartError(
    'There is no store in the database of DATABASE_URL. Set it to that of the server; carillon serve and carillon apply make a new one.',
  );
}

/**
 * The secret of a process that needs one, with the store open: made only for a store that belongs to none yet. `known`: what
 * the process had before it opened the store.
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
 * A store of an earlier version, which belongs to no secret yet, takes any. Undefined: the secret is still to be made, and a
 * new one fits no store that belongs to another.
 */
export async function requireSecret(store: Store, secret: string | undefined): Promise<void> {
  const kept = await store.read(readSecretCheck, null);
  if (kept === undefined) return;
  if (secret === undefined || kept !== secretCheck(secret)) throw otherSecret();
}

export function otherSecret(): StartError {
  return new StartError(
    'The store belongs to another secret than this process has: set CARILLON_SECRET (or restore the file "secret" of the data folder) to that of the other nodes. If the secret was changed on purpose, stop all nodes and run: carillon secret accept',
  );
}
