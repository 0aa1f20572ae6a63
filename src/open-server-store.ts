/** Opens the store for a server: nobody else has its files, and it holds what the provisioning file says. */
import type { Logger } from 'pino';
import { lookAtZonesOnce } from './batches/send-window.ts';
import type { Config } from './config.ts';
import { closeToOthers } from './data-folder.ts';
import { systemClock } from './foundation/clock.ts';
import { openStore } from './open-store.ts';
import { provisionAtStart } from './provisioning/provision-at-start.ts';
import { serverSecret } from './server-secret.ts';
import type { StopStack } from './stop-stack.ts';
import { lockFolder } from './storage/sqlite/folder-lock.ts';
import type { Store } from './storage/store.ts';

export interface ServerStore {
  readonly store: Store;
  readonly secret: string;
}

export async function openServerStore(config: Config, log: Logger, stack: StopStack): Promise<ServerStore> {
  closeToOthers(config.dataFolder, log);
  const secret = serverSecret(config);
  if (config.databaseUrl === undefined) {
    const lock = lockFolder(config.dataFolder);
    stack.push(async () => lock.release());
  }
  const opening = openStore(config, log);
  // Other threads are busy, and nobody waits for this one yet.
  lookAtZonesOnce();
  const store = await opening;
  stack.push(() => store.close());
  await provision(config, store, log);
  return { store, secret };
}

async function provision(config: Config, store: Store, log: Logger): Promise<void> {
  if (config.provisioningFile === undefined) return;
  const warn = (warning: string) => log.warn({ warning }, 'applied the provisioning file with a warning');
  const changes = await provisionAtStart({ store, clock: systemClock }, config.provisioningFile, warn);
  if (changes.length > 0) log.info({ changes }, 'applied the provisioning file');
}
