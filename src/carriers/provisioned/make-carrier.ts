/** Makes the carriers that records describe. */
import { Value } from 'typebox/value';
import type { Clock } from '../../foundation/clock.ts';
import type { SharedLease } from '../../foundation/shared-lease.ts';
import type { Carrier } from '../carrier.ts';
import type { SimulatorSettings } from '../simulator/settings.ts';
import { Simulator } from '../simulator/simulator.ts';
import type { SmppSettings } from '../smpp/settings.ts';
import { CarrierProxy } from '../smpp/thread/carrier-proxy.ts';
import { SmppThread } from '../smpp/thread/smpp-thread.ts';
import { type CarrierRecord, carrierTypes } from './carrier-record.ts';
import { UnusableCarrier } from './unusable-carrier.ts';

/** Makes carriers; those behind an SMSC share a thread. */
export function carrierMaker() {
  const thread = new SmppThread();
  /** `instance` is unique across nodes and restarts. SMPP carriers use the system's clock, and the node's lease. */
  return (record: CarrierRecord, instance: number, clock: Clock, lease: SharedLease): Carrier => {
    const { id, name, type, settings, unusable } = record;
    if (unusable !== undefined) return new UnusableCarrier(record, unusable, clock);
    // Settings that were added later are missing in what was stored before.
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
    }
  };
}
