/**
 * Distinguishes delivery receipts from incoming SMS, both of which an SMSC sends as deliver_sm or data_sm, and reads them. It
 * checks, in this order, the receipt TLVs, the message type in esm_class, and the text.
 */
import { cleaned, type ReceiptState, type ReceiptText, readReceiptText, usableId } from './receipt-text.ts';

/** The fields used from a deliver_sm or a data_sm. */
export interface ReceiptPdu {
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly sourceAddr: string;
  readonly destinationAddr: string;
  readonly shortMessage?: Uint8Array | undefined;
  readonly tlvs?:
    | {
        readonly receiptedMessageId?: string | undefined;
        readonly messageState?: number | undefined;
        readonly messagePayload?: Uint8Array | undefined;
        readonly networkErrorCode?: Uint8Array | undefined;
      }
    | undefined;
}

export interface DeliveryReceipt {
  readonly kind: 'receipt';
  /** As written by the SMSC, with the TLV's first. The text may hold another form of the same id. */
  readonly ids: readonly [string, ...string[]];
  readonly state: ReceiptState;
  /**
   * Whether this is an intermediate notification (SMPP 3.4 2.11), such as of a failed attempt that will be repeated.
   */
  readonly intermediate: boolean;
  readonly errorCode: string | null;
  /** As received: the text on one line, and each TLV on a further line. At most 500 characters. */
  readonly text: string;
  /** Digits of the number that the SMS was sent to, not necessarily with its country code. */
  readonly recipient?: string;
}

/** Clearly a receipt, but it does not say which message it is for, or what happened to it. */
export interface UnreadableDeliveryReceipt {
  readonly kind: 'unreadable';
  /** A single line of at most 1,000 characters. */
  readonly text: string;
  readonly carrierMessageId?: string;
  readonly recipient?: string;
}

export type ReadReceipt = { readonly kind: 'incomingSms' } | DeliveryReceipt | UnreadableDeliveryReceipt;

/** The message type in esm_class (SMPP 3.4 5.2.12): receipts, acknowledgements and intermediate notifications. */
const messageType = 0x3c;
const intermediateNotification = 0x20;
const hasHeader = 0x40;

/** Indexed by the values of the message_state TLV (SMPP 3.4 5.2.28; SMPP 5.0 4.7.15 adds the first and the last). */
export const statesByTlv: readonly ReceiptState[] = [
  'ENROUTE',
  'ENROUTE',
  'DELIVERED',
  'EXPIRED',
  'DELETED',
  'UNDELIVERABLE',
  'ACCEPTED',
  'UNKNOWN',
  'REJECTED',
  'UNDELIVERABLE',
];

export function readReceipt(pdu: ReceiptPdu): ReadReceipt {
  const { receiptedMessageId, messageState, networkErrorCode } = pdu.tlvs ?? {};
  const isMarked =
    receiptedMessageId !== undefined || messageState !== undefined || (pdu.esmClass & messageType) !== 0;
  const text = textOf(pdu);
  if (!isMarked && !text.isWhole) return { kind: 'incomingSms' };

  const first = usableId(receiptedMessageId) ?? text.id;
  const state = (messageState === undefined ? undefined : statesByTlv[messageState]) ?? text.state;
  const number = recipientOf(pdu);
  const recipient = number === undefined ? {} : { recipient: number };
  if (first === undefined || state === undefined) {
    const id = first === undefined ? {} : { carrierMessageId: first };
    return { kind: 'unreadable', text: text.text, ...id, ...recipient };
  }
  return {
    kind: 'receipt',
    ids: text.id === undefined || text.id === first ? [first] : [first, text.id],
    state,
    intermediate: (pdu.esmClass & messageType) === intermediateNotification,
    errorCode: errorCodeOf(text.errorCode, networkErrorCode),
    text: keptText(text.text, pdu.tlvs),
    ...recipient,
  };
}

/** Besides its fields, a receipt contains the beginning of its message, of which a little is enough. */
const maxKeptText = 300;

function keptText(text: string, tlvs: ReceiptPdu['tlvs']): string {
  const kept = text.length > maxKeptText ? text.slice(0, maxKeptText).replace(/[\uD800-\uDBFF]$/, '') : text;
  if (tlvs === undefined) return kept;
  const { receiptedMessageId, messageState, networkErrorCode } = tlvs;
  const id = usableId(receiptedMessageId);
  const lines = [
    kept,
    ...(id === undefined ? [] : [`receipted_message_id:${id}`]),
    ...(messageState === undefined ? [] : [`message_state:${messageState}`]),
    ...(networkErrorCode?.length === 3
      ? [`network_error_code:${Buffer.from(networkErrorCode).toString('hex')}`]
      : []),
  ];
  return lines.join('\n');
}

