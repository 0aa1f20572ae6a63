/** Makes the carrier that a record describes. */
import type { Clock } from '../foundation/clock.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierRecord } from './carrier-record.ts';
import type { SimulatorSettings } from './simulator/settings.ts';
import { Simulator } from './simulator/simulator.ts';
import type { SmppSettings } from './smpp/settings.ts';
import { SmppCarrier } from './smpp/smpp-carrier.ts';

/** `instance` is unique over all lives of all nodes. */
export function makeCarrier(
  { id, name, type, settings }: CarrierRecord,
  instance: number,
  clock: Clock,
): Carrier {
  switch (type) {
    case 'simulator':
      return new Simulator(id, name, settings as SimulatorSettings, instance, clock);
    case 'smpp':
      return new SmppCarrier(id, name, settings as SmppSettings, instance, clock);
  }
}
