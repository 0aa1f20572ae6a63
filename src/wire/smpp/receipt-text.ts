/**
 * The text of a delivery receipt (SMPP 3.4 appendix B). That appendix describes one SMSC's habit and binds nobody:
 *
 *   id:IIIIIIIIII sub:SSS dlvrd:DDD submit date:YYMMDDhhmm done date:YYMMDDhhmm stat:DDDDDDD err:E Text: …
 *
 * In practice, dates have 10, 12 or 14 digits; any field except `id` and the state may be absent, and so may the field
 * name of the state; names are in any letter case; and the octets are ASCII, GSM-7 or UCS-2 whatever `data_coding` says.
 */
import { decodeGsm7 } from '../sms/gsm7.ts';
import { replaceLoneSurrogates } from '../sms/normalise.ts';
import { decodeUcs2 } from './alphabet.ts';
import { absoluteTime } from './smpp-time.ts';

/** The states of SMPP 3.4 5.2.28. */
export type ReceiptState =
  | 'ENROUTE'
  | 'DELIVERED'
  | 'EXPIRED'
  | 'DELETED'
  | 'UNDELIVERABLE'
  | 'ACCEPTED'
  | 'UNKNOWN'
  | 'REJECTED';

export interface ReceiptText {
  /** The text in a form that can be stored: one line of limited length. */
  readonly text: string;
  readonly id: string | undefined;
  readonly state: ReceiptState | undefined;
  readonly errorCode: string | undefined;
  /** Whether the text undoubtedly has the form of appendix B, which no person would write. */
  readonly isWhole: boolean;
}

/** Keyed by the words of appendix B, those of other SMSCs, and the full words that some write. */
const stateWords: ReadonlyMap<string, ReceiptState> = new Map([
  ['DELIVRD', 'DELIVERED'],
  ['DELIVERED', 'DELIVERED'],
  ['EXPIRED', 'EXPIRED'],
  ['DELETED', 'DELETED'],
  ['UNDELIV', 'UNDELIVERABLE'],
  ['UNDELIVERABLE', 'UNDELIVERABLE'],
  ['UNDELIVERED', 'UNDELIVERABLE'],
  ['FAILED', 'UNDELIVERABLE'],
  ['ACCEPTD', 'ACCEPTED'],
  ['ACCEPTED', 'ACCEPTED'],
  ['UNKNOWN', 'UNKNOWN'],
  ['REJECTD', 'REJECTED'],
  ['REJECTED', 'REJECTED'],
  ['ENROUTE', 'ENROUTE'],
  ['BUFFRED', 'ENROUTE'],
  ['BUFFERED', 'ENROUTE'],
  // The next message centre, not the phone, has acknowledged the message.
  ['ACKED', 'ENROUTE'],
  ['SCHEDULED', 'ENROUTE'],
]);

/** A receipt needs only a fraction of this length for its fields. The rest is the message's own text. */
const maxLength = 1_000;
/** `receipted_message_id` may hold 65 characters (SMPP 3.4 5.3.2.12). A text may hold more. */
const maxIdLength = 128;
const maxErrorCodeLength = 32;

/** Reads the octets by their data_coding or, if that gives no receipt, by any other data_coding that does. */
export function readReceiptText(octets: Uint8Array, dataCoding: number): ReceiptText {
  let first: ReceiptText | undefined;
  const start = octets.subarray(0, 2 * maxLength);
  for (const decode of decodersFor(dataCoding)) {
    const read = parse(cleaned(decode(start)));
    if (read.id !== undefined && read.state !== undefined) return read;
    first ??= read;
  }
  return first as ReceiptText;
}

/** Nearly all texts consist of these characters, so a single check shows that they are clean. */
const onlyPrintableAscii = /^[\x20-\x7e]*$/;

/** Control characters and half characters must not be stored. */
export function cleaned(text: string): string {
  const start = text.length > maxLength ? text.slice(0, maxLength) : text;
  if (onlyPrintableAscii.test(start)) return start.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return replaceLoneSurrogates(start.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')).trim();
}

/** Returns an id that can be stored and looked up, or undefined. */
export function usableId(id: string | undefined): string | undefined {
  const clean = id === undefined ? '' : cleaned(id);
  return clean === '' || clean.length > maxIdLength ? undefined : clean;
}

type Decoder = (octets: Uint8Array) => string;

function decodersFor(dataCoding: number): readonly Decoder[] {
  // UCS-2 in the general group (3GPP TS 23.038 4), of which 0x08 is the simplest value.
  const saysUcs2 = (dataCoding & 0xcc) === 0x08;
  return saysUcs2 ? [decodeUcs2, plain, swappedUcs2, packed] : [plain, decodeUcs2, swappedUcs2, packed];
}

/** ASCII, unless there are codes that have a meaning only in GSM-7: those of `@`, `$` and `_`, which ids do contain. */
function plain(octets: Uint8Array): string {
  let end = octets.length;
  while (end > 0 && octets[end - 1] === 0) end--;
  const text = Buffer.from(octets.buffer, octets.byteOffset, end);
  const isGsm7 = text.includes(0x00) || text.includes(0x02) || text.includes(0x11);
  return isGsm7 ? decodeGsm7(text) : text.toString('latin1');
}

function swappedUcs2(octets: Uint8Array): string {
  return Buffer.from(octets).toString('utf16le');
}

/** Septets packed into octets (3GPP TS 23.038 6.1.2.1), which SMPP does not provide for. */
function packed(octets: Uint8Array): string {
  const count = Math.min(maxLength, Math.floor((octets.length * 8) / 7));
  const septets = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const bit = index * 7;
    const low = octets[bit >> 3] ?? 0;
    const high = octets[(bit >> 3) + 1] ?? 0;
    septets[index] = ((low | (high << 8)) >> (bit & 7)) & 0x7f;
  }
  return decodeGsm7(septets);
}

