/**
 * Sends what is due, one try of a mail after the other, several mails at a time: as many as the connections to the relay
 * keep busy. While the relay is away, one mail at a time finds out whether it is back.
 */
import { Breaker, Pauses } from '../../foundation/breaker.ts';
import { timeIn } from '../../foundation/clock.ts';
import type { Holder, OutboxNode } from '../../outbox/outbox.ts';
import { Sender } from '../../outbox/sender.ts';
import {
  type DueMail,
  pullPutOffMails,
  readDueMails,
  recordTriedMails,
  type TriedMail,
} from './outbox-store.ts';
import type { MailKind } from './outgoing-mail.ts';
import { type Relay, type RelayAnswer, relayConnections } from './relay.ts';

export interface MailingOptions extends OutboxNode {
  readonly relay: Pick<Relay, 'send'>;
  /** Is told of each try. */
  readonly tried: (outcome: RelayAnswer['outcome'], kind: MailKind) => void;
}

/** A connection has its next mail while the outcome of the one before is stored. */
const atOnce = 4 * relayConnections;
const page = 100;
const stopMs = 10_000;
const pulledAtOnce = 500;
/** So many mails that could not reach the relay are remembered; beyond that, which they were is forgotten. */
const mostUnreached = 10_000;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const mailPausesMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);

/** The pauses of one mail that the relay did not take for now, such as by greylisting. */
export const mailBackoff = new Pauses(mailPausesMs);

/** A relay that is away is asked by one connection: every five seconds for two minutes, since most are back by then. */
const relayBackoff = new Pauses([
  ...[secondMs, 2 * secondMs, ...Array.from({ length: 24 }, () => 5 * secondMs)],
  ...[10 * secondMs, 20 * secondMs, 30 * secondMs],
]);

/** For how long a mail is put off at most, by how often it was tried. A try that does not reach the relay is not counted. */
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
  /** The company whose mail was begun last, of all that was read. */
  #lastCompany = 0;
  /** What has come since the last reading may be more urgent, or of another company. */
  #isStale = true;
  #isReading = false;
  /** More are read when fewer wait: half of what was read last, where that left some. */
  #leastWaiting = 0;
  /** The ids of mails that were begun since the reading under way began. */
  #begun = new Set<string>();
  /** How often in a row the relay was away for a mail, which says nothing of the mail. */
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
      // Each look of the outbox wakes it.
      dueAt: () => Infinity,
      setBack: (ms) => this.#breaker.setBack(ms),
      failed: (error) => log.warn({ error }, 'outgoing mail waits for the store'),
    });
  }

  /** There may be something new to send. Cheap, and called often. */
  wake(): void {
    this.#isStale = true;
    this.#sender.wake();
  }

  stop(): Promise<void> {
    return this.#sender.stop();
  }

  #next(now: number): Promise<void> | undefined {
    if (!this.#breaker.isDue(now)) return undefined;
    const mayTry = this.#breaker.mayTry(now, this.#underWay.size, atOnce);
    const mail = mayTry ? this.#waiting.shift() : undefined;
    if (mail !== undefined) return this.#deliver(mail);
    const wantsMore = this.#isStale || (mayTry && this.#waiting.length < this.#leastWaiting);
    return wantsMore && !this.#isReading ? this.#readDue() : undefined;
  }

  async #readDue(): Promise<void> {
    const { store, clock } = this.#options;
    this.#isReading = true;
    this.#isStale = false;
    // What was under way when it was read may have been sent by now.
    this.#begun = new Set(this.#underWay);
    try {
      const query = { now: clock.now(), limit: page + this.#begun.size, after: this.#lastCompany };
      const { mails, isMore } = await store.read(readDueMails, query);
      this.#waiting = mails.filter(({ messageId }) => !this.#begun.has(messageId));
      // All that was read may have begun meanwhile.
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
      await this.#record({ ...own(), outcome: 'failed', dueAt: 0, reason: overBefore, isCounted: true });
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
    const why = kind === 'question' ? overBefore : gaveUp;
    const reason = isGivenUp ? `${why}; ${answer.reason}` : answer.reason;
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
    if (this.#unreached.size >= mostUnreached) this.#unreached.clear();
    this.#unreached.set(messageId, count);
    return count;
  }

  /** What was put off while the relay was away goes at once, and not what it has put off itself for longer. */
  async #pullPutOff(): Promise<void> {
    const { store, clock } = this.#options;
    for (let pulled = pulledAtOnce; pulled === pulledAtOnce && !this.#sender.isStopped; ) {
      const now = clock.now();
      const until = now + relayBackoff.longestMs;
      pulled = await store.write(pullPutOffMails, { now, after: now, until, limit: pulledAtOnce });
    }
    this.#isStale = true;
  }

  /** A relay that answers a mail is there, whatever the answer. True: it was away until now. */
  #learn({ outcome, reason }: RelayAnswer, isProbe: boolean): boolean {
    const { clock, chance, log } = this.#options;
    if (outcome !== 'unreachable') {
      const isBack = this.#breaker.close();
      if (isBack) log.info({}, 'the relay for outgoing mail is back');
      return isBack;
    }
    const wasOpen = this.#breaker.isOpen;
    this.#breaker.fail({ isProbe, now: clock.now(), chance: chance(), askedMs: undefined });
    if (!wasOpen && this.#breaker.isOpen)
      log.error({ reason: withoutAddresses(reason) }, 'the relay for outgoing mail is away: mail waits');
    return false;
  }

  /** Neither addresses nor texts, of which the answer of the relay may hold some. */
  #tell(
    { messageId, companyId, kind, tries }: DueMail,
    { outcome, reason }: RelayAnswer,
    isGivenUp: boolean,
  ): void {
    const details = { mail: messageId, companyId, kind, tries: tries + 1, code: /^\d{3}/.exec(reason)?.[0] };
    if (outcome === 'taken') this.#options.log.info(details, 'a mail has gone out');
    else if (outcome === 'refused')
      this.#options.log.warn(details, 'the relay refused a mail: carillon mail outbox');
    else if (isGivenUp) this.#options.log.error(details, 'a mail was given up: carillon mail outbox');
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

/** In our own words, as an answer of the relay is in its. */
const gaveUp = 'given up after 48 hours';
const overBefore = 'not sent: what it asks was over before the relay could be reached';

function withoutAddresses(reason: string): string {
  return reason.replace(/<[^<>]*>|"[^"]*"/g, '…');
}
