/** The content of a message in a PDU: one of our parts in a submit_sm, or the text of a deliver_sm. */
import { packSeptets, unpackSeptets } from '../sms/gsm7.ts';
import type { Encoding } from '../sms/segments.ts';
import { type DefaultAlphabet, decodeText, encodeText, isPacked, octetsPerCharacter } from './alphabet.ts';
import {
  buildSar,
  buildUdh,
  type Concatenation,
  parseSar,
  parseUdh,
  type UserData,
  udhIndicator,
} from './concatenation.ts';
import type { Tlvs } from './tlvs.ts';

/**
 * How the parts of a long message are linked. With `payload`, the message is sent in one piece in message_payload, and
 * the SMSC splits it. If the message must be sent in parts nevertheless, they have a header.
 */
export type ConcatenationForm = 'udh' | 'sar' | 'payload';

/** The properties of an outgoing part that matter here. */
export interface PartContent {
  readonly text: string;
  readonly encoding: Encoding;
  readonly flash: boolean;
  /** From 1 to `parts`. */
  readonly part: number;
  readonly parts: number;
}

export interface ContentSettings {
  readonly alphabet: DefaultAlphabet;
  readonly concatenation: ConcatenationForm;
}

/** Fields of a submit_sm. */
export interface ShortMessage {
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly shortMessage: Buffer;
  readonly tlvs: Tlvs;
}

/** The capacity of a message without a header: 160 septets, one per octet, or 70 characters of UCS-2. */
const maxSingleOctets = { gsm7: 160, ucs2: 140 } as const;
const maxPackedOctets = 140;

/**
 * The reference must be the same in all parts of a message, and differ from that of the previous message to the same number.
 * It is 0 to 65,535; one above 255 takes another octet of a user data header. In the form `payload`, a part that is a whole
 * message may be of any length, and is put into short_message if it fits one SMS.
 */
export function encodePart(
  content: PartContent,
  { alphabet, concatenation }: ContentSettings,
  reference: number,
): ShortMessage {
  const { text, part, parts } = content;
  const { dataCoding, octets: unpacked } = encodeText(text, content, alphabet);
  const packs = isPacked(dataCoding, alphabet);
  const isPart = parts > 1;
  const hasHeader = isPart && concatenation !== 'sar';
  const header = hasHeader ? buildUdh({ reference, part, parts }) : empty;
  const octets = packs ? packSeptets(unpacked, header.length) : unpacked;
  if (isPart && !hasHeader)
    return {
      esmClass: 0,
      dataCoding,
      shortMessage: asBuffer(octets),
      tlvs: buildSar({ reference, part, parts }),
    };
  const esmClass = hasHeader ? udhIndicator : 0;
  const userData = hasHeader ? Buffer.concat([header, octets]) : asBuffer(octets);
  const isLong = !isPart && userData.length > (packs ? maxPackedOctets : maxSingleOctets[content.encoding]);
  return isLong && concatenation === 'payload'
    ? { esmClass, dataCoding, shortMessage: empty, tlvs: { messagePayload: userData } }
    : { esmClass, dataCoding, shortMessage: userData, tlvs: noTlvs };
}

const empty = Buffer.alloc(0);
const noTlvs: Tlvs = Object.freeze({});

function asBuffer(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length);
}

/** Fields of a deliver_sm or a data_sm. The latter has no short_message. */
export interface ReceivedMessage {
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly shortMessage?: Buffer;
  readonly tlvs: Tlvs;
}

export interface ReceivedContent {
  /** The text of a part must be joined by `joinParts`, because a character may be split. */
  readonly text: string;
  /** Absent if the message is whole. */
  readonly concatenation?: Concatenation;
}

/** Returns what a reader should see of the fields, whatever they hold. */
export function readContent(message: ReceivedMessage, alphabet: DefaultAlphabet): ReceivedContent {
  const { esmClass, dataCoding, shortMessage = empty, tlvs } = message;
  // Only one of the two fields should be used (SMPP 3.4 5.3.2.32). The non-empty one counts.
  const octets = shortMessage.length > 0 ? shortMessage : (tlvs.messagePayload ?? empty);
  const hasHeader = (esmClass & udhIndicator) !== 0;
  const {
    body: packed,
    languages,
    ...header
  }: UserData = hasHeader ? parseUdh(octets, octetsPerCharacter(dataCoding, alphabet)) : { body: octets };
  const body = isPacked(dataCoding, alphabet) ? unpackSeptets(packed, octets.length - packed.length) : packed;
  const concatenation = header.concatenation ?? parseSar(tlvs);
  if (concatenation === undefined || concatenation.parts === 1)
    return { text: decodeText(body, dataCoding, alphabet, false, languages) };
  return { text: decodeText(body, dataCoding, alphabet, true, languages), concatenation };
}
