/** What an SMPP carrier is made of, and what it tells whoever has it. */
import type { Clock } from '../../../foundation/clock.ts';
import type { CarrierEvents } from '../../carrier.ts';
import type { Lease } from '../link/options.ts';
import type { SmppSettings } from '../settings.ts';
import type { ReceptionEvents } from './reception.ts';

export type SmppCarrierEvents = ReceptionEvents &
  Pick<CarrierEvents, 'outcome'> & {
    /** Its status is another. */
    linkChanged?(): void;
  };

export interface SmppCarrierOptions {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  /** Unique over all lives of all nodes. */
  readonly instance: string;
  readonly clock: Clock;
  readonly lease: Lease;
}
