/** Messages that wait for their time, for lists of what waits. */
import type { Store } from '../../storage/store.ts';
import { listScheduled, type ScheduledMessage, type ScheduledQuery } from './scheduled-store.ts';

export function scheduledMessages(store: Store, query: ScheduledQuery): Promise<readonly ScheduledMessage[]> {
  return store.read(listScheduled, query);
}
