/**
 * Reads the whole journal of changes in order, for one purpose, from a place that the store keeps: a reader goes on where the
 * previous reader of its name stopped.
 *
 *   enter ──▶ wait ◀──────────────────────────────┐
 *     ▲        │ woken, or after a while          │ nothing is left
 *     │        ▼                                  │
 *     │      settle ──all before it has ended──▶ advance: read, take, move
 *     │                                           │ ▲            │
 *     └───────────────dropped─────────────────────┘ └────more────┘
 *
 * Changes that were taken but not moved past, because the process or the store failed in between, are taken again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WokenLoop } from '../foundation/woken-loop.ts';
import type { Store } from '../storage/store.ts';
import {
  type Change,
  enterReader,
  leaveReader,
  listStillOpen,
  markJournal,
  moveReader,
  readChanges,
  readNewest,
} from './journal.ts';

interface ChangeReaderOptions extends Reading {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly name: string;
  /**
   * Minimum milliseconds between rounds, so that changes in quick succession are handled together; default: half a
   * second.
   */
  readonly leastPauseMs?: number;
  /** Called when the reader was dropped and restarts at the end of the journal, without reading the changes in between. */
  readonly dropped: () => void;
  readonly log: { warn(details: object, message: string): void };
}

/** How the reader gets its changes. */
interface Reading {
  /**
   * From now on, keeps the journal for this reader. A new reader starts at the end of the journal, with which `settle`
   * resolves once all earlier changes are visible. Returns the place from which the reader continues.
   */
  readonly enter: (settle: () => Promise<number>) => Promise<number>;
  /** Takes the next changes, up to a place, and moves past them. */
  readonly advance: (to: number) => Promise<Advanced>;
}

export type Advanced = { readonly place: number; readonly isMore: boolean } | 'dropped';

export interface OwnReading {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly name: string;
  /** A reader that makes no progress for this long while there is something to read is dropped. */
  readonly patienceMs: number;
  /** Receives the changes in order. */
  readonly take: (changes: readonly Change[]) => void | Promise<void>;
}

/**
 * For a name under which only one process reads; the process handles the changes itself, and only the reader's place is
 * stored.
 */
export function readingAlone({ store, name, patienceMs, take }: OwnReading): Reading {
  return {
    enter: async (settle) => store.write(enterReader, { name, place: await settle(), patienceMs }),
    async advance(to) {
      const changes = await store.read(readChanges, { name, to, limit: page });
      if (changes === null) return 'dropped';
      const last = changes.at(-1);
      if (last === undefined) return { place: to, isMore: false };
      await take(changes);
      await store.write(moveReader, { name, to: last.place });
      return { place: last.place, isMore: changes.length === page };
    },
  };
}

/** Announced when there may be something to read. */
export const changesTopic = 'changes';

const standardPauseMs = 500;
/** Not every change is announced. */
const pollMs = 1_000;
/** Transactions take milliseconds. */
const firstSettleMs = 10;
/** No transaction of this server is open this long, so the operator is told which process holds up the changes. */
const longSettleMs = 10_000;
const page = 1_000;

export class ChangeReader {
  readonly #options: ChangeReaderOptions;
  readonly #rounds: WokenLoop;
  #place = 0;

  constructor(options: ChangeReaderOptions) {
    this.#options = options;
    const { leastPauseMs = standardPauseMs, log } = options;
    const failed = (error: unknown) => log.warn({ error }, 'changes wait for the store');
    this.#rounds = new WokenLoop({ pauseMs: pollMs, firstMs: 0, leastPauseMs, failed }, (signal) =>
      this.#round(signal),
    );
  }

  /** Resolves when no change committed from now on will be missed. */
  async start(): Promise<void> {
    await this.#enter();
    this.#rounds.start();
  }

  /** Called when there may be something to read. Cheap, and called often. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Resolves when the current round has ended. The next reader of this name continues from there. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Stops for good, so that nothing is kept for its name any more. */
  async leave(): Promise<void> {
    await this.stop();
    await this.#options.store.write(leaveReader, this.#options.name);
  }

  async #enter(): Promise<void> {
    this.#place = await this.#options.enter(() => this.#settled());
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { store, advance, dropped } = this.#options;
    if ((await store.read(readNewest, null)) <= this.#place) return;
    const to = await this.#settled();
    let isMore = true;
    while (isMore && !signal.aborted) {
      const advanced = await advance(to);
      if (advanced === 'dropped') {
        await this.#enter();
        return dropped();
      }
      this.#place = advanced.place;
      isMore = advanced.isMore;
    }
  }

  /** The end of the journal, once all earlier changes are visible. */
  async #settled(): Promise<number> {
    const { store, name, log } = this.#options;
    const { signal } = this.#rounds;
    const { place, transaction } = await store.read(markJournal, null);
    let [pauseMs, waitedMs, isReported] = [firstSettleMs, 0, false];
    for (;;) {
      const processIds = await store.read(listStillOpen, transaction);
      if (processIds.length === 0) return place;
      if (!isReported && waitedMs > longSettleMs) {
        isReported = true;
        log.warn(
          { processIds, reader: name },
          'changes wait for transactions that other processes keep open',
        );
      }
      await delay(pauseMs, undefined, { signal });
      waitedMs += pauseMs;
      pauseMs = Math.min(2 * pauseMs, standardPauseMs);
    }
  }
}
