/**
 * Creates the demo company at an operator's first start without a provisioning file, but never in a store that has been used
 * before.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findAccountByUsername } from '../accounts/account.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../foundation/errors.ts';
import {
  addDemoContacts,
  createDemoCompany,
  type DemoCredentials,
  type DemoDraft,
  demoUsername,
  draftDemoCompany,
} from '../provisioning/demo.ts';
import { readUse } from '../provisioning/store.ts';
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import { type Store, StoreDamaged } from '../storage/store.ts';

interface DemoNeeds extends Context {
  readonly news: News;
  readonly log: Logger;
}

const triesOfFirstStart = 60;
const betweenTriesMs = 1_000;

/** While a first start keeps the disk busy, the store may refuse a request that it would accept a moment later. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof ServiceError && !(error instanceof StoreDamaged);
      if (!isPassing || tries === triesOfFirstStart) throw error;
      await delay(betweenTriesMs);
    }
  }
}

/** An attempt whose response was lost may still have been committed. */
async function keptBefore(
  store: Store,
  { password, passwordHash }: DemoDraft,
): Promise<DemoCredentials | undefined> {
  const kept = await store.read(findAccountByUsername, demoUsername);
  return kept?.user.passwordHash === passwordHash ? { username: demoUsername, password } : undefined;
}

/** Runs last, when nothing else can fail, because the password is shown once and stored nowhere. */
export async function makeDemo(
  { provisioningFile, dataFolder, demo: isWanted }: Pick<Config, 'provisioningFile' | 'dataFolder' | 'demo'>,
  { store, news, clock, log }: DemoNeeds,
): Promise<DemoCredentials | undefined> {
  const use = provisioningFile === undefined ? await patiently(() => store.read(readUse, null)) : 'in use';
  if (use === 'in use') return undefined;
  if (use === 'emptied') {
    const remedy =
      'Restore the store from a backup, or apply a provisioning file (carillon apply). For a demo, start in an empty folder.';
    log.warn(
      { dataFolder, remedy },
      'the store is empty, though it was in use before: no demo company is created',
    );
    return undefined;
  }
  if (!isWanted) {
    const remedy = 'Apply a provisioning file (carillon apply FILE) that defines a company and its users.';
    log.warn({ remedy }, 'the store is empty: nobody can sign in or send yet');
    return undefined;
  }
  const draft = await draftDemoCompany();
  const demo = await patiently(
    async () => (await createDemoCompany(store, clock, draft)) ?? (await keptBefore(store, draft)),
  );
  if (demo === undefined) return undefined;
  try {
    await patiently(() => addDemoContacts(store));
    await news.read();
  } catch (error) {
    // The error is only logged, because the company exists by now, and no one could log in if its password were not shown.
    log.warn({ error }, 'the demo company was created, but its address book may be empty');
  }
  return demo;
}
