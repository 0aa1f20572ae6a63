/** What a server keeps in its data folder, which is nobody's but its own. */
import { join } from 'node:path';
import { restrictToOwner } from '../foundation/private-files.ts';
import { databasePath, filesOf } from '../storage/sqlite/database.ts';

const otherFiles = ['secret', 'serve.lock', 'serve.pid', 'control.lock', 'control.sock'];

interface Log {
  warn(details: object, message: string): void;
}

/** Takes the files that are there from all but their owner. */
export function restrictFilesToOwner(folder: string, log: Log): void {
  for (const path of [...filesOf(databasePath(folder)), ...otherFiles.map((name) => join(folder, name))]) {
    if (!restrictToOwner(path))
      log.warn({ path }, 'others than its owner may use this file: its mode should be 0600');
  }
}
