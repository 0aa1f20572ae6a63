/**
 * Links the parts of a long message, by a user data header (3GPP TS 23.040 9.2.3.24) or sar_* TLVs, and joins their texts.
 */
import { escapedCharacter, type NationalLanguages, noLanguages } from '../sms/national-gsm7.ts';
import { replaceLoneSurrogates } from '../sms/normalise.ts';
import type { Tlvs } from './tlvs.ts';

/** Has the same form as in the carrier port. */
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
/** National language single shift and locking shift (3GPP TS 23.040 9.2.3.24.15 and 9.2.3.24.16). */
const singleShift = 0x24;
const lockingShift = 0x25;

const maxShortReference = 0xff;

/** Whether the reference needs the longer header. */
export function isLongReference(reference: number): boolean {
  return reference > maxShortReference;
}

/** A header of 6 octets, or of 7 for a reference beyond 8 bits, which leaves room for one character less. */
export function buildUdh({ reference, part, parts }: Concatenation): Uint8Array {
  assertPart(part, parts);
  if (!isWithin(reference, 0xffff))
    throw new RangeError(`The reference in a user data header is 0 to 65535, not ${reference}.`);
  return isLongReference(reference)
    ? Uint8Array.of(6, concatenation16, 4, reference >> 8, reference & 0xff, parts, part)
    : Uint8Array.of(5, concatenation8, 3, reference, parts, part);
}

/** SMPP 3.4 5.3.2.22 to 5.3.2.24. The SMSC creates the header. */
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
  /** Only for a GSM-7 text. */
  readonly languages?: NationalLanguages;
  /** The octets after the header. */
  readonly body: Uint8Array;
}

/**
 * Parses octets that are marked as beginning with a header. There is a header only if its elements fill it exactly: some
 * SMSCs set the bit without a header, and then everything is text. In UCS-2 without a header, the first octet is often 0,
 * which could also be the length of an empty header. So if no element is known, whole characters must remain. Elements other
 * than concatenation and national languages (such as ports) are skipped. If there are two of a kind, the last counts.
 */
export function parseUdh(octets: Uint8Array, octetsPerCharacter: 1 | 2 = 1): UserData {
  const end = (octets[0] ?? 0) + 1;
  const all = { body: octets };
  if (end > octets.length) return all;
  let known: Omit<UserData, 'body'> = {};
  let at = 1;
  while (at + 2 <= end) {
    const start = at + 2;
    at = start + octets[at + 1]!;
    if (at > end) return all;
    known = { ...known, ...element(octets[start - 2]!, octets.subarray(start, at), known) };
  }
  const body = octets.subarray(end);
  const isKnown = known.concatenation !== undefined || known.languages !== undefined;
  if (at !== end || !(isKnown || body.length % octetsPerCharacter === 0)) return all;
  return { ...known, body };
}

function element(
  identifier: number,
  data: Uint8Array,
  { languages = noLanguages }: Omit<UserData, 'body'>,
): Omit<UserData, 'body'> | undefined {
  if (identifier === singleShift && data.length === 1)
    return { languages: { ...languages, single: data[0]! } };
  if (identifier === lockingShift && data.length === 1)
    return { languages: { ...languages, locking: data[0]! } };
  const concatenation = concatenationOf(identifier, data);
  return concatenation === undefined ? undefined : { concatenation };
}

function concatenationOf(identifier: number, data: Uint8Array): Concatenation | undefined {
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

/** With part 0, or a part beyond the last, the element must be ignored (3GPP TS 23.040 9.2.3.24.1). */
function validConcatenation(reference: number, part: number, parts: number): Concatenation | undefined {
  return part >= 1 && part <= parts ? { reference, part, parts } : undefined;
}

/** Joins the texts of parts, given in order. Some senders separate an escape from its code, or split surrogate pairs. */
export function joinParts(texts: readonly string[]): string {
  return replaceLoneSurrogates(joinPartTexts(texts, ' '));
}

/** Represents an escape in the text of a part. */
const escapeSign = '\u001b';
/** If an escape does not use the default tables, a private-use character after it names them. */
const firstTables = 0xf700;

/** Added to the end of a part whose last septet is an escape, since the escaped character is in the next part. */
export function partedEscape({ locking, single }: NationalLanguages = noLanguages): string {
  if (locking === 0 && single === 0) return escapeSign;
  return escapeSign + String.fromCharCode(firstTables + (locking & 15) * 16 + (single & 15));
}

/** The byte order mark as it appears in UCS-2 with swapped octets. */
const swappedMark = '\uFFFE';
const orderMark = '\uFEFF';

const everyPartedEscape = new RegExp(`${escapeSign}([\\uF700-\\uF7FF]?)([^]?)`, 'g');

/**
 * Joins the texts of parts, given in order. The texts are kept until all parts have arrived, because a part may end in half a
 * character, and only the first part shows the octet order. The marks needed for joining are in the texts and are removed
 * here. A lone half of a surrogate pair is kept. `atEnd` replaces an escape with nothing after it.
 */
export function joinPartTexts(texts: readonly string[], atEnd = ''): string {
  const isSwapped = texts[0]?.startsWith(swappedMark) ?? false;
  const ordered = texts.map((text) => inOrder(text, isSwapped));
  return ordered
    .join('')
    .replace(everyPartedEscape, (_, tables: string, character: string) =>
      character === '' ? atEnd : escapedCharacter(character, languagesOf(tables)),
    );
}

function languagesOf(tables: string): NationalLanguages {
  if (tables === '') return noLanguages;
  const number = tables.charCodeAt(0) - firstTables;
  return { locking: number >> 4, single: number & 15 };
}

/** Most senders write the mark once, before the first part, and some before each part. */
function inOrder(text: string, isSwapped: boolean): string {
  if (text.startsWith(orderMark)) return text.slice(1);
  if (text.startsWith(swappedMark)) return swapped(text.slice(1));
  return isSwapped ? swapped(text) : text;
}

function swapped(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('utf16le');
}
