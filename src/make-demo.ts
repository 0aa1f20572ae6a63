/** A first start of an operator without a provisioning file finds a demo company; a store that was in use before never does. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Clock } from './foundation/clock.ts';
import { createDemoCompany, type DemoCredentials } from './provisioning/demo.ts';
import { readIsEmpty, readWasUsed } from './provisioning/store.ts';
import type { News } from './storage/news.ts';
import type { Store } from './storage/store.ts';

interface DemoNeeds {
  readonly store: Store;
  readonly news: News;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Last of all, when nothing can fail any more: its password is told once and kept nowhere. */
export async function makeDemo(
  { provisioningFile, dataFolder }: Pick<Config, 'provisioningFile' | 'dataFolder'>,
  { store, news, clock, log }: DemoNeeds,
): Promise<DemoCredentials | undefined> {
  if (provisioningFile !== undefined || !(await store.read(readIsEmpty, null))) return undefined;
  if (await store.read(readWasUsed, null)) {
    const remedy =
      'Restore the store from a backup, or apply a provisioning file (carillon apply). For a demo, start in a folder that is empty.';
    log.warn(
      { dataFolder, remedy },
      'the store is empty, though it was in use before: no demo company is made',
    );
    return undefined;
  }
  const demo = await createDemoCompany(store, clock);
  if (demo !== undefined) await news.read();
  return demo;
}
