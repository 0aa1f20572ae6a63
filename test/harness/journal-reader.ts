/** A journal reader that keeps what it receives and counts its queries. */

import { ChangeReader, type OwnReading, readingAlone } from '../../src/changes/change-reader.ts';
import { type Change, listStillOpen } from '../../src/changes/journal.ts';
import type { Store } from '../../src/storage/store.ts';

export interface KeepingReader {
  readonly reader: ChangeReader;
  /** The reported messages with their statuses, in order. */
  readonly taken: readonly string[];
  /** How often the reader was dropped. */
  readonly dropped: number;
  /** How often it has asked whether the transactions before its mark have ended. */
  readonly asked: number;
}

/** Reads without pauses, except while it waits to be woken. */
export function keepingReader(store: Store, options: Partial<Pick<OwnReading, 'take'>> = {}): KeepingReader {
  const taken: string[] = [];
  const seen = { dropped: 0, asked: 0 };
  const counting: OwnReading['store'] = {
    read: (verb, input) => {
      if (verb.name === listStillOpen.name) seen.asked += 1;
      return store.read(verb, input);
    },
    write: (verb, input) => store.write(verb, input),
  };
  const keep = (changes: readonly Change[]) => {
    for (const { subjectId, status } of changes) taken.push(`${subjectId} ${status}`);
  };
  const name = 'reader';
  const reader = new ChangeReader({
    store: counting,
    name,
    leastPauseMs: 1,
    log: { warn: () => undefined },
    ...readingAlone({ store: counting, name, patienceMs: 60_000, take: options.take ?? keep }),
    dropped: () => {
      seen.dropped += 1;
    },
  });
  return {
    reader,
    taken,
    get dropped() {
      return seen.dropped;
    },
    get asked() {
      return seen.asked;
    },
  };
}
