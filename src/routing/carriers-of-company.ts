/** The carriers that messages of a company may take, for those who show them. */
import type { Store } from '../storage/store.ts';
import { listCarriersOfCompany } from './store.ts';

/** Their names. */
export function carriersOfCompany(store: Store, companyId: number): Promise<ReadonlySet<string>> {
  return store.read(listCarriersOfCompany, companyId);
}
