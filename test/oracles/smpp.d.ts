/** What the tests and benchmarks use of the package `smpp`, which brings no types. */
declare module 'smpp' {
  interface ParsedPdu {
    readonly command: string;
    readonly command_id: number;
    readonly command_status: number;
    readonly sequence_number: number;
    /** Fields and parameters by the names of the specification. */
    readonly [field: string]: unknown;
    toBuffer(): Buffer;
  }
  const smpp: {
    readonly PDU: {
      new (octets: Buffer): ParsedPdu;
      new (command: string, fields: Readonly<Record<string, unknown>>): ParsedPdu;
    };
    readonly tlvs: Readonly<Record<string, { readonly id: number }>>;
    readonly errors: Readonly<Record<string, number>>;
  };
  export default smpp;
}
