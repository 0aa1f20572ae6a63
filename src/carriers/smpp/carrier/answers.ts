/** Interprets the SMSC's response to a submission, for the message and for the bind that it came on (DLV-3). */
import { type Clock, timeIn } from '../../../foundation/clock.ts';
import { storedReason } from '../../../foundation/sentences.ts';
import { usableId } from '../../../wire/smpp/receipt-text.ts';
import type { Outcome, OutgoingPart } from '../../carrier.ts';
import { RepeatedRefusals } from '../../repeated-refusals.ts';
import type { Bind } from '../link/bind.ts';
import type { LinkCounters } from '../link/counters.ts';
import { nameStatus, type Reaction, reactions } from '../link/refusal.ts';
import type { SubmitAnswer } from '../link/submissions.ts';
import type { SmppSettings } from '../settings.ts';

/** The weight of the newest round trip in the moving average. */
const newestShare = 1 / 32;

export class Answers {
  readonly #settings: SmppSettings;
  readonly #counters: LinkCounters;
  readonly #clock: Clock;
  /** Unique across nodes and restarts. */
  readonly #instance: string;
  readonly #reactionTo: (status: number) => Reaction;
  readonly #repeatedRefusals = new RepeatedRefusals();
  #withoutId = 0;
  #roundTripMs: number | undefined;

  constructor(settings: SmppSettings, counters: LinkCounters, clock: Clock, instance: string) {
    this.#settings = settings;
    this.#counters = counters;
    this.#clock = clock;
    this.#instance = instance;
    this.#reactionTo = reactions(settings.errors);
  }

  /** How long the SMSC has recently taken to respond; undefined before the first response. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  toOutcome(bind: Bind, part: OutgoingPart, answer: SubmitAnswer, writtenAt: number): Outcome {
    const elapsedMs = performance.now() - writtenAt;
    this.#roundTripMs = (this.#roundTripMs ?? elapsedMs) * (1 - newestShare) + elapsedMs * newestShare;
    if (answer.status !== 0) return this.#refused(bind, part, answer.status, writtenAt);
    if (answer.command === 'genericNack')
      return { kind: 'inDoubt', reason: storedReason({ sentence: 'smsc_unclear' }) };
    this.#counters.accepted += 1;
    bind.session?.throttleBackoff.accepted(writtenAt);
    bind.proved();
    this.#repeatedRefusals.ended(part);
    const carrierMessageId = usableId(answer.messageId) ?? this.#placeholder();
    return { kind: 'accepted', carrierMessageId, submittedAt: timeIn(this.#clock, -elapsedMs) };
  }

  #refused(bind: Bind, part: OutgoingPart, status: number, writtenAt: number): Outcome {
    const reason = storedReason({ sentence: 'smsc_refused', status: nameStatus(status) });
    const reaction = this.#reactionTo(status);
    switch (reaction.kind) {
      case 'fail':
        this.#repeatedRefusals.ended(part);
        return { kind: 'rejected', status: reaction.status, reason };
      case 'passOn':
        this.#repeatedRefusals.ended(part);
        return { kind: 'passOn', status: reaction.status, reason };
      case 'rebind':
        bind.session?.drain(`the SMSC does not consider us bound: ${nameStatus(status)}`);
        return this.#retryIn(this.#settings.reconnectMinMs, reason);
      default: {
        const { throttlePauseMs } = this.#settings;
        const { pauseMs, isOnlyThisMessage } = this.#repeatedRefusals.refused(
          part,
          this.#counters.accepted,
          throttlePauseMs,
        );
        if (reaction.kind === 'throttle') {
          this.#counters.throttled += 1;
          if (!isOnlyThisMessage) bind.session?.throttleBackoff.begin(writtenAt);
        }
        return this.#retryIn(pauseMs, reason);
      }
    }
  }

  #retryIn(pauseMs: number, reason: string): Outcome {
    return { kind: 'retryAt', time: timeIn(this.#clock, pauseMs), reason };
  }

  /**
   * A placeholder id that matches no receipt, for an SMSC that returns no id and whose receipts therefore can't be told
   * apart.
   */
  #placeholder(): string {
    this.#withoutId += 1;
    return `none-${this.#instance}-${this.#withoutId.toString(36)}`;
  }
}
