/** Opens the store for a server, with exclusive use of its files, and applies the provisioning file. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { loadTimeZones } from '../batches/hours/send-window.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { restrictToOwner } from '../foundation/private-files.ts';
import type { Sealing } from '../foundation/sealing.ts';
import { requireNoLivingNode } from '../messages/nodes/living-nodes.ts';
import { provisionAtStart, type Surroundings } from '../provisioning/apply.ts';
import { leaseIds } from '../storage/ids.ts';
import type { Migrating } from '../storage/schema-version.ts';
import { databasePath, filesOf } from '../storage/sqlite/database.ts';
import { DirtyFlag, dirtyFlagPath } from '../storage/sqlite/dirty-flag.ts';
import { lockFolder } from '../storage/sqlite/folder-lock.ts';
import type { Store } from '../storage/store.ts';
import { joinStore } from './join-store.ts';
import { openStore, secretFor } from './open-store.ts';
import { hasMadeSecret, secretBeforeStore } from './server-secret.ts';
import type { StopStack } from './stop-stack.ts';

export interface ServerStore {
  readonly store: Store;
  readonly secret: string;
  /** Unseals the passwords of carriers and the secrets of webhooks. */
  readonly sealing: Sealing;
}

export async function openServerStore(config: Config, log: Logger, stack: StopStack): Promise<ServerStore> {
  restrictFilesToOwner(config.dataFolder, log);
  const isLost =
    config.databaseUrl === undefined && hasMadeSecret(config) && !existsSync(databasePath(config.dataFolder));
  const known = secretBeforeStore(config);
  let flag: DirtyFlag | undefined;
  if (config.databaseUrl === undefined) {
    const lock = lockFolder(config.dataFolder);
    stack.push(async () => lock.release());
    flag = new DirtyFlag(config.dataFolder);
  }
  const tell: Migrating['tell'] = (details, message) => log.info(details, message);
  // The process already holds the lock of its data folder.
  const migrating: Migrating = { tell, mayBegin: (older) => requireNoLivingNode(older, { tell }) };
  const opening = openStore(config, log, { schema: 'migrate', migrating }, (said) => flag?.damaged(said));
  // Time zones are loaded here because other threads are busy and nothing waits for this one yet.
  loadTimeZones();
  const store = await opening.catch((error: unknown) => {
    flag?.lower();
    throw error;
  });
  stack.push(async () => {
    await store.close();
    flag?.lower();
  });
  if (flag !== undefined) lookForDamage(config.dataFolder, flag, store, log, stack);
  const secret = await secretFor(store, config, known);
  // Marks the new store as used, as the lost store was, so that later starts see this too.
  if (isLost) await store.write(leaseIds, { kind: 'company', size: 1 });
  const sealing = await joinStore(store, secret, (sentence) => log.warn(sentence));
  await provision(config, { store, clock: systemClock, sealing }, log);
  return { store, secret, sealing };
}

const otherFiles = ['secret', 'serve.lock', 'serve.pid', 'control.lock', 'control.sock'];

/** Only the server's own user may read its data folder. */
function restrictFilesToOwner(folder: string, log: Logger): void {
  const others = otherFiles.map((name) => join(folder, name));
  for (const path of [...filesOf(databasePath(folder)), dirtyFlagPath(folder), ...others]) {
    if (!restrictToOwner(path))
      log.warn({ path }, 'users other than its owner can access this file: its mode should be 0600');
  }
}

async function provision(config: Config, surroundings: Surroundings, log: Logger): Promise<void> {
  if (config.provisioningFile === undefined) return;
  const warn = (warning: string) => log.warn({ warning }, 'applied the provisioning file with a warning');
  const changes = await provisionAtStart(surroundings, config.provisioningFile, warn);
  if (changes.length > 0) log.info({ changes }, 'applied the provisioning file');
}

/** SQLite cannot be interrupted within a table, so a stop has to wait, which takes some seconds for a store of this size. */
const largestLookedThrough = 4 * 2 ** 30;

/**
 * Runs alongside the server's work, because a machine crash may have lost pages that nothing reads until months later. Damage
 * found by an earlier server counts until the check ends, so that a restart alone does not make a damaged store ready.
 */
function lookForDamage(folder: string, flag: DirtyFlag, store: Store, log: Logger, stack: StopStack): void {
  const { left } = flag;
  if (left === undefined) return;
  const isKnown = left !== 'crash';
  if (isKnown) store.damage.remember(left.damage);
  else if (statSync(databasePath(folder)).size > largestLookedThrough) {
    log.info('the store is too large to be checked while the server runs: use carillon check');
    flag.settle();
    return;
  }
  const because = isKnown ? 'earlier damage' : 'a crash';
  const stopping = new AbortController();
  const looked = store.damage.find(stopping.signal).then(
    (found) => {
      if (store.damage.first === undefined) flag.settle();
      if (found.length === 0) log.info({ because }, 'checked the store: it is intact');
      else log.error({ because, found: found.slice(0, 20) }, 'checked the store: it is damaged');
    },
    (error: unknown) => {
      if (!stopping.signal.aborted) log.warn({ because, error }, 'the store could not be checked');
    },
  );
  stack.push(async () => {
    stopping.abort();
    await looked;
  });
}
