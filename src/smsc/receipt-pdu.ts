/** Writes the receipt of a message as a deliver_sm (SMPP 3.4, 2.11 and appendix B). */

import { receiptText } from '../wire/smpp/receipt-text.ts';
import type { Tlvs } from '../wire/smpp/tlvs.ts';
import { messageStates, type Stat, type Treatment } from './behaviour.ts';
import type { QueuedDelivery, Submission } from './session.ts';

/** What a receipt tells, whenever it is written. */
export interface ReceiptedMessage {
  readonly id: string;
  readonly from: Pick<Submission, 'sourceAddrTon' | 'sourceAddrNpi' | 'sourceAddr'>;
  readonly to: Pick<Submission, 'destAddrTon' | 'destAddrNpi' | 'destinationAddr'>;
  readonly submittedAt: number;
  readonly text: string;
}

/** The message type in esm_class (SMPP 3.4 5.2.12). */
const messageType = { receipt: 0x04, intermediate: 0x20 } as const;

const good: ReadonlySet<Stat> = new Set(['DELIVRD', 'ACCEPTD', 'ENROUTE']);

export function isGood(stat: Stat): boolean {
  return good.has(stat);
}

export function receiptFields(
  { id, from, to, submittedAt, text }: ReceiptedMessage,
  stat: Stat,
  { err = isGood(stat) ? '000' : '001', receiptForm }: Pick<Treatment, 'err' | 'receiptForm'>,
  kind: keyof typeof messageType,
  now: number,
): QueuedDelivery['fields'] {
  const delivered = stat === 'DELIVRD' ? '001' : '000';
  const words = receiptText({ id, delivered, submittedAt, doneAt: now, stat, err, text: excerpt(text) });
  return {
    // It goes the way back.
    sourceAddrTon: to.destAddrTon,
    sourceAddrNpi: to.destAddrNpi,
    sourceAddr: to.destinationAddr,
    destAddrTon: from.sourceAddrTon,
    destAddrNpi: from.sourceAddrNpi,
    destinationAddr: from.sourceAddr,
    esmClass: messageType[kind],
    shortMessage: Buffer.from(receiptForm === 'tlv' ? '' : words, 'latin1'),
    tlvs: receiptForm === 'text' ? {} : receiptTlvs(id, stat, err),
  };
}

/** network_error_code: the kind of network, 3 for GSM, and two octets of code (SMPP 3.4 5.3.2.31). */
function receiptTlvs(id: string, stat: Stat, err: string): Tlvs {
  const code = /^\d{1,5}$/.test(err) ? Number(err) : 0;
  const network =
    code > 0 && code <= 0xffff ? { networkErrorCode: Buffer.of(3, code >> 8, code & 0xff) } : {};
  return { receiptedMessageId: id, messageState: messageStates[stat], ...network };
}

/** The first 20 characters, in letters that every alphabet has. */
function excerpt(text: string): string {
  return text.slice(0, 20).replace(/[^ -~]/g, '?');
}
