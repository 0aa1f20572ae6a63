/** Removes failed mails that nobody has replayed within the retention. */
import type { Store } from '../../storage/store.ts';
import { purgeFailedMails } from './sending-store.ts';

/** Returns how many. To be called when the time of day can be believed. */
export async function purgeOldOutbox(
  store: Store,
  { before }: { readonly before: number },
  isStopped: () => boolean,
): Promise<number> {
  let purged = 0;
  let removed = 1;
  while (removed > 0 && !isStopped()) {
    removed = await store.write(purgeFailedMails, { before });
    purged += removed;
  }
  return purged;
}
