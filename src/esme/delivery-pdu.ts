/** Writes a receipt or an incoming SMS as a deliver_sm (SMPP 3.4 4.6, appendix B). */
import { type StatusName, statusNames } from '../messages/message.ts';
import { defaultAddressForms, senderAddress } from '../wire/smpp/address.ts';
import { encodeText } from '../wire/smpp/alphabet.ts';
import { excerptOf, type MessageState, messageStates } from '../wire/smpp/message-states.ts';
import type { PduInputOf } from '../wire/smpp/pdu.ts';
import { receiptText } from '../wire/smpp/receipt-text.ts';
import type { Tlvs } from '../wire/smpp/tlvs.ts';
import { isGsm7 } from '../wire/sms/gsm7.ts';
import { type Delivery, deliveryKind } from './delivery.ts';

export type DeliverFields = Omit<PduInputOf<'deliverSm'>, 'command' | 'sequence'>;

const states: Readonly<Record<StatusName, MessageState>> = {
  QUEUED: 'ENROUTE',
  SCHEDULED: 'ENROUTE',
  SENT: 'ENROUTE',
  DELIVERED: 'DELIVRD',
  EXPIRED: 'EXPIRED',
  DELETED: 'DELETED',
  CANCELED: 'DELETED',
  REJECTED: 'REJECTD',
  ACCEPTED: 'ACCEPTD',
  UNKNOWN: 'UNKNOWN',
  UNDELIVERABLE: 'UNDELIV',
  ABSENTSUBSCRIBER: 'UNDELIV',
  UNKNOWNSUBSCRIBER: 'UNDELIV',
  INVALIDDESTINATION: 'UNDELIV',
  SUBSCRIBERERROR: 'UNDELIV',
  ERROR: 'UNDELIV',
};

/** The state in which a client sees a message of this status. */
export function messageStateOf(status: number): MessageState {
  return states[statusNames[status] ?? 'UNKNOWN'];
}

const receiptClass = 0x04;
/** The maximum of short_message that every client reads (SMPP 3.4 5.2.22); longer texts go into message_payload. */
const maxShortMessage = 254;
const noText = Buffer.alloc(0);
/** SMPP 3.3 has no optional parameters; a longer text would be lost, so it goes out in one all the same. */
const firstWithTlvs = 0x34;

export function deliverFields(delivery: Delivery, interfaceVersion: number): DeliverFields {
  const fields = delivery.kind === deliveryKind.receipt ? receiptFields(delivery) : incomingFields(delivery);
  if (interfaceVersion >= firstWithTlvs || fields.tlvs?.messagePayload !== undefined) return fields;
  return { ...fields, tlvs: {} };
}

/** The receipt goes back the way the message came, under the id that the client knows. */
function receiptFields(receipt: Delivery): DeliverFields {
  const { shownId, status, reference, at, submittedAt, sender, recipient, text } = receipt;
  const stat = messageStateOf(status ?? -1);
  const id = String(shownId);
  const isDelivered = stat === 'DELIVRD';
  const words = receiptText({
    id,
    delivered: isDelivered ? '001' : '000',
    submittedAt: submittedAt ?? at,
    doneAt: at,
    stat,
    err: isDelivered ? '000' : String(status ?? 0).padStart(3, '0'),
    text: excerptOf(text ?? ''),
  });
  const tlvs: Tlvs = {
    receiptedMessageId: id,
    messageState: messageStates[stat],
    ...(reference !== null && { userMessageReference: reference }),
  };
  return {
    ...addresses(recipient, sender),
    esmClass: receiptClass,
    shortMessage: Buffer.from(words, 'latin1'),
    tlvs,
  };
}

function incomingFields({ sender, recipient, text }: Delivery): DeliverFields {
  const written = text ?? '';
  const encoding = isGsm7(written) ? 'gsm7' : 'ucs2';
  const { dataCoding, octets } = encodeText(written, { encoding, flash: false, parts: 1 }, 'gsm7');
  const content = Buffer.from(octets);
  const isLong = content.length > maxShortMessage;
  return {
    ...addresses(sender, recipient),
    dataCoding,
    shortMessage: isLong ? noText : content,
    tlvs: isLong ? { messagePayload: content } : {},
  };
}

/** SMPP 3.4 4.6.1, without the octet that ends the text. */
const maxAddress = 20;

function addresses(from: string | null, to: string | null) {
  const source = senderAddress(from ?? '', defaultAddressForms);
  const destination = senderAddress(to ?? '', defaultAddressForms);
  return {
    sourceAddrTon: source.ton,
    sourceAddrNpi: source.npi,
    sourceAddr: source.address.slice(0, maxAddress),
    destAddrTon: destination.ton,
    destAddrNpi: destination.npi,
    destinationAddr: destination.address.slice(0, maxAddress),
  };
}
