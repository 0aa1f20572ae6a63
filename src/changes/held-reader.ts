/**
 * A reader of the journal that several nodes share: one of them holds it as long as it lives, reads for all, and does the
 * work that goes with it.
 *
 *   idle ──there is work──▶ waits to hold ──held──▶ reads and works ──the node ends, or there is no work any more──▶ idle
 */

import { WokenLoop } from '../foundation/woken-loop.ts';
import { byDialect, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { type Advanced, ChangeReader, changesTopic } from './change-reader.ts';
import { endOfJournal } from './journal.ts';

interface HeldWorkOptions<Work> {
  readonly store: Store;
  readonly name: string;
  readonly leastPauseMs: number;
  /** The id of this node; undefined while it may not act. */
  readonly nodeId: () => number | undefined;
  readonly isWanted: () => boolean;
  /** The reader is there from now on; true: it was not before. */
  readonly keep: () => Promise<boolean>;
  /** Takes what comes next, as a reader does; `notHeld`: another node reads. */
  readonly advance: (nodeId: number, to: number) => Promise<Advanced | 'notHeld'>;
  /** Nothing was kept for the reader: it begins at the end of the journal. */
  readonly dropped: () => void;
  readonly begin: (nodeId: number) => Work;
  /** Again and again, as long as it is held. */
  readonly look: (work: Work) => Promise<void>;
  readonly end: (work: Work) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly log: { warn(details: object, message: string): void };
}

const lookEveryMs = 1_000;

interface Held<Work> {
  readonly nodeId: number;
  readonly reader: ChangeReader;
  readonly work: Work;
}

export class HeldWork<Work> {
  readonly #options: HeldWorkOptions<Work>;
  readonly #looking: WokenLoop;
  #held: Held<Work> | undefined;
  /** Beginning, looking and ending come one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: HeldWorkOptions<Work>) {
    this.#options = options;
    const { failed, store } = options;
    this.#looking = new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, () =>
      this.inTurn(() => this.#look()),
    );
    store.onAnnouncement((topic) => {
      if (topic === changesTopic) this.#held?.reader.wake();
    });
  }

  /** Undefined: this node does not hold it. */
  get work(): Work | undefined {
    return this.#held?.work;
  }

  start(): void {
    this.#looking.start();
  }

  async stop(): Promise<void> {
    await this.#looking.stop();
    await this.inTurn(() => this.#end());
  }

  inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(step, step);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(): Promise<void> {
    const { nodeId: ask, isWanted, store, name, keep, dropped, look } = this.#options;
    const nodeId = isWanted() ? ask() : undefined;
    if (this.#held !== undefined && this.#held.nodeId !== nodeId) await this.#end();
    if (nodeId === undefined) return;
    if (!(await store.write(holdReader, { name, nodeId }))) {
      await this.#end();
      if (await keep()) dropped();
      return;
    }
    this.#held ??= await this.#begin(nodeId);
    await look(this.#held.work);
  }

  async #begin(nodeId: number): Promise<Held<Work>> {
    const { store, log, name, leastPauseMs, keep, dropped, advance, begin } = this.#options;
    const reader = new ChangeReader({
      store,
      log,
      leastPauseMs,
      name,
      dropped,
      enter: async () => {
        await keep();
        // It reads from where the store says.
        return 0;
      },
      async advance(to) {
        const advanced = await advance(nodeId, to);
        // The next look finds out who holds it.
        return advanced === 'notHeld' ? { place: 0, isMore: false } : advanced;
      },
    });
    await reader.start();
    return { nodeId, reader, work: begin(nodeId) };
  }

  async #end(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    await Promise.all([held.reader.stop(), this.#options.end(held.work)]);
  }
}

interface Holding {
  readonly name: string;
  readonly nodeId: number;
}

/** True when this node holds it from now on, or did already. */
export const holdReader = singleWriteVerb(
  'changes.holdReader',
  async (transaction, { name, nodeId }: Holding) => {
    const held = await transaction.run(
      sql`UPDATE change_readers SET holder = ${nodeId} WHERE name = ${name}
            AND NOT EXISTS (SELECT 1 FROM nodes WHERE id = holder AND id <> ${nodeId} AND ended = 0)`,
    );
    return held === 1;
  },
);

/** The place that it has come to, where this node holds it: nobody else does until the transaction ends. */
export async function isHeld(
  transaction: Transaction,
  { name, nodeId }: Holding,
): Promise<{ readonly place: number } | 'notHeld' | 'dropped'> {
  const reader = await transaction.first<{ place: number; holder: number | null }>(
    sql`SELECT place, holder FROM change_readers WHERE name = ${name} ${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`,
  );
  if (reader === undefined) return 'dropped';
  return reader.holder === nodeId ? { place: reader.place } : 'notHeld';
}

export async function moveHeldReader(transaction: Transaction, name: string, to: number): Promise<void> {
  await transaction.run(
    sql`UPDATE change_readers SET place = ${to}, stuck_since = NULL WHERE name = ${name}`,
  );
}

/**
 * The reader is there from now on, whether or not a process reads by its name yet; true: it was not before. It begins at
 * the end of the journal, which misses nothing of a company that begins to be listened to in the same transaction: until
 * that is committed, no other transaction writes down what the company's messages do.
 */
export async function keepReader(
  transaction: Transaction,
  { name, patienceMs }: { readonly name: string; readonly patienceMs: number },
): Promise<boolean> {
  const place = await endOfJournal(transaction);
  const made = await transaction.run(
    sql`INSERT INTO change_readers (name, place, patience_ms) VALUES (${name}, ${place}, ${patienceMs})
        ON CONFLICT (name) DO NOTHING`,
  );
  return made === 1;
}
