/** Makes the carrier that a record describes. */
import type { Clock } from '../foundation/clock.ts';
import type { Carrier } from './carrier.ts';
import type { CarrierRecord } from './carrier-record.ts';
import type { SimulatorSettings } from './simulator/settings.ts';
import { Simulator } from './simulator/simulator.ts';

/** `instance` is unique over all lives of all nodes. */
export function makeCarrier(
  { id, name, type, settings }: CarrierRecord,
  instance: number,
  clock: Clock,
): Carrier {
  switch (type) {
    case 'simulator':
      return new Simulator(id, name, settings as SimulatorSettings, instance, clock);
  }
}
