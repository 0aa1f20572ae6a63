/** How an older store is migrated: by one process, told before and after, and while no server uses it. */
import type { Config } from '../config/config.ts';
import { nameOf, requireNoLivingNode, stillInUse } from '../messages/nodes/living-nodes.ts';
import { listUnendedNodes } from '../messages/nodes/store.ts';
import type { Migrating, OlderStore } from '../storage/schema-version.ts';
import { holderOf, type Lock, tryLockFolder } from '../storage/sqlite/folder-lock.ts';

type Tell = Migrating['tell'];

/** For a server, which has the lock of its data folder already. */
export function migratingServer(tell: Tell): Migrating {
  return { tell, mayBegin: (older) => requireNoLivingNode(older, { tell }) };
}

/** For a command: of an embedded store it takes the lock of the servers, so that none starts meanwhile. */
export function migratingCommand(
  config: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  tell: Tell,
): Migrating & Lock {
  let lock: Lock | undefined;
  return {
    tell,
    async mayBegin(older) {
      if (config.databaseUrl === undefined) {
        lock = tryLockFolder(config.dataFolder);
        if (lock === undefined) throw stillInUse(await serverOn(config.dataFolder, older));
      }
      await requireNoLivingNode(older, { tell });
    },
    release: () => lock?.release(),
  };
}

/** Describes the server that has the lock; there is no need to wait for its beats. */
async function serverOn(dataFolder: string, older: OlderStore): Promise<string> {
  const nodes = await older.read(listUnendedNodes, null);
  const holder = holderOf(dataFolder);
  const process = holder === undefined ? 'a process' : `the process ${holder}`;
  const named = nodes.length === 0 ? '' : ` (${nodes.map(nameOf).join('; ')})`;
  return `${process} has the data folder ${dataFolder}${named}`;
}