const field = /(?:^|[\s,;])(id|sub|dlvrd|submit[\s_]*date|done[\s_]*date|stat|err|text)\s*:/gi;
const plainState = /^[A-Z]+$/;

/** A separate word that does not follow a field name. */
const loneWord = /(?:^|[\s,;])([a-z]{5,13})(?=[\s,;]|$)/gi;
const ownText = /(?:^|[\s,;])text\s*:/i;

interface LoneState {
  readonly state: ReceiptState;
  /** The start of the word, including the separator before it. */
  readonly at: number;
}

/**
 * Some SMSCs write the state without its field name. Everything after `text` is the message's own text and may contain
 * any word.
 */
function loneStateIn(text: string): LoneState | undefined {
  const end = text.search(ownText);
  for (const { 1: word = '', index } of text.slice(0, end === -1 ? text.length : end).matchAll(loneWord)) {
    const state = stateWords.get(word.toUpperCase());
    if (state !== undefined) return { state, at: index };
  }
  return undefined;
}

/** The id ends where a state without a field name begins. */
function idIn(written: string | undefined, lone: LoneState | undefined): string | undefined {
  const at = lone === undefined || written === undefined ? undefined : loneStateIn(written)?.at;
  return usableId(at === undefined || at === 0 ? written : written?.slice(0, at));
}

const otherNames = ['sub', 'dlvrd', 'submitdate', 'donedate', 'err'];

function parse(text: string): ReceiptText {
  const values = fieldsOf(text);
  const written = values.get('stat') ?? '';
  const lone = written === '' ? loneStateIn(text) : undefined;
  const state = lone?.state ?? stateOf(written);
  const id = idIn(values.get('id'), lone);
  const others = otherNames.filter((name) => values.has(name)).length;
  return {
    text,
    id,
    state,
    errorCode: values.get('err')?.match(/^\S+/)?.[0].slice(0, maxErrorCodeLength),
    isWhole:
      others >= (lone === undefined ? 1 : 2) &&
      id !== undefined &&
      state !== undefined &&
      /^id\s*:/i.test(text),
  };
}

/** Returns the fields of a stored receipt: those of its text, then its TLVs, each on its own line. */
export function receiptFields(kept: string): readonly (readonly [name: string, value: string])[] {
  const [text = '', ...tlvs] = kept.split('\n');
  const ofText = [...fieldsOf(text)].map(([key, value]) => [key.replace(/date$/, ' date'), value] as const);
  const ofTlvs = tlvs.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1)] as const;
  });
  return [...ofText, ...ofTlvs];
}

export function stateOf(written: string | undefined): ReceiptState | undefined {
  if (written === undefined) return undefined;
  const word = plainState.test(written) ? written : written.match(/^[a-z]+/i)?.[0].toUpperCase();
  return word === undefined ? undefined : stateWords.get(word);
}

/** Removes any number of separators after a value, and spaces before it. */
function withoutSeparators(text: string, from: number, to: number): string {
  let end = to;
  while (end > from && /[\s,;]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(from, end).trimStart();
}

/**
 * Each value extends to the next field name. Everything after `text` is the message's own text, whatever it looks like.
 */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let name: string | undefined;
  let from = 0;
  field.lastIndex = 0;
  for (let start = field.exec(text); start !== null; start = field.exec(text)) {
    if (name !== undefined && !values.has(name)) values.set(name, withoutSeparators(text, from, start.index));
    name = (start[1] as string).toLowerCase().replace(/[\s_]/g, '');
    from = field.lastIndex;
    if (name === 'text') break;
  }
  if (name !== undefined && !values.has(name)) values.set(name, text.slice(from).trim());
  return values;
}

/** The content of a receipt text to be written by a substitute for an SMSC. */
interface WrittenReceipt {
  readonly id: string;
  /** The number of parts delivered, in three digits. */
  readonly delivered: string;
  readonly submittedAt: number;
  readonly doneAt: number;
  readonly stat: string;
  readonly err: string;
  /** The beginning of the message text. */
  readonly text: string;
}

export function receiptText({ id, delivered, submittedAt, doneAt, stat, err, text }: WrittenReceipt): string {
  const dates = `submit date:${minute(submittedAt)} done date:${minute(doneAt)}`;
  return `id:${id} sub:001 dlvrd:${delivered} ${dates} stat:${stat} err:${err} text:${text}`;
}

/** Caches the last two minutes, since many receipts are written within one minute. */
let known: readonly (readonly [minute: number, written: string])[] = [];

/** Formats a time as YYMMDDhhmm. */
function minute(time: number): string {
  const at = Math.floor(time / 60_000);
  const found = known.find(([one]) => one === at);
  if (found !== undefined) return found[1];
  const written = absoluteTime(time).slice(0, 10);
  known = [[at, written], ...known.slice(0, 1)];
  return written;
}
