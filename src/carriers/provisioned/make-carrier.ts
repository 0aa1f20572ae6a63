/** Creates the carriers that records describe. A carrier that cannot be opened is created too, and reports why. */
import { Value } from 'typebox/value';
import { type Clock, timeIn } from '../../foundation/clock.ts';
import type { SharedLease } from '../../foundation/shared-lease.ts';
import {
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  defaultInDoubtTries,
  type InDoubtPolicy,
  type OutgoingPart,
} from '../carrier.ts';
import { HttpCarrier } from '../http/http-carrier.ts';
import { declarationOf } from '../http/presets.ts';
import type { CallbackUrls } from '../http/request.ts';
import type { HttpSettings } from '../http/settings.ts';
import { Simulator, type SimulatorSettings } from '../simulator.ts';
import type { SmppSettings } from '../smpp/settings.ts';
import { CarrierProxy } from '../smpp/thread/carrier-proxy.ts';
import { SmppThread } from '../smpp/thread/smpp-thread.ts';
import { type CarrierRecord, carrierTypes } from './carrier-record.ts';

export interface CarrierPlace {
  /** Unique across nodes and restarts. */
  readonly instance: number;
  /** SMPP carriers use the system's. */
  readonly clock: Clock;
  /** The node's lease. */
  readonly lease: SharedLease;
  /** Whether this node is the one that asks carriers for SMS from phones. */
  readonly asksForIncoming: () => Promise<boolean>;
}

/** Creates carriers; all SMPP carriers share one thread. `callbackUrls` says where a carrier may call us. */
export function carrierMaker(callbackUrls: (carrier: string) => CallbackUrls) {
  const thread = new SmppThread();
  return (record: CarrierRecord, { instance, clock, lease, asksForIncoming }: CarrierPlace): Carrier => {
    const { id, name, type, settings, unusable } = record;
    if (unusable !== undefined) return new UnusableCarrier(record, unusable, clock);
    // Settings added in later versions are missing from stored carriers.
    const complete = Value.Default(carrierTypes[type], { ...settings });
    switch (type) {
      case 'simulator':
        return new Simulator(id, name, complete as SimulatorSettings, instance, clock);
      case 'smpp':
        return new CarrierProxy({
          id,
          name,
          settings: complete as SmppSettings,
          instance,
          clock,
          thread,
          lease,
        });
      case 'http': {
        const declaration = declarationOf(complete as HttpSettings);
        const urls = callbackUrls(name);
        return new HttpCarrier({ id, name, declaration, urls, clock, lease, asksForIncoming });
      }
    }
  };
}

const retryMs = 60_000;

/** A carrier that stays down, reports why, and takes nothing. */
class UnusableCarrier implements Carrier {
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
