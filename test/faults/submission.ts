/** Reads the main fields of a submit_sm without our own codec (SMPP 3.4, 4.4.1). */
import type { RawPdu } from '../carriers/raw-smsc.ts';

export interface Submission {
  readonly recipient: string;
  /** The part number, starting at 1. */
  readonly part: number;
}

const hasHeader = 0x40;

export function submissionOf({ body }: RawPdu): Submission {
  const afterText = (from: number) => body.indexOf(0, from) + 1;
  // Skips service_type, the source's TON, NPI and address, then the destination's TON and NPI.
  const destination = afterText(afterText(0) + 2) + 2;
  const esmClass = afterText(destination);
  // Skips esm_class, protocol_id and priority_flag, then two times as text, and five octets before the message.
  const message = afterText(afterText(esmClass + 3)) + 5;
  // Header length, element identifier and length, then reference, part count and part number (3GPP TS 23.040 9.2.3.24.1).
  const isPart = ((body[esmClass] ?? 0) & hasHeader) !== 0;
  return {
    recipient: body.toString('latin1', destination, esmClass - 1),
    part: isPart ? (body[message + 5] as number) : 1,
  };
}
