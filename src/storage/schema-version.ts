/** Schema versions: which one a database has, and who may migrate it to the version of this Carillon. */
import { StartError } from '../foundation/errors.ts';
import { schemaVersion } from './schema.ts';
import type { ReadVerb } from './verb.ts';

export const versionTable =
  'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, what TEXT NOT NULL, applied_at BIGINT NOT NULL)';
export const readVersion = 'SELECT COALESCE(MAX(version), 0) AS version FROM schema_versions';

/**
 * What may happen to the schema when a store is opened. `use`: nothing, so it must have this version. `make`: it is
 * created if there is none. `migrate`: as `make`, and an older schema is migrated.
 */
export type SchemaMode = 'use' | 'make' | 'migrate';

/** Reads an older store before it is migrated. Only queries that its version supports are allowed. */
export interface OlderStore {
  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output>;
}

export interface Migrating {
  /** Called before the first step, under the migration lock. Throws a StartError if the migration must not start. */
  readonly mayBegin: (older: OlderStore, migration: Migrated) => Promise<void>;
  /** Called before a migration starts and when it has ended. */
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

/** Throws a StartError if a store of this version (0 for none) can't be opened in this mode. */
export function requireSchema(version: number, mode: SchemaMode): void {
  refuseNewer(version);
  if (version === schemaVersion || mode === 'migrate') return;
  if (version === 0 && mode === 'make') return;
  throw new StartError(
    `The database has schema version ${version}, but this version of Carillon needs ${schemaVersion}. Only carillon serve and carillon migrate can migrate it: stop all servers that use it, whatever their version, then run carillon migrate.`,
  );
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
  /** The path of a copy of the store from before the migration. */
  readonly copy?: string;
}

const beginning = 'migrating the schema of the store; this can take minutes for a large store';
const ended = 'migrated the schema of the store';

/** Logs a line before and after a migration. */
export async function tellingOf(
  { tell }: Pick<Migrating, 'tell'>,
  details: Migrated,
  migrate: () => Promise<unknown>,
): Promise<void> {
  tell(details, beginning);
  await migrate();
  tell(details, ended);
}
