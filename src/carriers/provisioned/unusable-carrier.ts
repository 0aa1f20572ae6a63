/** Stands in for a carrier that cannot be opened as it is: it is down, says why, and takes nothing. */
import { type Clock, timeIn } from '../../foundation/clock.ts';
import {
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  defaultInDoubtTries,
  type InDoubtPolicy,
  type OutgoingPart,
} from '../carrier.ts';

const retryMs = 60_000;

export class UnusableCarrier implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries = defaultInDoubtTries;
  readonly window = 1;
  readonly #clock: Clock;
  readonly #status: CarrierStatus;
  #events: CarrierEvents | undefined;

  constructor(
    { id, name, settings }: { id: number; name: string; settings: Readonly<Record<string, unknown>> },
    reason: string,
    clock: Clock,
  ) {
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt === 'fail' ? 'fail' : 'retry';
    this.#clock = clock;
    this.#status = { state: 'down', since: clock.now(), reason, figures: {} };
  }

  async start(events: CarrierEvents): Promise<void> {
    this.#events = events;
  }

  status(): CarrierStatus {
    return this.#status;
  }

  submit(parts: readonly OutgoingPart[]): void {
    const outcome = {
      kind: 'retryAt',
      time: timeIn(this.#clock, retryMs),
      reason: this.#status.reason ?? '',
    } as const;
    // As with any carrier, the outcome comes after the call has returned.
    setImmediate(() => {
      for (const part of parts) this.#events?.outcome(part, outcome);
    });
  }

  async stop(): Promise<void> {}
}
