/** `carillon migrate`: brings the database to this version's schema without starting a server. */

import { Command } from 'commander';
import { migratingCommand } from '../app/migrating.ts';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { print } from '../foundation/terminal.ts';
import { schemaVersion } from '../storage/schema.ts';

export function migrateCommand(): Command {
  return new Command('migrate').action(async () => {
    const config = readConfig(process.env);
    const migrating = migratingCommand(config, tell);
    // To open the store is to migrate it.
    const opened = async () =>
      print(`The database has schema version ${schemaVersion}, that of this version of Carillon.`);
    try {
      await withStore(config, opened, { schema: 'migrate', migrating });
    } finally {
      migrating.release();
    }
  });
}

function tell(details: object, message: string): void {
  print(`${message}: ${JSON.stringify(details)}`);
}
