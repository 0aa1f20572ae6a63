/** What a submit_sm is about, read without the codec of the house (SMPP 3.4, 4.4.1). */
import type { RawPdu } from '../carriers/raw-smsc.ts';

export interface Submission {
  readonly recipient: string;
  /** From 1. */
  readonly part: number;
}

const hasHeader = 0x40;

export function submissionOf({ body }: RawPdu): Submission {
  const afterText = (from: number) => body.indexOf(0, from) + 1;
  // service_type, then TON, NPI and address of the source; TON and NPI of the destination stand before its address.
  const destination = afterText(afterText(0) + 2) + 2;
  const esmClass = afterText(destination);
  // esm_class, protocol_id and priority_flag; then two times as texts, and five octets before the message.
  const message = afterText(afterText(esmClass + 3)) + 5;
  // The length of the header, the element's kind and length; reference, parts and part (3GPP TS 23.040 9.2.3.24.1).
  const isPart = ((body[esmClass] ?? 0) & hasHeader) !== 0;
  return {
    recipient: body.toString('latin1', destination, esmClass - 1),
    part: isPart ? (body[message + 5] as number) : 1,
  };
}
