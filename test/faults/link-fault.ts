/** A fault of a link as a table entry: what the peer does, how often, and what may become of messages. */
import type { StatusName } from '../../src/messages/message.ts';
import type { Happening } from './faulty-peer.ts';
import type { FaultyService, ServiceMisbehaviour } from './faulty-service.ts';
import type { FaultySmsc, Misbehaviour } from './faulty-smsc.ts';

interface FaultOfLink {
  readonly name: string;
  /** Carrier settings in addition to the common ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Final statuses, besides DELIVERED, that the fault causes for some messages. The first of them must occur. */
  readonly ends?: readonly StatusName[];
}

export interface SmppFault extends FaultOfLink {
  readonly happens: Happening<FaultySmsc, Misbehaviour>;
}

export interface HttpFault extends FaultOfLink {
  readonly over: 'http';
  readonly happens: Happening<FaultyService, ServiceMisbehaviour>;
}

export type LinkFault = SmppFault | HttpFault;
