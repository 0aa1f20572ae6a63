/** A fault of an SMPP link as a table entry: what the SMSC does, how often, and what may become of messages. */
import type { StatusName } from '../../src/messages/message.ts';
import type { FaultySmsc, Misbehaviour } from './faulty-smsc.ts';

export interface LinkFault {
  readonly name: string;
  /**
   * What the SMSC does this many times (Infinity for a fault that never ends), or what happens to it under load until it has
   * recovered.
   */
  readonly happens:
    | { readonly times: number; readonly does: Misbehaviour }
    | { readonly course: (smsc: FaultySmsc) => Promise<void> };
  /** Carrier settings in addition to the common ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Final statuses, besides DELIVERED, that the fault causes for some messages. The first of them must occur. */
  readonly ends?: readonly StatusName[];
}
