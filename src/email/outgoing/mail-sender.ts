/**
 * Sends due e-mails, with one attempt of an e-mail at a time but several e-mails in parallel: as many as keep the relay
 * connections busy. While the relay is unavailable, a single e-mail probes whether it is back.
 */

import { Breaker, Pauses } from '../../foundation/breaker.ts';
import { timeIn } from '../../foundation/clock.ts';
import { storedReason } from '../../foundation/sentences.ts';
import type { Holder, OutboxNode } from '../../outbox/outbox.ts';
import { Sender } from '../../outbox/sender.ts';
import {
  type DueMail,
  pullPutOffMails,
  readDueMails,
  recordTriedMails,
  type TriedMail,
} from './outbox-store.ts';
import { giveUpAfterMs, type MailKind } from './outgoing-mail.ts';
import { type Relay, type RelayAnswer, relayConnections } from './relay.ts';

export interface MailingOptions extends OutboxNode {
  readonly relay: Pick<Relay, 'send'>;
  /** Called after each attempt. */
  readonly tried: (outcome: RelayAnswer['outcome'], kind: MailKind) => void;
}

/** More e-mails than connections, so that a connection gets its next e-mail while the outcome of the previous one is stored. */
const maxConcurrentMails = 4 * relayConnections;
const page = 100;
const stopMs = 10_000;
const maxPulledPerStep = 500;
/** At most this many e-mails that could not reach the relay are remembered individually. */
const maxUnreached = 10_000;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const mailPausesMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);

/** The pauses of a single e-mail that the relay temporarily rejected, for example by greylisting. */
export const mailBackoff = new Pauses(mailPausesMs);

/** An unavailable relay is probed by one connection: every five seconds for two minutes, since most are back by then. */
const relayBackoff = new Pauses([
  ...[secondMs, 2 * secondMs, ...Array.from({ length: 24 }, () => 5 * secondMs)],
  ...[10 * secondMs, 20 * secondMs, 30 * secondMs],
]);

/** The longest delay of an e-mail, by number of attempts. An attempt that does not reach the relay is not counted. */
export const longestPutOffMs: readonly number[] = [
  relayBackoff.longestMs,
  ...mailPausesMs.map((_, place) => mailBackoff.longestAfterMs(place + 1)),
];

export class MailSender {
  readonly nodeId: number;
  readonly #options: MailingOptions;
  readonly #breaker = new Breaker({ failures: 0, failingSince: null, nextAt: 0 }, relayBackoff);
  readonly #sender: Sender;
  #waiting: DueMail[] = [];
  readonly #underWay = new Set<string>();
  /** The company whose e-mail was started last, among all e-mails read. */
  #lastCompany = 0;
  /** E-mails that arrived since the last read may be more urgent or belong to another company. */
  #isStale = true;
  #isReading = false;
  /** When fewer e-mails than this wait, more are read: half of the last read, if that left some unread. */
  #leastWaiting = 0;
  /** The ids of e-mails started since the current read began. */
  #begun = new Set<string>();
  /** How many times in a row the relay was unavailable for an e-mail; this is not the e-mail's fault. */
  readonly #unreached = new Map<string, number>();

