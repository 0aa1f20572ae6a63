/** How the parts of a long message tell of each other: a user data header (3GPP TS 23.040 9.2.3.24) or sar_* TLVs. */
import { encodeGsm7, extensionTable, isGsm7 } from '../sms/gsm7.ts';
import { replaceLoneSurrogates } from '../sms/ucs2.ts';
import { partedEscape } from './alphabet.ts';
import type { Tlvs } from './tlvs.ts';

/** In the form that the port to the carriers has too. */
export interface Concatenation {
  readonly reference: number;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
}

/** Bit 6 of esm_class: the text begins with a user data header (SMPP 3.4 5.2.12). */
export const udhIndicator = 0x40;

/** Information elements: concatenation with a reference of 8 and of 16 bits (3GPP TS 23.040 9.2.3.24). */
const concatenation8 = 0x00;
const concatenation16 = 0x08;

/** A header with an 8-bit reference, 6 octets: one of 16 bits would take a character more from each part. */
export function buildUdh({ reference, part, parts }: Concatenation): Uint8Array {
  assertPart(part, parts);
  if (!isWithin(reference, 0xff))
    throw new RangeError(`The reference in a user data header is 0 to 255, not ${reference}.`);
  return Uint8Array.of(5, concatenation8, 3, reference, parts, part);
}

/** SMPP 3.4 5.3.2.22 to 5.3.2.24; the SMSC makes the header. */
export function buildSar({ reference, part, parts }: Concatenation): Tlvs {
  assertPart(part, parts);
  if (!isWithin(reference, 0xffff))
    throw new RangeError(`The reference in sar_msg_ref_num is 0 to 65535, not ${reference}.`);
  return { sarMsgRefNum: reference, sarTotalSegments: parts, sarSegmentSeqnum: part };
}

function assertPart(part: number, parts: number): void {
  if (!isWithin(parts, 255) || !isWithin(part, parts) || part < 1)
    throw new RangeError(`There is no part ${part} of ${parts}: a message has 1 to 255 parts.`);
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

export interface UserData {
  readonly concatenation?: Concatenation;
  /** Behind the header. */
  readonly body: Uint8Array;
}

/**
 * Octets that begin with a header. Elements other than the concatenation are passed over (ports, national languages);
 * of two concatenations the last counts. A header longer than the octets is none: all of them are text.
 */
export function parseUdh(octets: Uint8Array): UserData {
  const end = (octets[0] ?? 0) + 1;
  if (end > octets.length) return { body: octets };
  let concatenation: Concatenation | undefined;
  for (let at = 1; at + 2 <= end; ) {
    const start = at + 2;
    const next = start + octets[at + 1]!;
    if (next > end) break;
    concatenation = element(octets[at]!, octets.subarray(start, next)) ?? concatenation;
    at = next;
  }
  const body = octets.subarray(end);
  return concatenation === undefined ? { body } : { concatenation, body };
}

function element(identifier: number, data: Uint8Array): Concatenation | undefined {
  if (identifier === concatenation8 && data.length === 3)
    return validConcatenation(data[0]!, data[2]!, data[1]!);
  if (identifier === concatenation16 && data.length === 4)
    return validConcatenation(data[0]! * 256 + data[1]!, data[3]!, data[2]!);
  return undefined;
}

export function parseSar({
  sarMsgRefNum,
  sarSegmentSeqnum,
  sarTotalSegments,
}: Tlvs): Concatenation | undefined {
  if (sarMsgRefNum === undefined || sarSegmentSeqnum === undefined || sarTotalSegments === undefined)
    return undefined;
  return validConcatenation(sarMsgRefNum, sarSegmentSeqnum, sarTotalSegments);
}

/** Part 0, and one beyond the last, mean that the element is to be ignored (3GPP TS 23.040 9.2.3.24.1). */
function validConcatenation(reference: number, part: number, parts: number): Concatenation | undefined {
  return part >= 1 && part <= parts ? { reference, part, parts } : undefined;
}

/** The text of parts in their order. Some senders part an escape from its code, or the halves of a surrogate pair. */
export function joinParts(texts: readonly string[]): string {
  const joined = texts.join('').replace(everyPartedEscape, (_, character?: string) => escaped(character));
  return replaceLoneSurrogates(joined);
}

const everyPartedEscape = new RegExp(`${partedEscape}([^])?`, 'g');

/** As `decodeGsm7` has it: a space where nothing follows, the character itself where the extension table lacks it. */
function escaped(character: string | undefined): string {
  if (character === undefined) return ' ';
  if (!isGsm7(character)) return character;
  const septets = encodeGsm7(character);
  return (septets.length === 1 ? extensionTable.get(septets[0]!) : undefined) ?? character;
}
