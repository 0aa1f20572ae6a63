/** What an SMPP carrier needs, and the events that it reports to its owner. */
import type { Clock } from '../../../foundation/clock.ts';
import type { CarrierEvents } from '../../carrier.ts';
import type { Lease } from '../link/options.ts';
import type { SmppSettings } from '../settings.ts';
import type { ReceptionEvents } from './reception.ts';

export type SmppCarrierEvents = ReceptionEvents &
  Pick<CarrierEvents, 'outcome'> & {
    /** Its status has changed. */
    linkChanged?(): void;
  };

export interface SmppCarrierOptions {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  /** Unique across nodes and restarts. */
  readonly instance: string;
  readonly clock: Clock;
  readonly lease: Lease;
}