  constructor(options: MailingOptions, { nodeId, mayDeliver }: Holder) {
    this.nodeId = nodeId;
    this.#options = options;
    const { clock, log } = options;
    this.#sender = new Sender({
      clock,
      stopMs,
      mayDeliver,
      next: (now) => this.#next(now),
      // No due time is needed because each poll of the outbox wakes the sender.
      dueAt: () => Infinity,
      setBack: (ms) => this.#breaker.setBack(ms),
      failed: (error) => log.warn({ error }, 'outgoing mail waits for the store'),
    });
  }

  /** Signals that there may be something new to send. Cheap and called often. */
  wake(): void {
    this.#isStale = true;
    this.#sender.wake();
  }

  stop(): Promise<void> {
    return this.#sender.stop();
  }

  #next(now: number): Promise<void> | undefined {
    if (!this.#breaker.isDue(now)) return undefined;
    const mayTry = this.#breaker.mayTry(now, this.#underWay.size, maxConcurrentMails);
    const mail = mayTry ? this.#waiting.shift() : undefined;
    if (mail !== undefined) return this.#deliver(mail);
    const wantsMore = this.#isStale || (mayTry && this.#waiting.length < this.#leastWaiting);
    return wantsMore && !this.#isReading ? this.#readDue() : undefined;
  }

  async #readDue(): Promise<void> {
    const { store, clock } = this.#options;
    this.#isReading = true;
    this.#isStale = false;
    // E-mails in flight when the read begins may have been sent when it ends.
    this.#begun = new Set(this.#underWay);
    try {
      const query = { now: clock.now(), limit: page + this.#begun.size, after: this.#lastCompany };
      const { mails, isMore } = await store.read(readDueMails, query);
      this.#waiting = mails.filter(({ messageId }) => !this.#begun.has(messageId));
      // At least 1, because every e-mail just read may already have been started.
      this.#leastWaiting = isMore ? Math.max(1, this.#waiting.length / 2) : 0;
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  async #deliver(mail: DueMail): Promise<void> {
    const { messageId, companyId } = mail;
    this.#underWay.add(messageId);
    this.#begun.add(messageId);
    this.#lastCompany = companyId;
    try {
      await this.#try(mail);
    } finally {
      this.#underWay.delete(messageId);
    }
  }

  async #try(mail: DueMail): Promise<void> {
    const { relay, clock, chance, tried } = this.#options;
    const { messageId, kind } = mail;
    const own = () => ({ nodeId: this.nodeId, messageId, kind, at: clock.now() });
    if (kind === 'question' && mail.giveUpAt <= clock.now()) {
      await this.#record({
        ...own(),
        outcome: 'failed',
        dueAt: 0,
        reason: storedReason({ sentence: 'mail_too_late' }),
        isCounted: true,
      });
      return;
    }
    const isProbe = this.#breaker.isOpen;
    const answer = await relay.send(mail, new Date(clock.now()));
    if (this.#sender.isOver) return;
    tried(answer.outcome, kind);
    const isBack = this.#learn(answer, isProbe);
    const isAway = answer.outcome === 'unreachable';
    const pause = isAway
      ? relayBackoff.pauseMs(this.#countUnreached(messageId), chance())
      : mailBackoff.pauseMs(mail.tries + 1, chance());
    if (!isAway) this.#unreached.delete(messageId);
    const dueAt = timeIn(clock, pause);
    const isGivenUp = outcomes[answer.outcome] === 'deferred' && dueAt > mail.giveUpAt;
    this.#tell(mail, answer, isGivenUp);
    const { reason: why } = answer;
    const givenUp = () =>
      storedReason(
        kind === 'question'
          ? { sentence: 'mail_too_late_as', why }
          : { sentence: 'mail_given_up', hours: giveUpAfterMs / 3_600_000, why },
      );
    const reason = isGivenUp ? givenUp() : why;
    await this.#record({
      ...own(),
      dueAt,
      reason,
      outcome: isGivenUp ? 'failed' : outcomes[answer.outcome],
      isCounted: !isAway,
    });
    if (isBack) await this.#pullPutOff();
  }

  #countUnreached(messageId: string): number {
    const count = (this.#unreached.get(messageId) ?? 0) + 1;
    if (this.#unreached.size >= maxUnreached) this.#unreached.clear();
    this.#unreached.set(messageId, count);
    return count;
  }

  /**
   * Makes e-mails due now that were delayed while the relay was unavailable, but not those that the relay itself deferred for
   * longer.
   */
  async #pullPutOff(): Promise<void> {
    const { store, clock } = this.#options;
    for (let pulled = maxPulledPerStep; pulled === maxPulledPerStep && !this.#sender.isStopped; ) {
      const now = clock.now();
      const until = now + relayBackoff.longestMs;
      pulled = await store.write(pullPutOffMails, { now, after: now, until, limit: maxPulledPerStep });
    }
    this.#isStale = true;
  }

  /** A relay that answers an e-mail is available, whatever its response. Returns true if it was unavailable until now. */
  #learn({ outcome, reason }: RelayAnswer, isProbe: boolean): boolean {
    const { clock, chance, log } = this.#options;
    if (outcome !== 'unreachable') {
      const isBack = this.#breaker.close();
      if (isBack) log.info({}, 'the relay for outgoing mail is available again');
      return isBack;
    }
    const wasOpen = this.#breaker.isOpen;
    this.#breaker.fail({ isProbe, now: clock.now(), chance: chance(), askedMs: undefined });
    if (!wasOpen && this.#breaker.isOpen)
      log.error(
        { reason: withoutAddresses(reason) },
        'the relay for outgoing mail is unavailable: mail waits',
      );
    return false;
  }

  /** Logs neither addresses nor texts, which the relay's response may contain. */
  #tell(
    { messageId, companyId, kind, tries }: DueMail,
    { outcome, reason }: RelayAnswer,
    isGivenUp: boolean,
  ): void {
    const details = { mail: messageId, companyId, kind, tries: tries + 1, code: /^\d{3}/.exec(reason)?.[0] };
    if (outcome === 'taken') this.#options.log.info(details, 'an e-mail has gone out');
    else if (outcome === 'refused')
      this.#options.log.warn(details, 'the relay refused an e-mail: see carillon mail outbox');
    else if (isGivenUp) this.#options.log.error(details, 'an e-mail was given up: see carillon mail outbox');
  }

  async #record(tried: TriedMail): Promise<void> {
    await this.#sender.persistently(() => this.#options.store.write(recordTriedMails, tried));
  }
}

const outcomes = {
  taken: 'taken',
  deferred: 'deferred',
  unreachable: 'deferred',
  refused: 'failed',
} as const;

function withoutAddresses(reason: string): string {
  return reason.replace(/<[^<>]*>|"[^"]*"/g, '…');
}
