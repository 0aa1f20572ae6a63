/**
 * The work of a dispatching node for outgoing mail: queues what the journal reports, sends what is due, and measures the
 * backlog.
 */
import type { Advanced } from '../../changes/change-reader.ts';
import { ClockWatch } from '../../foundation/clock.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import { Outbox } from '../../outbox/outbox.ts';
import { longestPutOffMs, type MailingOptions, MailSender, mailBackoff } from './mail-sender.ts';
import { measureOutbox, pullMailsAhead, pullPutOffMails } from './outbox-store.ts';
import { giveUpAfterMs, outgoingMailTopic } from './outgoing-mail.ts';
import { keepMailReader, mailReader, queueReceipts, takeChanges } from './take-changes-store.ts';

interface OutgoingWorkOptions extends MailingOptions {
  /** The email-to-SMS domain, from which receipts and answers are sent. */
  readonly domain: string;
}

export interface OutboxSize {
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly failed: number;
}

const measureEveryMs = 5_000;
const maxPulledPerStep = 500;
const page = 1_000;
const maxMailsPerStep = 5;
const maxRounds = 50;
/** While this many counted e-mails wait, nothing more is taken from the journal. */
const maxWaiting = 100_000;

export class OutgoingWork {
  readonly #options: OutgoingWorkOptions;
  readonly #outbox: Outbox<MailSender>;
  readonly #sweeping: WokenLoop;
  readonly #watch: ClockWatch;
  /** Whether the clock may have been set back since e-mails were delayed, and no sweep has looked for such e-mails yet. */
  #mayBeAhead = true;
  #counted = 0;
  #size: OutboxSize | undefined;

  constructor(options: OutgoingWorkOptions) {
    this.#options = options;
    const { log, clock } = options;
    this.#watch = new ClockWatch(clock);
    const failed = (error: unknown) => log.warn({ error }, 'outgoing mail waits for the store');
    this.#outbox = new Outbox(options, {
      reader: mailReader,
      keep: keepMailReader,
      advance: (nodeId, to) => this.#advance(nodeId, to),
      missed:
        'mail was too far behind: receipts and answers of the skipped time are not sent; the statuses of messages are complete',
      isWanted: () => true,
      begin: (holder) => {
        log.info({}, 'this node sends mail');
        return new MailSender(options, holder);
      },
      look: (sender) => this.#look(sender),
      topic: outgoingMailTopic,
      queued: (sender) => sender.wake(),
      end: (sender) => this.#end(sender),
      failed,
    });
    this.#sweeping = new WokenLoop({ pauseMs: measureEveryMs, firstMs: 0, failed }, () => this.#sweep());
  }

  async start(): Promise<void> {
    // From the first start on, the journal is kept for this reader.
    await this.#options.store.write(keepMailReader, null);
    this.#outbox.start();
    this.#sweeping.start();
  }

  async stop(): Promise<void> {
    await this.#sweeping.stop();
    await this.#outbox.stop();
  }

  /** A recent measurement; undefined while another node sends. */
  get size(): OutboxSize | undefined {
    return this.#outbox.work === undefined ? undefined : this.#size;
  }

  async #end(sender: MailSender): Promise<void> {
    this.#size = undefined;
    this.#counted = 0;
    this.#mayBeAhead = true;
    await sender.stop();
  }

  /** While the outbox is full, the rest waits in the journal. */
  async #advance(nodeId: number, to: number): Promise<Advanced | 'notHeld'> {
    const { store, clock, domain } = this.#options;
    if (this.#counted >= maxWaiting) return { place: 0, isMore: false };
    const taken = await store.write(takeChanges, { nodeId, to, limit: page, now: clock.now(), domain });
    this.#outbox.wake();
    return taken;
  }

  async #look(sender: MailSender): Promise<void> {
    const { store, clock, domain } = this.#options;
    const input = { nodeId: sender.nodeId, domain, limit: maxMailsPerStep };
    let queued = maxMailsPerStep;
    // The next poll, a second later, continues.
    for (let round = 0; round < maxRounds && queued === maxMailsPerStep; round += 1)
      queued = await store.write(queueReceipts, { ...input, now: clock.now() });
    sender.wake();
  }

  async #sweep(): Promise<void> {
    if (this.#watch.setBackMs() > 0) this.#mayBeAhead = true;
    if (this.#outbox.work === undefined) return;
    const { store, clock } = this.#options;
    const now = clock.now();
    await store.write(pullPutOffMails, {
      now,
      after: now + 2 * mailBackoff.longestMs,
      until: Number.MAX_SAFE_INTEGER,
      limit: maxPulledPerStep,
    });
    if (this.#mayBeAhead) await this.#pullAhead();
    const measured = await store.read(measureOutbox, null);
    if (measured === undefined) return;
    const { waiting, counted, firstGiveUpAt, failed: kept } = measured;
    const oldestMs = firstGiveUpAt === null ? 0 : now - (firstGiveUpAt - giveUpAfterMs);
    this.#counted = counted;
    this.#size = { waiting, failed: kept, oldestSeconds: Math.max(0, oldestMs / 1_000) };
  }

  async #pullAhead(): Promise<void> {
    const { store, clock } = this.#options;
    const input = { longestMs: longestPutOffMs, limit: maxPulledPerStep };
    for (let pulled = maxPulledPerStep; pulled === maxPulledPerStep; )
      pulled = await store.write(pullMailsAhead, { ...input, now: clock.now() });
    this.#mayBeAhead = false;
  }
}
