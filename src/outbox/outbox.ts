/**
 * Delivers everything of one kind that goes out, such as posts to webhooks or e-mails. Of several nodes, one delivers
 * it as long as that node lives: the node that holds the kind's journal reader and queues from the journal what is to
 * be sent.
 *
 *   idle ──wanted──▶ waits to hold ──held──▶ queues and delivers ──the node ends, or nothing is wanted──▶ idle
 *
 * Each kind decides where its rows are stored, which of them comes next, and what an answer means; a `Sender` for each
 * receiver makes the attempts. Rows are not claimed before an attempt, so what was under way at a node that died is
 * delivered again.
 */
import { type Advanced, ChangeReader, changesTopic } from '../changes/change-reader.ts';
import { holdReader } from '../changes/held-reader.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import type { Context } from '../storage/context.ts';
import type { WriteVerb } from '../storage/verb.ts';

/** The services of the node that each kind needs. */
export interface OutboxNode extends Context {
  /** The id of this node; undefined while it must not act. */
  readonly nodeId: () => number | undefined;
  /** A random number from 0 to 1. */
  readonly chance: () => number;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** The node that delivers. */
export interface Holder {
  readonly nodeId: number;
  /** Whether the node may still deliver. */
  readonly mayDeliver: () => boolean;
}

/** `Work` is what the delivering node has open, that is, its senders. */
interface OutboxKind<Work> {
  /** The name of the kind's journal reader. */
  readonly reader: string;
  /** Makes sure that the reader exists from now on; true if it did not exist before. */
  readonly keep: WriteVerb<null, boolean>;
  /** Queues the next entries of the journal; `notHeld` means that another node does this. */
  readonly advance: (nodeId: number, to: number) => Promise<Advanced | 'notHeld'>;
  /** Logged when nothing was kept for the reader, which then begins at the end of the journal. */
  readonly missed: string;
  readonly isWanted: () => boolean;
  readonly begin: (holder: Holder) => Work;
  /** Called every second. */
  readonly look: (work: Work) => Promise<void>;
  /** The topic that is announced when something has been queued. */
  readonly topic: string;
  readonly queued: (work: Work) => Promise<void> | void;
  readonly end: (work: Work) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

const lookEveryMs = 1_000;
/** The least time between two readings of the journal. */
const leastPauseMs = 200;

interface Held<Work> {
  readonly nodeId: number;
  readonly reader: ChangeReader;
  readonly work: Work;
}

export class Outbox<Work> {
  readonly #node: OutboxNode;
  readonly #kind: OutboxKind<Work>;
  readonly #looking: WokenLoop;
  readonly #following: WokenLoop;
  #held: Held<Work> | undefined;

  constructor(node: OutboxNode, kind: OutboxKind<Work>) {
    this.#node = node;
    this.#kind = kind;
    const { failed, topic, queued } = kind;
    this.#looking = new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, () => this.#look());
    this.#following = new WokenLoop({ pauseMs: Infinity, failed }, async () => {
      if (this.#held !== undefined) await queued(this.#held.work);
    });
    node.store.onAnnouncement((announced) => {
      if (announced === changesTopic) this.#held?.reader.wake();
      else if (announced === topic) this.wake();
    });
  }

  /** Undefined when this node does not deliver. */
  get work(): Work | undefined {
    return this.#held?.work;
  }

  start(): void {
    this.#looking.start();
    this.#following.start();
  }

  /** Signals that something has been queued. It is cheap and is called often. */
  wake(): void {
    this.#following.wake();
  }

  /** Resolves when the deliveries in progress have ended or are left to the next node. */
  async stop(): Promise<void> {
    await Promise.all([this.#looking.stop(), this.#following.stop()]);
    await this.#end();
  }

  async #look(): Promise<void> {
    const { isWanted, reader: name, keep, look } = this.#kind;
    const { store, nodeId: ask } = this.#node;
    const nodeId = isWanted() ? ask() : undefined;
    if (this.#held !== undefined && this.#held.nodeId !== nodeId) await this.#end();
    if (nodeId === undefined) return;
    if (!(await store.write(holdReader, { name, nodeId }))) {
      await this.#end();
      if (await store.write(keep, null)) this.#missed();
      return;
    }
    this.#held ??= await this.#begin(nodeId);
    await look(this.#held.work);
  }

  async #begin(nodeId: number): Promise<Held<Work>> {
    const { store, log, nodeId: ask } = this.#node;
    const { reader: name, keep, advance, begin } = this.#kind;
    const reader = new ChangeReader({
      store,
      log,
      leastPauseMs,
      name,
      dropped: () => this.#missed(),
      enter: async () => {
        await store.write(keep, null);
        // The reader starts at the position in the store.
        return 0;
      },
      async advance(to) {
        const advanced = await advance(nodeId, to);
        // The next check finds out which node holds it.
        return advanced === 'notHeld' ? { place: 0, isMore: false } : advanced;
      },
    });
    await reader.start();
    return { nodeId, reader, work: begin({ nodeId, mayDeliver: () => ask() === nodeId }) };
  }

  #missed(): void {
    this.#node.log.error({}, this.#kind.missed);
  }

  async #end(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    await Promise.all([held.reader.stop(), this.#kind.end(held.work)]);
  }
}
