/**
 * Sends what is due, one try of a mail after the other, several mails at a time: as many as the connections to the relay
 * keep busy. While the relay is away, one mail at a time finds out whether it is back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Breaker, growingPauseMs, isDue, withJitter } from '../../foundation/breaker.ts';
import { type Clock, timeIn } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import {
  type DueMail,
  pullPutOffMails,
  readDueMails,
  recordTriedMails,
  type TriedMail,
} from './outbox-store.ts';
import type { MailKind } from './outgoing-mail.ts';
import { type Relay, type RelayAnswer, relayConnections } from './relay.ts';

export interface MailSenderOptions {
  readonly nodeId: number;
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly relay: Pick<Relay, 'send'>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Whether this node may act still. */
  readonly isHeld: () => boolean;
  readonly tried: (outcome: RelayAnswer['outcome'], kind: MailKind) => void;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** A connection has its next mail while the outcome of the one before is stored. */
const atOnce = 4 * relayConnections;
const page = 100;
/** A stop waits so long for what is under way, which the node that sends next sends again. */
const stopMs = 10_000;
const storePauseMs = 500;
const pulledAtOnce = 500;
/** So many mails that could not reach the relay are remembered; beyond that, which they were is forgotten. */
const mostUnreached = 10_000;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** The pauses of one mail that the relay did not take for now, such as by greylisting. The last one is repeated. */
const pausesMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);

/** A relay that is away is asked by one connection: every five seconds for two minutes, since most are back by then. */
const longestRelayPauseMs = 30 * secondMs;
const relayPausesMs = [
  ...[secondMs, 2 * secondMs, ...Array.from({ length: 24 }, () => 5 * secondMs)],
  ...[10 * secondMs, 20 * secondMs, longestRelayPauseMs],
];

export const longestPauseMs = 240 * minuteMs;

/** `tries`: that have failed. */
function mailPauseMs(tries: number, chance: number): number {
  return growingPauseMs(pausesMs, tries, chance);
}

function relayPauseMs(failures: number, chance: number): number {
  return growingPauseMs(relayPausesMs, failures, chance);
}

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #breaker = new Breaker({ failures: 0, failingSince: null, nextAt: 0 }, relayPauseMs);
  #waiting: DueMail[] = [];
  readonly #underWay = new Map<string, Promise<void>>();
  /** The company whose mail was begun last, of all that was read. */
  #lastCompany = 0;
  /** What has come since the last reading may be more urgent, or of another company. */
  #isStale = true;
  /** How many waited after the last reading, and whether it left some. */
  #read = { count: 0, isMore: true };
  /** The ids of mails that were begun since the reading under way began. */
  #begun = new Set<string>();
  /** How often in a row the relay was away for a mail, which says nothing of the mail. */
  readonly #unreached = new Map<string, number>();
  #reading: Promise<void> | undefined;
  #isStopped = false;
  /** Nothing more is stored: another sender may be at it. */
  #isOver = false;

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  get nodeId(): number {
    return this.#options.nodeId;
  }

  /** There may be something new to send. Cheap, and called often. */
  wake(): void {
    this.#isStale = true;
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#begin()) return;
    const { count, isMore } = this.#read;
    if (this.#isStale || (isMore && this.#waiting.length <= count / 2)) this.#reading ??= this.#readDue();
  }

  /** As many as may be under way; false: none may. */
  #begin(): boolean {
    const { clock, isHeld } = this.#options;
    const mayAsk = isDue(this.#breaker.state.nextAt, clock.now(), longestRelayPauseMs);
    if (this.#isStopped || !isHeld() || !mayAsk) return false;
    const most = this.#breaker.isOpen ? 1 : atOnce;
    while (this.#underWay.size < most) {
      const mail = this.#waiting.shift();
      if (mail === undefined) break;
      this.#begun.add(mail.messageId);
      this.#lastCompany = mail.companyId;
      const sent = this.#deliver(mail).finally(() => {
        this.#underWay.delete(mail.messageId);
        this.#goOn();
      });
      this.#underWay.set(mail.messageId, sent);
    }
    return true;
  }

  /** Resolves when what is under way is stored, or takes too long. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const waiting = new AbortController();
    await Promise.race([
      Promise.all([...this.#underWay.values()]),
      delay(stopMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    this.#isOver = true;
  }

  async #readDue(): Promise<void> {
    const { store, clock, log } = this.#options;
    const wasStale = this.#isStale;
    this.#isStale = false;
    // What was under way when it was read may have been sent by now.
    this.#begun = new Set(this.#underWay.keys());
    let isRead = false;
    try {
      const query = { now: clock.now(), limit: page + this.#begun.size, after: this.#lastCompany };
      const { mails, isMore } = await store.read(readDueMails, query);
      this.#waiting = mails.filter(({ messageId }) => !this.#begun.has(messageId));
      this.#read = { count: this.#waiting.length, isMore };
      isRead = true;
    } catch (error) {
      this.#isStale ||= wasStale;
      log.warn({ error }, 'outgoing mail waits for the store');
    } finally {
      this.#reading = undefined;
    }
    // Nothing is read again before one of them has gone, or something new has come.
    if (isRead && this.#isStale) this.#goOn();
    else if (isRead) this.#begin();
  }

  async #deliver(mail: DueMail): Promise<void> {
    const { relay, clock, chance, tried } = this.#options;
    const { messageId, kind } = mail;
    const own = () => ({ nodeId: this.nodeId, messageId, kind, at: clock.now() });
    if (kind === 'question' && mail.giveUpAt <= clock.now()) {
      await this.#record({ ...own(), outcome: 'failed', dueAt: 0, reason: overBefore, isCounted: true });
      return;
    }
    const isProbe = this.#breaker.isOpen;
    const answer = await relay.send(mail, new Date(clock.now()));
    if (this.#isOver) return;
    tried(answer.outcome, kind);
    const isBack = this.#learn(answer, isProbe);
    const isAway = answer.outcome === 'unreachable';
    const pause = isAway
      ? relayPauseMs(this.#countUnreached(messageId), chance())
      : mailPauseMs(mail.tries + 1, chance());
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
    const { store, clock, log } = this.#options;
    try {
      for (let pulled = pulledAtOnce; pulled === pulledAtOnce && !this.#isStopped; ) {
        const now = clock.now();
        pulled = await store.write(pullPutOffMails, {
          now,
          after: now,
          until: now + withJitter(longestRelayPauseMs),
          limit: pulledAtOnce,
        });
      }
      this.#isStale = true;
    } catch (error) {
      log.warn({ error }, 'outgoing mail waits for the store');
    }
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

  /** What the relay has is to be stored, however long the store is out of reach. */
  async #record(tried: TriedMail): Promise<void> {
    const { store, log } = this.#options;
    while (!this.#isOver) {
      try {
        await store.write(recordTriedMails, tried);
        return;
      } catch (error) {
        if (this.#isStopped) return;
        log.warn({ error }, 'outgoing mail waits for the store');
        await delay(storePauseMs);
      }
    }
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
