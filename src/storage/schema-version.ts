/** The versions of the schema as a database knows them: which it has, and whether this version of Carillon can use it. */
import { StartError } from '../foundation/errors.ts';
import { schemaVersion } from './schema.ts';

export const versionTable =
  'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, what TEXT NOT NULL, applied_at BIGINT NOT NULL)';
export const readVersion = 'SELECT COALESCE(MAX(version), 0) AS version FROM schema_versions';

export function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new StartError(
    `The database has schema version ${version}, but this version of Carillon knows only ${schemaVersion}. Start the newer version that migrated it.`,
  );
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}
