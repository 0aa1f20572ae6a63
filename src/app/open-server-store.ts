/** Opens the store for a server: nobody else has its files, and it holds what the provisioning file says. */
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
  /** What opens the passwords of carriers, and the secrets of webhooks. */
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
  // It has the lock of its data folder already.
  const migrating: Migrating = { tell, mayBegin: (older) => requireNoLivingNode(older, { tell }) };
  const opening = openStore(config, log, { schema: 'migrate', migrating }, (said) => flag?.damaged(said));
  // Other threads are busy, and nobody waits for this one yet.
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
  // The new store counts as used as the lost one was, at later starts too.
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
      log.warn({ path }, 'others than its owner may use this file: its mode should be 0600');
  }
}

async function provision(config: Config, surroundings: Surroundings, log: Logger): Promise<void> {
  if (config.provisioningFile === undefined) return;
  const warn = (warning: string) => log.warn({ warning }, 'applied the provisioning file with a warning');
  const changes = await provisionAtStart(surroundings, config.provisioningFile, warn);
  if (changes.length > 0) log.info({ changes }, 'applied the provisioning file');
}

/** SQLite cannot be interrupted within a table, and a stop has to wait for it: some seconds for a store of this size. */
const largestLookedThrough = 4 * 2 ** 30;

/**
 * Beside the work of the server: a crash of the machine may have cost pages that nobody asks for until months later. What an
 * earlier server met counts until then, so that a restart alone makes no damaged store ready.
 */
function lookForDamage(folder: string, flag: DirtyFlag, store: Store, log: Logger, stack: StopStack): void {
  const { left } = flag;
  if (left === undefined) return;
  const isKnown = left !== 'crash';
  if (isKnown) store.damage.remember(left.damage);
  else if (statSync(databasePath(folder)).size > largestLookedThrough) {
    log.info('the store is too large to be looked through beside the server: carillon check does it');
    flag.settle();
    return;
  }
  const because = isKnown ? 'damage that was met before' : 'a crash';
  const stopping = new AbortController();
  const looked = store.damage.find(stopping.signal).then(
    (found) => {
      if (store.damage.first === undefined) flag.settle();
      if (found.length === 0) log.info({ because }, 'looked through the store: it is whole');
      else log.error({ because, found: found.slice(0, 20) }, 'looked through the store: it is damaged');
    },
    (error: unknown) => {
      if (!stopping.signal.aborted) log.warn({ because, error }, 'the store could not be looked through');
    },
  );
  stack.push(async () => {
    stopping.abort();
    await looked;
  });
}
