/** `carillon migrate`: brings the database to this version's schema without starting a server. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { type Config, readConfig } from '../config/config.ts';
import { print, printError } from '../foundation/terminal.ts';
import { nameOf, requireNoLivingNode, stillInUse } from '../messages/nodes/living-nodes.ts';
import { listUnendedNodes } from '../messages/nodes/store.ts';
import { schemaVersion } from '../storage/schema.ts';
import type { Migrated, Migrating, OlderStore } from '../storage/schema-version.ts';
import { holderOf, type Lock, tryLockFolder } from '../storage/sqlite/folder-lock.ts';
import { type JsonOption, jsonOption, printChange } from './list.ts';

export function migrateCommand(): Command {
  return new Command('migrate').option(...jsonOption).action(migrate);
}

async function migrate(options: JsonOption): Promise<void> {
  const config = readConfig(process.env);
  const migrating = migratingCommand(config, options);
  // Opening the store migrates it.
  const opened = async () => {
    const { from, copy } = migrating.migration() ?? {};
    const sentence = `The database has schema version ${schemaVersion}, which this version of Carillon uses.`;
    printChange({ schemaVersion, migratedFrom: from, copy }, [sentence], options);
  };
  try {
    await withStore(config, opened, { schema: 'migrate', migrating });
  } finally {
    migrating.release();
  }
}

interface MigratingCommand extends Migrating, Lock {
  /** Undefined if there was nothing to migrate. */
  readonly migration: () => Migrated | undefined;
}

/** For an embedded store, the command takes the lock that servers take, so that no server starts in the meantime. */
function migratingCommand(
  config: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  { json }: JsonOption,
): MigratingCommand {
  let lock: Lock | undefined;
  let begun: Migrated | undefined;
  // For programs, standard output has only the object.
  const say = json === true ? printError : print;
  const tell = (details: object, message: string) => say(`${message}: ${JSON.stringify(details)}`);
  return {
    tell,
    async mayBegin(older, migration) {
      if (config.databaseUrl === undefined) {
        lock = tryLockFolder(config.dataFolder);
        if (lock === undefined) throw stillInUse(await serverOn(config.dataFolder, older));
      }
      await requireNoLivingNode(older, { tell });
      begun = migration;
    },
    migration: () => begun,
    release: () => lock?.release(),
  };
}

/** Describes the server that has the lock, without waiting for its heartbeats. */
async function serverOn(dataFolder: string, older: OlderStore): Promise<string> {
  const nodes = await older.read(listUnendedNodes, null);
  const holder = holderOf(dataFolder);
  const process = holder === undefined ? 'a process' : `the process ${holder}`;
  const named = nodes.length === 0 ? '' : ` (${nodes.map(nameOf).join('; ')})`;
  return `${process} has the data folder ${dataFolder}${named}`;
}
