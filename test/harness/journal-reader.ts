/** A reader of the journal that keeps what it was given, and counts what it asks. */
import type { Change } from '../../src/changes/change.ts';
import { ChangeReader, type ChangeReaderOptions } from '../../src/changes/change-reader.ts';
import { haveEnded } from '../../src/changes/journal-store.ts';
import type { Store } from '../../src/storage/store.ts';

export interface KeepingReader {
  readonly reader: ChangeReader;
  /** The messages that it was told of, with their statuses, in order. */
  readonly taken: readonly string[];
  /** How often it was dropped. */
  readonly dropped: number;
  /** How often it has asked whether the transactions before its mark have ended. */
  readonly asked: number;
}

/** Without pauses, but for those in which it waits to be woken. */
export function keepingReader(store: Store, options: Partial<ChangeReaderOptions> = {}): KeepingReader {
  const taken: string[] = [];
  const seen = { dropped: 0, asked: 0 };
  const reader = new ChangeReader({
    store: {
      read: (verb, input) => {
        if (verb.name === haveEnded.name) seen.asked += 1;
        return store.read(verb, input);
      },
      write: (verb, input) => store.write(verb, input),
    },
    ...{ name: 'reader', patienceMs: 60_000, leastPauseMs: 1, log: { warn: () => undefined } },
    take: (changes: readonly Change[]) => {
      for (const { subjectId, status } of changes) taken.push(`${subjectId} ${status}`);
    },
    dropped: () => {
      seen.dropped += 1;
    },
    ...options,
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
