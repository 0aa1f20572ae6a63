/** What the SMSC's answer to a submission comes to, for the message and for the bind that it came on (DLV-3). */

import { type Clock, timeIn } from '../../../foundation/clock.ts';
import { usableId } from '../../../wire/smpp/receipt-text.ts';
import type { Outcome, OutgoingPart } from '../../carrier.ts';
import type { Bind } from '../link/bind.ts';
import type { Tally } from '../link/counters.ts';
import { nameStatus, type Reaction, reactions } from '../link/refusal.ts';
import type { Answer } from '../link/submissions.ts';
import type { SmppSettings } from '../settings.ts';
import { Troubles } from './trouble.ts';

/** Of the newest round trip in the mean of all. */
const newestShare = 1 / 32;

export class Answers {
  readonly #settings: SmppSettings;
  readonly #tally: Tally;
  readonly #clock: Clock;
  /** Unique over all lives of all nodes. */
  readonly #instance: string;
  readonly #reactionTo: (status: number) => Reaction;
  readonly #troubles = new Troubles();
  #withoutId = 0;
  #roundTripMs: number | undefined;

  constructor(settings: SmppSettings, tally: Tally, clock: Clock, instance: string) {
    this.#settings = settings;
    this.#tally = tally;
    this.#clock = clock;
    this.#instance = instance;
    this.#reactionTo = reactions(settings.errors);
  }

  /** How long the SMSC takes for an answer of late; undefined before the first. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  toOutcome(bind: Bind, part: OutgoingPart, answer: Answer, writtenAt: number): Outcome {
    const elapsedMs = performance.now() - writtenAt;
    this.#roundTripMs = (this.#roundTripMs ?? elapsedMs) * (1 - newestShare) + elapsedMs * newestShare;
    if (answer.status !== 0) return this.#refused(bind, part, answer.status, writtenAt);
    if (answer.command === 'genericNack')
      return { kind: 'inDoubt', reason: 'the SMSC answered by a generic_nack without an error' };
    this.#tally.accepted += 1;
    bind.session?.rest.accepted(writtenAt);
    bind.proved();
    this.#troubles.ended(part);
    const carrierMessageId = usableId(answer.messageId) ?? this.#placeholder();
    return { kind: 'accepted', carrierMessageId, submittedAt: timeIn(this.#clock, -elapsedMs) };
  }

  #refused(bind: Bind, part: OutgoingPart, status: number, writtenAt: number): Outcome {
    const reason = `the SMSC refused it: ${nameStatus(status)}`;
    const reaction = this.#reactionTo(status);
    switch (reaction.kind) {
      case 'fail':
        this.#troubles.ended(part);
        return { kind: 'rejected', status: reaction.status, reason };
      case 'passOn':
        this.#troubles.ended(part);
        return { kind: 'passOn', status: reaction.status, reason };
      case 'rebind':
        bind.session?.drain(`the SMSC does not take us for bound: ${nameStatus(status)}`);
        return this.#retryIn(this.#settings.reconnectMinMs, reason);
      default: {
        const { throttlePauseMs } = this.#settings;
        const { pauseMs, isAlone } = this.#troubles.refused(part, this.#tally.accepted, throttlePauseMs);
        if (reaction.kind === 'throttle') {
          this.#tally.throttled += 1;
          if (!isAlone) bind.session?.rest.begin(writtenAt);
        }
        return this.#retryIn(pauseMs, reason);
      }
    }
  }

  #retryIn(pauseMs: number, reason: string): Outcome {
    return { kind: 'retryAt', time: timeIn(this.#clock, pauseMs), reason };
  }

  /** An SMSC that gives no id sends no receipt that could be told from others: this one matches none. */
  #placeholder(): string {
    this.#withoutId += 1;
    return `none-${this.#instance}-${this.#withoutId.toString(36)}`;
  }
}
