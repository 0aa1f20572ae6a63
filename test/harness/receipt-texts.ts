/** Receipts for parsing tests: a PDU around a text in the format of SMPP 3.4, appendix B. */
import { type ReceiptPdu, readReceipt, receiptErrors } from '../../src/wire/smpp/receipt.ts';

const receiptBit = 0x04;
export const whole =
  'id:0123456789 sub:001 dlvrd:001 submit date:2611210910 done date:2611210911 stat:DELIVRD err:000 Text:Hello';

export function pdu(text: string | Uint8Array, changes: Partial<ReceiptPdu> = {}): ReceiptPdu {
  return {
    esmClass: receiptBit,
    dataCoding: 0,
    sourceAddr: '46701740605',
    destinationAddr: 'Carillon',
    shortMessage: typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
    ...changes,
  };
}

export const read = (text: string | Uint8Array, changes: Partial<ReceiptPdu> = {}) =>
  readReceipt(pdu(text, changes));

export const noErrors = receiptErrors({});
