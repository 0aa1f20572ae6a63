/**
 * A carrier that takes messages by HTTP, one in each request, as its declaration says.
 *
 *   submit ──▶ waiting ──window, rate──▶ exchange ──answer──▶ outcome
 *
 * A carrier that reports by calls is heard in another place (`callbacks.ts`); one that calls nobody is asked (`polling.ts`).
 */
import { setMaxListeners } from 'node:events';
import type { Dispatcher, Pool } from 'undici';
import { noCompany } from '../../audit/audit-log.ts';
import { type Clock, timeIn } from '../../foundation/clock.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { Watchdog } from '../../foundation/watchdog.ts';
import { Backoff, ThrottleBackoff } from '../backoff.ts';
import { capacityOf } from '../capacity.ts';
import {
  type AwaitingPart,
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  type InDoubtPolicy,
  type Outcome,
  type OutgoingPart,
  refusalStatuses,
  unreachable,
} from '../carrier.ts';
import { PartRate } from '../part-rate.ts';
import { RepeatedRefusals } from '../repeated-refusals.ts';
import { type StallCause, StallTimes } from '../stall-times.ts';
import { UnderWay } from '../under-way.ts';
import { WaitingParts } from '../waiting-parts.ts';
import { type Verdict, verdictOf } from './answers.ts';
import { Availability } from './availability.ts';
import { blottedIn, conversationOf } from './conversation.ts';
import { type Exchange, exchange, type HttpRequest } from './exchange.ts';
import { maxQuestions, Polling } from './polling.ts';
import { prepareExpressions } from './reading.ts';
import { type CallbackUrls, fixedValues, messageValues, ownIdOf, submitRequest } from './request.ts';
import type { HttpDeclaration } from './settings.ts';
import type { Values } from './template.ts';

export interface HttpCarrierOptions {
  readonly id: number;
  readonly name: string;
  readonly declaration: HttpDeclaration;
  readonly urls: CallbackUrls;
  readonly clock: Clock;
  /** The node's lease: nothing is sent without it. */
  readonly lease: { readonly isHeld: boolean };
  /** Whether this node is the one that asks carriers for SMS from phones. */
  readonly asksForIncoming: () => Promise<boolean>;
}

/** A message that has waited this long while the carrier is down is given back, so that another carrier may take it. */
const maxWaitMs = 5_000;
/** The longest until such a message is tried again, perhaps by another carrier. */
const maxAwayMs = 10_000;
/** Messages beyond twice the window that have waited this long would delay everything that comes next. */
const slowAfterMs = 1_000;
const leaseCheckMs = 100;
/** Extra time after the deadline of a stop, in which requests that are cut short end. */
const cutGraceMs = 200;
/** The weight of the newest round trip in the moving average. */
const newestShare = 1 / 32;
/** More of an answer to a submission is not read. */
const maxAnswerBytes = 512 * 1_024;
/** More of a list of SMS or a state is not read. */
const maxListBytes = 8 * 1_024 * 1_024;

