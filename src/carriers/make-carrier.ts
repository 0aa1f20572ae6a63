/** Makes the carriers that records describe. */
import type { Clock } from '../foundation/clock.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierRecord } from './carrier-record.ts';
import type { SimulatorSettings } from './simulator/settings.ts';
import { Simulator } from './simulator/simulator.ts';
import { FarCarrier } from './smpp/far-carrier.ts';
import type { SmppSettings } from './smpp/settings.ts';
import { SmppThread } from './smpp/smpp-thread.ts';
import { UnusableCarrier } from './unusable-carrier.ts';

/** Makes carriers; those behind an SMSC share a thread. */
export function carrierMaker() {
  const thread = new SmppThread();
  /** `instance` is unique over all lives of all nodes; SMPP carriers go by the clock of the system. */
  return (record: CarrierRecord, instance: number, clock: Clock): Carrier => {
    const { id, name, type, settings, unusable } = record;
    if (unusable !== undefined) return new UnusableCarrier(record, unusable, clock);
    switch (type) {
      case 'simulator':
        return new Simulator(id, name, settings as SimulatorSettings, instance, clock);
      case 'smpp':
        return new FarCarrier({ id, name, settings: settings as SmppSettings, instance, clock, thread });
    }
  };
}
