/** Work that the operator does directly in the store on this machine, whether or not a server runs. */
import type { Config } from '../config/config.ts';
import { StartError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';

export const companyOption = ['--company <name>', 'show only entries of this company'] as const;

/** Loads the store only when called, because a command that acts as a user needs none. */
export async function inStore(work: (store: Store, config: Config) => Promise<void>): Promise<void> {
  const [{ readConfig }, { withStore }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
  ]);
  const config = readConfig(process.env);
  await withStore(config, (store) => work(store, config));
}

export async function companyNamed(store: Store, name: string): Promise<number> {
  const { findCompanyId } = await import('../accounts/account.ts');
  const id = await store.read(findCompanyId, name);
  if (id === null) throw new StartError(`There is no company ${name}.`);
  return id;
}
