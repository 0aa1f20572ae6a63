/** Types for the parts of the untyped package `smpp` that the tests and benchmarks use. */
declare module 'smpp' {
  interface ParsedPdu {
    readonly command: string;
    readonly command_id: number;
    readonly command_status: number;
    readonly sequence_number: number;
    /** Fields and parameters by their names in the specification. */
    readonly [field: string]: unknown;
    toBuffer(): Buffer;
  }
  /** A bound connection with one method per command, named as in the specification. */
  interface Session {
    on(event: 'close' | 'connect', listener: () => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    on(command: string, listener: (pdu: RequestPdu) => void): void;
    send(pdu: ParsedPdu): boolean;
    deliver_sm(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    submit_sm(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    data_sm(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    bind_transceiver(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    bind_transmitter(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    bind_receiver(fields: Readonly<Record<string, unknown>>, answered?: (pdu: ParsedPdu) => void): boolean;
    enquire_link(answered?: (pdu: ParsedPdu) => void): boolean;
    unbind(answered?: (pdu: ParsedPdu) => void): boolean;
    destroy(): void;
  }
  interface RequestPdu extends ParsedPdu {
    response(fields?: Readonly<Record<string, unknown>>): ParsedPdu;
  }
  interface Server {
    listen(port: number, host: string, listening: () => void): void;
    address(): { readonly port: number };
    close(closed: () => void): void;
  }
  const smpp: {
    createServer(listener: (session: Session) => void): Server;
    connect(to: {
      readonly host: string;
      readonly port: number;
      readonly tls?: boolean;
      readonly rejectUnauthorized?: boolean;
    }): Session;
    readonly PDU: {
      new (octets: Buffer): ParsedPdu;
      new (command: string, fields: Readonly<Record<string, unknown>>): ParsedPdu;
    };
    readonly tlvs: Readonly<Record<string, { readonly id: number }>>;
    readonly errors: Readonly<Record<string, number>>;
  };

  export type { ParsedPdu, RequestPdu, Server, Session };
  export default smpp;
}
