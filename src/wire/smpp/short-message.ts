/** The content of a message in a PDU: a part of ours as a submit_sm carries it, and what a deliver_sm brings as text. */
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
 * How the parts of a long message are told to belong together. With `payload` it goes in one piece, in message_payload,
 * and the SMSC cuts it; what has to go in parts all the same has a header there.
 */
export type ConcatenationForm = 'udh' | 'sar' | 'payload';

/** What matters here of a part on its way out. */
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

/** What a message without a header holds: 160 septets, one to an octet, or 70 characters of UCS-2. */
const maxSingleOctets = { gsm7: 160, ucs2: 140 } as const;
const maxPackedOctets = 140;

/**
 * The reference must be the same in all parts of a message, and another than in the message before to the same number:
 * 0 to 255, with `sar` to 65,535. In the form `payload` a part that is a whole message may be as long as its sender
 * likes, and goes into short_message where it is one SMS.
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

/** Fields of a deliver_sm or a data_sm, which has no short_message. */
export interface ReceivedMessage {
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly shortMessage?: Buffer;
  readonly tlvs: Tlvs;
}

export interface ReceivedContent {
  /** Of a part: to be joined by `joinParts`, since a character may be parted. */
  readonly text: string;
  /** Absent: the message is whole. */
  readonly concatenation?: Concatenation;
}

/** Whatever the fields hold, this is what a reader should see of them. */
export function readContent(message: ReceivedMessage, alphabet: DefaultAlphabet): ReceivedContent {
  const { esmClass, dataCoding, shortMessage = empty, tlvs } = message;
  // Only one of the two should be used (SMPP 3.4 5.3.2.32); that with something in it is.
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
