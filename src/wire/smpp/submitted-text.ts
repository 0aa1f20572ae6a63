/** The text of a message that a client submits, whose data_coding says less than it should. */
import { dataCoding as codings, isData, isFlashCoding, octetsPerCharacter } from './alphabet.ts';
import { type Concatenation, parseUdh, udhIndicator } from './concatenation.ts';
import { type ReceivedMessage, readContent } from './short-message.ts';

export interface SubmittedText {
  /** Texts of parts are put together by `joinParts` only. */
  readonly text: string;
  readonly isFlash: boolean;
  /** Absent if the message is whole. */
  readonly concatenation?: Concatenation;
}

const ascii = 0x01;
/** The display of the phone, in dest_addr_subunit (SMPP 3.4 5.3.2.1). */
const phoneDisplay = 1;

/** Undefined for data that is no text, or is for an application of the phone. */
export function readSubmitted(message: ReceivedMessage): SubmittedText | undefined {
  const { esmClass, dataCoding, shortMessage, tlvs } = message;
  const octets = shortMessage?.length ? shortMessage : (tlvs.messagePayload ?? empty);
  const hasHeader = (esmClass & udhIndicator) !== 0;
  const { body } = hasHeader ? parseUdh(octets, octetsPerCharacter(dataCoding, 'gsm7')) : { body: octets };
  const isForApplication =
    tlvs.destinationPort !== undefined || hasPorts(octets.subarray(0, octets.length - body.length));
  if (isForApplication || isData(body, dataCoding)) return undefined;
  const isGsm7 = dataCoding === ascii && isRatherGsm7(Buffer.from(body).toString('latin1'));
  const content = readContent({ ...message, dataCoding: isGsm7 ? codings.smscDefault : dataCoding }, 'gsm7');
  return { ...content, isFlash: isFlashCoding(dataCoding) || tlvs.destAddrSubunit === phoneDisplay };
}

const empty = Buffer.alloc(0);

/** Application port addressing by 8 and by 16 bits (3GPP TS 23.040 9.2.3.24.3 and 9.2.3.24.4). */
const portElements: readonly (number | undefined)[] = [0x04, 0x05];

/** The header is sound: its elements fill it. */
function hasPorts(header: Uint8Array): boolean {
  for (let at = 1; at < header.length; at += 2 + (header[at + 1] ?? 0))
    if (portElements.includes(header[at])) return true;
  return false;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII gives these no sign, while GSM-7 does.
const onlyInGsm7 = /[\0-\x09\x0b\x0c\x0e-\x1f]/;
/** The codes of \ and | are letters of GSM-7. */
const inWord = /[a-z][\\|]|[\\|][a-z]/i;

/**
 * Many clients (npm's `smpp` among them) write GSM-7 and say ASCII. The two differ in control characters, and in the codes of
 * brackets, \ and |, which are letters in GSM-7: brackets come in pairs, and the other two seldom touch a letter.
 */
function isRatherGsm7(octets: string): boolean {
  if (onlyInGsm7.test(octets) || inWord.test(octets)) return true;
  return count(octets, '[') !== count(octets, ']') || count(octets, '{') !== count(octets, '}');
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
