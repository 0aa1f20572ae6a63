/** The versions of the schema as a database knows them: which it has, and who may bring it to that of this Carillon. */
import { StartError } from '../foundation/errors.ts';
import { schemaVersion } from './schema.ts';
import type { ReadVerb } from './verb.ts';

export const versionTable =
  'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, what TEXT NOT NULL, applied_at BIGINT NOT NULL)';
export const readVersion = 'SELECT COALESCE(MAX(version), 0) AS version FROM schema_versions';

/**
 * What may become of the schema when a store is opened. `use`: nothing, it has to be this version's. `make`: it is made
 * where there is none. `migrate`: an older one is brought forward as well.
 */
export type SchemaMode = 'use' | 'make' | 'migrate';

/** Reads an older store before it is migrated: only what its version knows as well may be asked. */
export interface OlderStore {
  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output>;
}

export interface Migrating {
  /** Asked before the first step, under the lock of the migration; throws a StartError where it must not begin. */
  readonly mayBegin: (older: OlderStore, migration: Migrated) => Promise<void>;
  /** Hears of a migration before it begins, and when it has ended. */
  readonly tell: (details: object, message: string) => void;
}

export interface SchemaOptions {
  readonly schema?: SchemaMode;
  readonly migrating?: Migrating;
}

export function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new StartError(newerSchema(version));
}

export function newerSchema(version: number): string {
  return `The database has schema version ${version}, but this version of Carillon knows only ${schemaVersion}. Start the newer version that migrated it.`;
}

/** Throws a StartError when a store of this version, 0 for none, is not for whoever opens it so. */
export function requireSchema(version: number, mode: SchemaMode): void {
  refuseNewer(version);
  if (version === schemaVersion || mode === 'migrate') return;
  if (version === 0 && mode === 'make') return;
  throw new StartError(
    `The database has schema version ${version}, and this version of Carillon knows ${schemaVersion}. Only carillon serve and carillon migrate bring it forward: stop all servers that use it, of whatever version, then run carillon migrate.`,
  );
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** The path of a copy of what was there before. */
  readonly copy?: string;
}

const beginning = 'the schema of the store is brought forward; this can take minutes where much is stored';
const ended = 'the schema of the store has been brought forward';

/** The line before a migration, and the one after it. */
export async function tellingOf(
  { tell }: Pick<Migrating, 'tell'>,
  details: Migrated,
  migrate: () => Promise<unknown>,
): Promise<void> {
  tell(details, beginning);
  await migrate();
  tell(details, ended);
}
