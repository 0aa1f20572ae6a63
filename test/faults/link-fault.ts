/** A fault of an SMPP link, as a table has it: what the SMSC does, how often, and what may become of messages by it. */
import type { StatusName } from '../../src/messages/message.ts';
import type { FaultySmsc, Misbehaviour } from './faulty-smsc.ts';

export interface LinkFault {
  readonly name: string;
  /** What the SMSC does so often, or what happens to it under load until it is well again; infinitely often: for good. */
  readonly happens:
    | { readonly times: number; readonly does: Misbehaviour }
    | { readonly course: (smsc: FaultySmsc) => Promise<void> };
  /** Of the carrier, beside those that all have. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Besides DELIVERED: ends that the fault has for some of the messages. The first of them must be seen. */
  readonly ends?: readonly StatusName[];
}
