/** The rules of provisioning files, for transactions that do more than what a file says. */
import type { Transaction } from '../storage/verb.ts';
import type { Plan } from './kind-list.ts';

/**
 * Loading everything that a file may contain takes a thread 30 MiB and a third of a second, and most threads of the embedded
 * store never apply a file, so it is loaded only when needed.
 */
export const loadRules = () => import('./apply-in-store.ts');

/** With any fault, nothing is done. Returns one sentence per fault. */
export async function applyByRules(transaction: Transaction, plan: Plan): Promise<readonly string[]> {
  const { faults } = await (await loadRules()).applyEdits(transaction, plan, undefined);
  return faults.map(({ sentence }) => sentence);
}
