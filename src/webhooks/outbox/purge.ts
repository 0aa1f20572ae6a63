/** Keeps queues as short as they may be, and tells when that takes away what nobody was told of. */
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import { listPurgeable, purgeQueue } from './purge-store.ts';

export interface WebhookPurgeOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Of one endpoint. Absent: a million. */
  readonly mostEvents?: number;
  readonly log: { error(details: object, message: string): void };
  /** Is told how many events nobody was told of. */
  readonly lost: (count: number) => void;
}

const keptMs = 7 * 86_400_000;
const atOnce = 1_000;

/** All that there is now. */
export async function purgeQueues(
  { store, clock, mostEvents = 1_000_000, log, lost: tell }: WebhookPurgeOptions,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const before = clock.now() - keptMs;
  for (const queue of await store.read(listPurgeable, { before, mostEvents })) {
    let removed = 1;
    let lost = 0;
    while (removed > 0 && !isStopped()) {
      const purged = await store.write(purgeQueue, { ...queue, before, limit: atOnce });
      removed = purged.removed;
      lost += purged.lost;
    }
    if (lost === 0) continue;
    tell(lost);
    log.error(
      { endpointId: queue.endpointId, lost },
      'the queue of a webhook is full: its oldest events were removed untold',
    );
  }
}
