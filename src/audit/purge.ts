/** Removes what the audit log has kept for longer than the retention. */
import type { Store } from '../storage/store.ts';
import { purgeAudit } from './store.ts';

const setSize = 1_000;

export async function purgeOldAudit(
  store: Store,
  { before }: { readonly before: number },
  isStopped: () => boolean,
): Promise<number> {
  let all = 0;
  let purged = setSize;
  while (purged === setSize && !isStopped()) {
    purged = await store.write(purgeAudit, { before, limit: setSize });
    all += purged;
  }
  return all;
}
