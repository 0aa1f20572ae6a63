/** What a link to an SMSC needs, and the events that it reports to its owner. */
import type { PduOf } from '../../../wire/smpp/commands.ts';
import type { SmppSettings } from '../settings.ts';
import type { BindRole } from './bind-request.ts';
import type { LinkCounters } from './counters.ts';
import type { SubmissionEvents } from './submissions.ts';

/** The node's lease: whether it may submit at this very moment. */
export interface Lease {
  readonly isHeld: boolean;
}

/** What the SMSC sends on its own. */
export type DeliveryPdu = PduOf<'deliverSm'> | PduOf<'dataSm'>;

export interface LinkSessionEvents extends SubmissionEvents {
  bound(): void;
  delivered(pdu: DeliveryPdu): void;
  /** There may be room for submissions again. */
  turn(): void;
  /** Called once, after every submission was reported. */
  closed(reason: string): void;
}

/** What a session is made of. */
export interface LinkOptions {
  readonly settings: SmppSettings;
  readonly role: BindRole;
  readonly counters: LinkCounters;
  readonly lease: Lease;
}
