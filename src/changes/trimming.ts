/** Keeps the journal of changes as short as its readers let it, and tells of those that nothing is kept for any more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
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
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      try {
        await trim(options, signal);
      } catch (error) {
        options.log.warn({ error }, 'the journal of changes could not be trimmed; it is tried again');
      }
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}

/** All that there is now. */
export async function trim({ store, clock, log }: TrimmingOptions, signal?: AbortSignal): Promise<void> {
  let trimmed = atOnce;
  while (trimmed === atOnce && !signal?.aborted) {
    const { changes, dropped } = await store.write(trimChanges, { now: clock.now(), limit: atOnce });
    for (const reader of dropped)
      log.warn(reader, 'a reader of changes was gone, or too far behind: it was dropped');
    trimmed = changes;
  }
}
