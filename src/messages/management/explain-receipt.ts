/** Says what each field of a delivery receipt means (SMPP 3.4 appendix B, and its TLVs). */
import { statesByTlv } from '../../wire/smpp/receipt.ts';
import { receiptFields, stateOf } from '../../wire/smpp/receipt-text.ts';
import type { StatusName } from '../message.ts';
import { isFault } from '../receipts/receipt.ts';
import { explanationWords } from './explain.ts';
import type { Language, ReceiptWords } from './explanation.ts';

export interface ReceiptField {
  /** As the receipt writes it. */
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

/** `status`: what the message, or its part, became by it. */
export function explainReceipt(
  receipt: string,
  status: StatusName | undefined,
  language: Language,
): readonly ReceiptField[] {
  const words = explanationWords[language].receipts;
  const fields = receiptFields(receipt);
  const told = stateOf(new Map(fields).get('stat'));
  return fields.map(([name, value]) => ({ name, value, meaning: meaningOf(name, value) }));

  function meaningOf(name: string, value: string): string {
    switch (name) {
      case 'stat':
        return told === undefined ? '' : (words.states[told] ?? '');
      case 'message_state':
        return words.states[statesByTlv[Number(value)] ?? ''] ?? '';
      case 'err':
        return meaningOfError(value);
      case 'network_error_code':
        return meaningOfNetworkError(words, value);
      case 'submit date':
      case 'done date':
        return [words.fields[name], words.time(readableTime(value))].join(' ');
      default:
        return words.fields[name] ?? '';
    }
  }

  /**
   * Where the status is not that of the state, the carrier's table has given the code its meaning; but what is on its
   * way has none yet.
   */
  function meaningOfError(code: string): string {
    if (!isFault(code)) return words.noError;
    const isUnknown = status === undefined || status === 'SENT' || status === told;
    return isUnknown ? words.errorUnknown : words.errorMeans(status);
  }
}

/** The kind of network, and two octets of code, in hexadecimal digits (SMPP 3.4 5.3.2.31). */
function meaningOfNetworkError(words: ReceiptWords, value: string): string {
  const network = Number.parseInt(value.slice(0, 2), 16);
  const code = Number.parseInt(value.slice(2), 16);
  return words.networkError(words.networks[network] ?? String(network), code);
}

/** YYMMDDhhmm, with seconds or a whole year where the carrier writes them. */
function readableTime(written: string): string {
  const [, year, month, day, hour, minute] =
    /^(20\d\d|\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\d\d)?$/.exec(written) ?? [];
  if (year === undefined) return written;
  return `${year.length === 2 ? `20${year}` : year}-${month}-${day} ${hour}:${minute}`;
}
