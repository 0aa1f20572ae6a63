/** Keeps the journal of changes as short as its readers let it, and tells of those that nothing is kept for any more. */
import type { Clock } from '../foundation/clock.ts';
import { Periodic } from '../foundation/periodic.ts';
import type { Store } from '../storage/store.ts';
import { trimChanges } from './journal-store.ts';

export interface TrimmingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

const everyMs = 10_000;
const atOnce = 1_000;

/** Starts it; what it answers with ends it. */
export function keepTrimming(options: TrimmingOptions): () => Promise<void> {
  const failed = (error: unknown) =>
    options.log.warn({ error }, 'the journal of changes could not be trimmed; it is tried again');
  let isStopped = false;
  const work = () => trim(options, () => isStopped);
  const trimming = new Periodic({ pauseMs: everyMs, firstMs: 0, failed }, work).start();
  return () => {
    isStopped = true;
    return trimming.stop();
  };
}

/** All that there is now. */
export async function trim(
  { store, clock, log }: TrimmingOptions,
  isStopped: () => boolean = () => false,
): Promise<void> {
  let trimmed = atOnce;
  while (trimmed === atOnce && !isStopped()) {
    const { changes, dropped } = await store.write(trimChanges, { now: clock.now(), limit: atOnce });
    for (const reader of dropped)
      log.warn(reader, 'a reader of changes was gone, or too far behind: it was dropped');
    trimmed = changes;
  }
}
