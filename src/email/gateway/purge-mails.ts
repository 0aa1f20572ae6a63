/** Removes what is no longer needed of mails that came in. */
import type { Store } from '../../storage/store.ts';
import { purgeRecentMails } from './recent-mail-store.ts';
import { purgeMails } from './store.ts';

interface PurgeTimes {
  readonly now: number;
  /** What came before is older than the retention. */
  readonly before: number;
}

/** Returns how much it was. To be called when the time of day can be believed. */
export async function purgeOldMails(
  store: Store,
  times: PurgeTimes,
  isStopped: () => boolean,
): Promise<number> {
  let purged = 0;
  let removed = 1;
  while (removed > 0 && !isStopped()) {
    removed = await store.write(purgeMails, times);
    removed += await store.write(purgeRecentMails, times);
    purged += removed;
  }
  return purged;
}