export class HttpCarrier implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries: number;
  readonly window: number;
  readonly takesWhole = true;
  readonly smsWindow?: number;
  readonly #declaration: HttpDeclaration;
  readonly #urls: CallbackUrls;
  readonly #fixed: Values;
  /** What the carrier says, without our secrets. */
  readonly #shown = (text: string) => blottedIn(text, this.#declaration, this.#urls);
  readonly #clock: Clock;
  readonly #lease: HttpCarrierOptions['lease'];
  readonly #asksForIncoming: HttpCarrierOptions['asksForIncoming'];
  /** Only for a carrier that is asked what became of messages. */
  readonly resume?: (parts: readonly AwaitingPart[]) => void;
  #polling: Polling | undefined;
  readonly #rate: PartRate;
  readonly #waiting = new WaitingParts();
  readonly #underWay = new UnderWay();
  readonly #availability: Availability;
  readonly #throttle: ThrottleBackoff;
  readonly #repeatedRefusals = new RepeatedRefusals();
  readonly #stallTimes = new StallTimes(performance.now());
  readonly #counters = { accepted: 0, throttled: 0, timeouts: 0, disconnects: 0, miscounted: 0 };
  /** Aborted when a stop has taken too long. */
  readonly #cut = new AbortController();
  #roundTripMs: number | undefined;
  #dispatcher: Dispatcher | undefined;
  #events: CarrierEvents | undefined;
  readonly #watchdog = new Watchdog(slowAfterMs, (now) => this.#giveBackWaiting(now));
  #leaseTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor({ id, name, declaration, urls, clock, lease, asksForIncoming }: HttpCarrierOptions) {
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = declaration.inDoubt;
    this.inDoubtTries = declaration.inDoubtTries;
    const { window, smsWindow } = capacityOf({ ...declaration, takesWhole: true });
    this.window = window;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#declaration = declaration;
    this.#urls = urls;
    this.#fixed = fixedValues(declaration, urls);
    this.#clock = clock;
    this.#lease = lease;
    this.#asksForIncoming = asksForIncoming;
    if (declaration.receipts?.poll !== undefined)
      this.resume = (parts) => {
        for (const part of parts) this.#polling?.awaits(part);
      };
    const release = () => this.#release();
    this.#rate = new PartRate(declaration.throughput, release);
    this.#throttle = new ThrottleBackoff(declaration.throttlePauseMs, release);
    const backoff = new Backoff(declaration.reconnectMinMs, declaration.reconnectMaxMs);
    this.#availability = new Availability(clock, backoff, release);
    // Each request under way listens.
    setMaxListeners(0, this.#cut.signal);
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    this.#watchdog.start();
    try {
      await prepareExpressions(this.#declaration);
      const dispatcher = await dispatcherFor(this.#declaration);
      this.#dispatcher = dispatcher;
      this.#polling = new Polling({
        declaration: this.#declaration,
        fixed: this.#fixed,
        ask: (request) => this.#exchange(dispatcher, request, maxListBytes),
        events,
        asksForIncoming: this.#asksForIncoming,
        clock: this.#clock,
      });
      this.#polling.start();
    } catch (error) {
      this.#availability.end(`it can't be opened: ${(error as Error).message}`);
    }
    this.#release();
  }

  submit(parts: readonly OutgoingPart[]): void {
    const now = performance.now();
    for (const part of parts) this.#waiting.push(part, now);
    this.#release();
  }

  status(): CarrierStatus {
    const now = performance.now();
    const { state, since, reason, isTrying } = this.#availability.status(this.#underWay.count > 0);
    return {
      state,
      since,
      ...(isTrying && { isTrying }),
      reason: reason ?? this.#slowness(now) ?? this.#deafness(),
      figures: {
        windowParts: this.window,
        windowUsed: this.#underWay.count,
        waitingParts: this.#waiting.size,
        ...(this.#roundTripMs === undefined ? {} : { roundTripSeconds: this.#roundTripMs / 1_000 }),
        ...this.#stallTimes.figures(now),
        ...this.#counters,
      },
    };
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    this.#availability.end('it was stopped');
    this.#watchdog.stop();
    clearTimeout(this.#leaseTimer);
    this.#rate.stop();
    this.#throttle.stop();
    this.#release();
    await this.#underWay.ended(deadlineMs);
    this.#cut.abort();
    await this.#dispatcher?.destroy();
    await this.#polling?.stop();
    await this.#underWay.ended(cutGraceMs);
    this.#events = undefined;
  }

  /** Sends what the window, the rate and the carrier allow. */
  #release(): void {
    if (this.#isStopping)
      this.#retryLater(this.#waiting.takeAll(), 0, storedReason({ sentence: 'carrier_stopped' }));
    let stalledBy: StallCause = 'none';
    while (this.#waiting.size > 0 && stalledBy === 'none') {
      stalledBy = this.#stallCause();
      if (stalledBy === 'none' && this.#rate.take(1) === 0) stalledBy = 'throughput';
      if (stalledBy === 'none') this.#sendNext();
    }
    if (stalledBy === 'lease') this.#awaitLease();
    this.#stallTimes.note(stalledBy);
  }

  #stallCause(): StallCause {
    const room = this.#availability.bounded(this.window);
    if (room === 0 || this.#dispatcher === undefined) return 'link';
    if (this.#throttle.isOn) return 'throttled';
    if (this.#underWay.count >= room) return 'window';
    return this.#lease.isHeld ? 'none' : 'lease';
  }

  /**
   * After the node's lease has expired, other nodes may already have taken the waiting messages; the node soon reports which.
   */
  #awaitLease(): void {
    this.#leaseTimer ??= setTimeout(() => {
      this.#leaseTimer = undefined;
      this.#release();
    }, leaseCheckMs);
  }

  #sendNext(): void {
    const part = this.#waiting.shift() as OutgoingPart;
    if (part.expiresAt <= this.#clock.now()) {
      this.#rate.giveBack(1);
      this.#retryLater([part], 0, 'its validity ended while it waited for the carrier');
      return;
    }
    // Throughput counts SMS.
    this.#rate.giveBack(1 - part.smsParts);
    void this.#send(part);
  }

  async #send(part: OutgoingPart): Promise<void> {
    this.#underWay.add(1);
    const beganAt = performance.now();
    const request = this.#requestFor(part);
    if (request instanceof Error) {
      const reason = `no request can be made of it: ${request.message}`;
      this.#underWay.add(-1);
      this.#events?.outcome(part, { kind: 'rejected', status: refusalStatuses.ERROR, reason });
      return;
    }
    const result = await this.#exchange(this.#dispatcher as Dispatcher, request);
    const outcome = this.#outcomeOf(part, request.origin, result, beganAt);
    this.#underWay.add(-1);
    if (outcome === undefined) this.#waiting.putBack([part], performance.now());
    else this.#events?.outcome(part, this.#told(part, result, outcome));
    this.#release();
  }

  /** An error for a message with a value that no request can carry. */
  #requestFor(part: OutgoingPart): HttpRequest | Error {
    try {
      const values = messageValues(part, this.#clock.now(), this.#declaration, this.#fixed);
      return submitRequest(this.#declaration.submit, values);
    } catch (error) {
      return error as Error;
    }
  }

  /** An operator who tries the carrier sees what was said. */
  #told(part: OutgoingPart, result: Exchange, outcome: Outcome): Outcome {
    if (part.companyId !== noCompany) return outcome;
    const now = this.#clock.now();
    return { ...outcome, conversation: conversationOf(this.#declaration, part, this.#urls, now, result) };
  }

  #exchange(dispatcher: Dispatcher, request: HttpRequest, maxBytes = maxAnswerBytes): Promise<Exchange> {
    return exchange(dispatcher, request, {
      maxBytes,
      connectMs: this.#declaration.connectTimeoutMs,
      answerMs: this.#declaration.responseTimeoutMs,
      mayWrite: () => this.#lease.isHeld,
      signal: this.#cut.signal,
    });
  }

  /** Undefined if the node's lease expired before anything was written. */
  #outcomeOf(part: OutgoingPart, origin: string, result: Exchange, beganAt: number): Outcome | undefined {
    switch (result.kind) {
      case 'answered': {
        const elapsedMs = performance.now() - beganAt;
        this.#roundTripMs = (this.#roundTripMs ?? elapsedMs) * (1 - newestShare) + elapsedMs * newestShare;
        const verdict = verdictOf(this.#declaration.submit, result, this.#clock.now(), this.#shown);
        return this.#judged(part, verdict, beganAt);
      }
      case 'unwritten': {
        if (this.#isStopping) return this.#retryIn(0, storedReason({ sentence: 'carrier_stopped' }));
        if (result.wasHeldBack) return undefined;
        this.#counters.disconnects += 1;
        this.#availability.fail(unreachable(new URL(origin).host, result.error.message));
        return this.#retryIn(maxAwayMs, storedReason({ sentence: 'carrier_unreachable' }));
      }
      case 'cut': {
        if (this.#cut.signal.aborted)
          return this.#inDoubt(part, storedReason({ sentence: 'carrier_stopped_early' }));
        const ms = this.#declaration.responseTimeoutMs;
        this.#counters[result.isLate ? 'timeouts' : 'disconnects'] += 1;
        const reason = storedReason(
          result.isLate ? { sentence: 'http_silent', ms } : { sentence: 'http_cut' },
        );
        this.#availability.doubted(
          result.isLate ? `the carrier does not answer within ${ms} ms` : 'the carrier drops connections',
        );
        return this.#inDoubt(part, reason);
      }
    }
  }

  #judged(part: OutgoingPart, verdict: Verdict, beganAt: number): Outcome {
    switch (verdict.kind) {
      case 'accepted': {
        this.#counters.accepted += 1;
        if (verdict.parts !== undefined && verdict.parts !== part.smsParts) this.#counters.miscounted += 1;
        this.#throttle.accepted(beganAt);
        this.#dealtWith(part);
        const carrierMessageId = verdict.carrierMessageId ?? ownIdOf(this.#declaration.submit, part);
        this.#polling?.awaits({ carrierMessageId, messageId: part.messageId });
        return {
          kind: 'accepted',
          carrierMessageId,
          submittedAt: timeIn(this.#clock, beganAt - performance.now()),
        };
      }
      case 'rejected':
      case 'passOn':
        this.#dealtWith(part);
        return {
          kind: verdict.kind,
          status: verdict.status,
          reason: storedReason({ sentence: 'http_refused', answer: verdict.answer }),
        };
      case 'down': {
        const { pauseMs, isOnlyThisMessage } = this.#refusedAgain(part);
        const reason = `the carrier refuses all messages: ${verdict.answer}`;
        if (verdict.isCertain) this.#availability.fail(reason);
        else if (!isOnlyThisMessage) this.#availability.doubted(reason);
        const pause = Math.max(maxAwayMs, pauseMs);
        return this.#retryIn(pause, storedReason({ sentence: 'http_refused', answer: verdict.answer }));
      }
      case 'retry':
        return this.#throttled(part, verdict, beganAt);
      case 'unclear':
        this.#availability.doubted(`the carrier’s answers are unclear: ${verdict.answer}`);
        return this.#inDoubt(part, storedReason({ sentence: 'http_unclear', answer: verdict.answer }));
    }
  }

  #throttled(part: OutgoingPart, verdict: Extract<Verdict, { kind: 'retry' }>, beganAt: number): Outcome {
    const { answer, afterMs = 0 } = verdict;
    this.#counters.throttled += 1;
    const { pauseMs, isOnlyThisMessage } = this.#refusedAgain(part);
    if (!isOnlyThisMessage) {
      if (this.#availability.isTrying || afterMs > maxWaitMs)
        this.#availability.fail(`the carrier asked for a pause: ${answer}`, afterMs);
      else this.#throttle.begin(beganAt, afterMs);
    }
    return this.#retryIn(Math.max(pauseMs, afterMs), storedReason({ sentence: 'http_refused', answer }));
  }

  /** A carrier that takes a message only once under our id is asked again. */
  #inDoubt(part: OutgoingPart, reason: string): Outcome {
    if (this.#declaration.submit.idempotent === true)
      return { ...this.#retryIn(this.#refusedAgain(part).pauseMs, reason), mayHaveIt: true };
    this.#repeatedRefusals.ended(part);
    return { kind: 'inDoubt', reason };
  }

  #refusedAgain(part: OutgoingPart) {
    return this.#repeatedRefusals.refused(part, this.#counters.accepted, this.#declaration.throttlePauseMs);
  }

  #dealtWith(part: OutgoingPart): void {
    this.#repeatedRefusals.ended(part);
    this.#availability.proved();
  }

  #slowness(now: number): string | null {
    if (this.#stallTimes.isNotable('throttled', now))
      return 'throttled: the carrier refuses what is beyond its limit; set throughput to what it allows, or ask for more';
    if (!this.#stallTimes.isNotable('window', now)) return null;
    const roundTripMs = Math.max(1, this.#roundTripMs ?? 1);
    return `window-limited: ${this.window} messages may await an answer, and one takes about ${roundTripMs.toFixed(0)} ms: no more than ${Math.floor((this.window * 1_000) / roundTripMs)} messages/s; a larger window sends faster if the carrier allows it`;
  }

  #deafness(): string | null {
    const fault = this.#polling?.fault;
    return fault === undefined ? null : `it does not say what it has to report: ${fault}`;
  }

  /**
   * Gives back messages that have waited too long while the carrier is down, and those beyond twice the window when it has
   * become slow; dispatch hands over up to that many.
   */
  #giveBackWaiting(now: number): void {
    const { state, reason } = this.#availability.status(this.#underWay.count > 0);
    if (state === 'down') this.#retryLater(this.#waiting.takeOlder(now - maxWaitMs), maxAwayMs, reason ?? '');
    const ahead = this.#waiting.takeBehind(2 * this.window - this.#underWay.count, now - slowAfterMs);
    const why = reason ?? 'the carrier has become slower: others may go first';
    for (const part of ahead) this.#events?.outcome(part, { kind: 'givenBack', reason: why });
  }

  #retryIn(pauseMs: number, reason: string): Extract<Outcome, { kind: 'retryAt' }> {
    return { kind: 'retryAt', time: timeIn(this.#clock, pauseMs), reason };
  }

  #retryLater(parts: readonly OutgoingPart[], awayMs: number, reason: string): void {
    for (const part of parts) this.#events?.outcome(part, this.#retryIn(awayMs, reason));
  }
}

/** Connections to the carrier, kept open between requests; by a proxy if the environment names one. */
async function dispatcherFor({ window, connectTimeoutMs }: HttpDeclaration): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, Pool: ConnectionPool } = await import('undici');
  return new EnvHttpProxyAgent({
    factory: (origin, options) => new ConnectionPool(origin, withEnds(options as Pool.Options)),
    // Questions of polling go beside the submissions, and none waits for another's connection.
    connections: window + maxQuestions,
    connect: { timeout: connectTimeoutMs },
    // The time for an answer is limited by `exchange`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * When a proxy closes the connection instead of making one, a pool would connect again for ever: it takes the error for one of a
 * connection in use.
 */
function withEnds(options: Pool.Options): Pool.Options {
  const { connect } = options;
  if (typeof connect !== 'function') return options;
  return {
    ...options,
    connect(target, callback) {
      connect(target, (error, socket) => {
        if (error === null) callback(null, socket);
        else callback(new Error(error.message), null);
      });
    },
  };
}
