/** A carrier whose responses a test scripts, part by part or by a rule. */
import {
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  defaultInDoubtTries,
  type InDoubtPolicy,
  type Outcome,
  type OutgoingPart,
} from '../../src/carriers/carrier.ts';

export class ScriptedCarrier implements Carrier {
  readonly id: number;
  readonly name = 'scripted';
  readonly window: number;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries = defaultInDoubtTries;
  takesWhole = false;
  smsWindow?: number;
  /** Every part ever handed over, in order. */
  readonly submitted: OutgoingPart[] = [];
  /** Parts without a response. */
  readonly open: OutgoingPart[] = [];
  state: CarrierStatus['state'] = 'up';
  since = 0;
  /** The largest number of parts open at once. */
  maxOpen = 0;
  /** Responds to each part in a separate turn; if undefined, the test responds. */
  rule: ((part: OutgoingPart) => Outcome | undefined) | undefined;
  outcome: CarrierEvents['outcome'] = () => {
    throw new Error('nobody listens to this carrier');
  };

  constructor({
    id = 1,
    window = 100,
    inDoubtPolicy = 'retry',
  }: { id?: number; window?: number; inDoubtPolicy?: InDoubtPolicy } = {}) {
    this.id = id;
    this.window = window;
    this.inDoubtPolicy = inDoubtPolicy;
  }

  status(): CarrierStatus {
    return { state: this.state, since: this.since, reason: null, figures: {} };
  }

  submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) {
      this.submitted.push(part);
      const outcome = this.rule?.(part);
      this.open.push(part);
      if (outcome !== undefined) setImmediate(() => this.answer(part, outcome));
    }
    this.maxOpen = Math.max(this.maxOpen, this.open.length);
  }

  answer(part: OutgoingPart, outcome: Outcome): void {
    this.open.splice(this.open.indexOf(part), 1);
    this.outcome(part, outcome);
  }

  answerAll(outcomeOf: (part: OutgoingPart) => Outcome): void {
    for (const part of [...this.open]) this.answer(part, outcomeOf(part));
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}
}

export function accepted(part: OutgoingPart): Outcome {
  return { kind: 'accepted', carrierMessageId: `${part.messageId}/${part.part}` };
}

export function retryNow(): Outcome {
  return { kind: 'retryAt', time: 0, reason: 'busy' };
}
