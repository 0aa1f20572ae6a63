/** A reader of the journal that keeps what it was given. */
import type { Change } from '../../src/changes/change.ts';
import { ChangeReader, type ChangeReaderOptions } from '../../src/changes/change-reader.ts';
import type { Store } from '../../src/storage/store.ts';

export interface KeepingReader {
  readonly reader: ChangeReader;
  /** The messages that it was told of, with their statuses, in order. */
  readonly taken: readonly string[];
  /** How often it was dropped. */
  readonly dropped: number;
}

export function keepingReader(store: Store, options: Partial<ChangeReaderOptions> = {}): KeepingReader {
  const taken: string[] = [];
  let dropped = 0;
  const reader = new ChangeReader({
    ...{ store, name: 'reader', patienceMs: 60_000, log: { warn: () => undefined } },
    take: (changes: readonly Change[]) => {
      for (const { subjectId, status } of changes) taken.push(`${subjectId} ${status}`);
    },
    dropped: () => {
      dropped += 1;
    },
    ...options,
  });
  return {
    reader,
    taken,
    get dropped() {
      return dropped;
    },
  };
}
