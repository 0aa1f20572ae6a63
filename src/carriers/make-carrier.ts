/** Makes the carrier that a record describes. */
import type { Clock } from '../foundation/clock.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierRecord } from './carrier-record.ts';
import type { SimulatorSettings } from './simulator/settings.ts';
import { Simulator } from './simulator/simulator.ts';
import { FarCarrier } from './smpp/far-carrier.ts';
import type { SmppSettings } from './smpp/settings.ts';
import type { SmppThread } from './smpp/smpp-thread.ts';

interface MakeOptions {
  /** Unique over all lives of all nodes. */
  readonly instance: number;
  /** The thread of SMPP carriers goes by the system's. */
  readonly clock: Clock;
  readonly smppThread: SmppThread;
}

export function makeCarrier(
  { id, name, type, settings }: CarrierRecord,
  { instance, clock, smppThread: thread }: MakeOptions,
): Carrier {
  switch (type) {
    case 'simulator':
      return new Simulator(id, name, settings as SimulatorSettings, instance, clock);
    case 'smpp':
      return new FarCarrier({ id, name, settings: settings as SmppSettings, instance, clock, thread });
  }
}