/** The text is in short_message or message_payload, with or without a user data header. */
function textOf({ esmClass, dataCoding, shortMessage, tlvs }: ReceiptPdu): ReceiptText {
  const bodies = [shortMessage ?? nothing, tlvs?.messagePayload ?? nothing];
  let first: ReceiptText | undefined;
  for (const body of bodies) {
    // Some SMSCs set the header bit although there is no header.
    const headerLength = (esmClass & hasHeader) === 0 ? 0 : (body[0] ?? 0) + 1;
    for (const start of headerLength === 0 ? [0] : [0, headerLength]) {
      if (body.length === 0) continue;
      const read = readReceiptText(body.subarray(start), dataCoding);
      if (read.id !== undefined && read.state !== undefined) return read;
      first ??= read;
    }
  }
  return first ?? readReceiptText(nothing, dataCoding);
}

const nothing = new Uint8Array();

/**
 * Returns the text's error code, unless that code says nothing and the network's code says something (SMPP 3.4 5.3.2.31:
 * the network type and two octets of code).
 */
function errorCodeOf(written: string | undefined, network: Uint8Array | undefined): string | null {
  const code = network?.length === 3 ? (network[1] as number) * 256 + (network[2] as number) : 0;
  if (code > 0 && (written === undefined || /^0+$/.test(written))) return String(code);
  return written ?? null;
}

/**
 * A receipt goes in the reverse direction, so its source is the phone. If that is not a phone number, the SMSC has not
 * swapped the addresses.
 */
function recipientOf({ sourceAddr, destinationAddr }: ReceiptPdu): string | undefined {
  return digitsOf(sourceAddr) ?? digitsOf(destinationAddr);
}

/** The digits of a phone number as a network may write it. */
export function digitsOf(address: string): string | undefined {
  if (/^[1-9][0-9]{6,14}$/.test(address)) return address;
  const digits = cleaned(address).replace(/^(\+|00)/, '');
  return /^[0-9]{7,15}$/.test(digits) ? digits : undefined;
}

/**
 * Our status codes (API: Message status). ACCEPTD means delivered at one operator and queued at another, so it is unclear.
 */
const statusCodes: Readonly<Record<ReceiptState, number>> = {
  ENROUTE: 1,
  DELIVERED: 2,
  DELETED: 3,
  EXPIRED: 4,
  REJECTED: 5,
  UNDELIVERABLE: 6,
  ACCEPTED: 7,
  UNKNOWN: 12,
};

/** What an operator may map a carrier's error code to: names and codes of failing statuses (API: Message status). */
export const failingStatuses = {
  DELETED: 3,
  EXPIRED: 4,
  REJECTED: 5,
  UNDELIVERABLE: 6,
  ABSENTSUBSCRIBER: 8,
  UNKNOWNSUBSCRIBER: 9,
  INVALIDDESTINATION: 10,
  SUBSCRIBERERROR: 11,
  ERROR: 13,
} as const;

/** A carrier's error codes and their meanings, looked up without regard to leading zeros or letter case. */
export type ReceiptErrors = ReadonlyMap<string, number>;

export function receiptErrors(table: Readonly<Record<string, keyof typeof failingStatuses>>): ReceiptErrors {
  return new Map(Object.entries(table).map(([code, name]) => [comparable(code), failingStatuses[name]]));
}

/** Returns the status code for a receipt. The error code counts if the message failed or its outcome is unknown. */
export function statusOf(
  receipt: Pick<DeliveryReceipt, 'state' | 'errorCode' | 'intermediate'>,
  errors: ReceiptErrors,
): number {
  const { state, errorCode, intermediate } = receipt;
  const code = statusCodes[state];
  if (state === 'DELIVERED' || state === 'ACCEPTED' || state === 'ENROUTE') return code;
  if (intermediate) return statusCodes.ENROUTE;
  return (errorCode === null ? undefined : errors.get(comparable(errorCode))) ?? code;
}

function comparable(errorCode: string): string {
  return errorCode.replace(/^0+(?=.)/, '').toLowerCase();
}
