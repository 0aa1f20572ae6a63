/** What a link to an SMSC is made of, and what it tells whoever has it. */
import type { PduOf } from '../../../wire/smpp/commands.ts';
import type { SmppSettings } from '../settings.ts';
import type { Role } from './bind-request.ts';
import type { Tally } from './counters.ts';
import type { SubmissionEvents } from './submissions.ts';

/** Of the node: whether it may submit in this very moment. */
export interface Lease {
  readonly isHeld: boolean;
}

/** What the SMSC brings by itself. */
export type Delivery = PduOf<'deliverSm'> | PduOf<'dataSm'>;

export interface SessionEvents extends SubmissionEvents {
  bound(): void;
  delivered(pdu: Delivery): void;
  /** There may be room again. */
  turn(): void;
  /** Once; all submissions have been told of before. */
  closed(reason: string): void;
}

/** What a session is made of. */
export interface LinkOptions {
  readonly settings: SmppSettings;
  readonly role: Role;
  readonly tally: Tally;
  readonly lease: Lease;
}
