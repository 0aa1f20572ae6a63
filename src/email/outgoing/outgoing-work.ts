/**
 * What a node that dispatches does for mail that goes out. Of several nodes one does it all: whoever holds the reader of
 * the journal puts mails into the outbox, and sends what is in it.
 */
import { HeldWork } from '../../changes/held-reader.ts';
import type { Clock } from '../../foundation/clock.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Store } from '../../storage/store.ts';
import { longestPauseMs, MailSender, type MailSenderOptions } from './mail-sender.ts';
import { measureOutbox, pullPutOffMails } from './outbox-store.ts';
import { giveUpAfterMs, outgoingMailTopic } from './outgoing-mail.ts';
import { keepMailReader, mailReader, queueReceipts, type Taken, takeChanges } from './take-changes-store.ts';

interface OutgoingWorkOptions extends Omit<MailSenderOptions, 'nodeId' | 'isHeld' | 'store'> {
  readonly store: Store;
  readonly clock: Clock;
  /** The domain of phones: what goes back comes from there. */
  readonly domain: string;
  /** The id of this node; undefined while it may not act. */
  readonly nodeId: () => number | undefined;
}

export interface OutboxSize {
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly failed: number;
}

const leastPauseMs = 200;
const measureEveryMs = 5_000;
const atOnce = 500;
const page = 1_000;
const mailsAtOnce = 5;
const mostRounds = 50;
/** While more mails wait, nothing more is taken from the journal. */
const mostWaiting = 100_000;

export class OutgoingWork {
  readonly #options: OutgoingWorkOptions;
  readonly #held: HeldWork<MailSender>;
  readonly #sweeping: WokenLoop;
  #size: OutboxSize | undefined;

  constructor(options: OutgoingWorkOptions) {
    this.#options = options;
    const { store, nodeId, log } = options;
    const failed = (error: unknown) => log.warn({ error }, 'outgoing mail waits for the store');
    this.#held = new HeldWork({
      store,
      nodeId,
      log,
      leastPauseMs,
      failed,
      name: mailReader,
      isWanted: () => true,
      keep: () => store.write(keepMailReader, null),
      advance: (holder, to) => this.#advance(holder, to),
      dropped: () => this.#dropped(),
      begin: (holder) => this.#begin(holder),
      look: (sender) => this.#look(sender),
      end: (sender) => this.#end(sender),
    });
    this.#sweeping = new WokenLoop({ pauseMs: measureEveryMs, firstMs: 0, failed }, () => this.#sweep());
    store.onAnnouncement((topic) => {
      if (topic === outgoingMailTopic) this.#held.work?.wake();
    });
  }

  async start(): Promise<void> {
    // From the first start on, all that happens is kept for it.
    await this.#options.store.write(keepMailReader, null);
    this.#held.start();
    this.#sweeping.start();
  }

  async stop(): Promise<void> {
    await this.#sweeping.stop();
    await this.#held.stop();
  }

  /** As it was a while ago; undefined: another node sends. */
  get size(): OutboxSize | undefined {
    return this.#held.work === undefined ? undefined : this.#size;
  }

  #begin(nodeId: number): MailSender {
    this.#options.log.info({}, 'this node sends mail');
    return new MailSender({
      ...this.#options,
      nodeId,
      isHeld: () => this.#options.nodeId() === nodeId,
    });
  }

  async #end(sender: MailSender): Promise<void> {
    this.#size = undefined;
    await sender.stop();
  }

  /** While more waits than there is room for, the rest waits in the journal. */
  async #advance(nodeId: number, to: number): Promise<Taken> {
    const { store, clock, domain } = this.#options;
    if ((this.#size?.waiting ?? 0) >= mostWaiting) return { place: 0, isMore: false };
    const taken = await store.write(takeChanges, { nodeId, to, limit: page, now: clock.now(), domain });
    this.#held.work?.wake();
    return taken;
  }

  async #look(sender: MailSender): Promise<void> {
    const { store, clock, domain } = this.#options;
    const nodeId = sender.nodeId;
    const input = { nodeId, domain, limit: mailsAtOnce };
    let queued = mailsAtOnce;
    // The next look, a second later, goes on.
    for (let round = 0; round < mostRounds && queued === mailsAtOnce; round += 1)
      queued = await store.write(queueReceipts, { ...input, now: clock.now() });
    sender.wake();
  }

  #dropped(): void {
    this.#options.log.error(
      {},
      'mail was too far behind: receipts and answers of meanwhile are not sent; messages have their statuses',
    );
  }

  async #sweep(): Promise<void> {
    if (this.#held.work === undefined) return;
    const { store, clock } = this.#options;
    const now = clock.now();
    await store.write(pullPutOffMails, {
      now,
      after: now + 2 * longestPauseMs,
      until: Number.MAX_SAFE_INTEGER,
      limit: atOnce,
    });
    const measured = await store.read(measureOutbox, null);
    if (measured === undefined) return;
    const { waiting, firstGiveUpAt, failed: kept } = measured;
    const oldestMs = firstGiveUpAt === null ? 0 : now - (firstGiveUpAt - giveUpAfterMs);
    this.#size = { waiting, failed: kept, oldestSeconds: Math.max(0, oldestMs / 1_000) };
  }
}
