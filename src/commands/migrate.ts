/** `carillon migrate`: brings the database to this version's schema without starting a server. */

import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { readConfig } from '../config/config.ts';
import { print } from '../foundation/terminal.ts';
import { schemaVersion } from '../storage/schema.ts';

export function migrateCommand(): Command {
  return new Command('migrate').action(async () => {
    // To open the store is to migrate it.
    const tell = async () =>
      print(`The database has schema version ${schemaVersion}, that of this version of Carillon.`);
    await withStore(readConfig(process.env), tell, { mayMake: true });
  });
}
