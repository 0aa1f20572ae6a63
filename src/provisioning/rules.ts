/** The rules of provisioning files, for transactions that do more than what a file says. */
import { sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import type { Plan } from './kind-list.ts';

/**
 * All that a file may hold takes a thread 30 MiB and a third of a second to load, and most threads of the embedded store
 * never apply one: whoever does loads it.
 */
export const loadRules = () => import('./apply-in-store.ts');

/** Nothing is done with any fault: a sentence each. */
export async function applyByRules(transaction: Transaction, plan: Plan): Promise<readonly string[]> {
  const { faults } = await (await loadRules()).applyEdits(transaction, plan, undefined);
  return faults.map(({ sentence }) => sentence);
}

/**
 * Two nodes that apply a file at once would both find an object missing and both create it: the second waits until the
 * first has committed (any number that nothing else locks). SQLite has one writer.
 */
export async function lockOutFiles(transaction: Transaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all(sql`SELECT pg_advisory_xact_lock(7166014333)`);
}
