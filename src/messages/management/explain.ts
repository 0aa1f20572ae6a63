/**
 * Explains in plain sentences why a message is where it is, what can be done about it, and what each field of a receipt
 * means.
 */

import type { Language } from '../../foundation/language.ts';
import { readReason } from '../../foundation/sentences.ts';
import { statesByTlv } from '../../wire/smpp/receipt.ts';
import { receiptFields, stateOf } from '../../wire/smpp/receipt-text.ts';
import { type StatusName, stage, statusNames } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect.ts';
import { isFault } from '../receipts/receipt.ts';
import { errorCodeOf } from '../receipts/store.ts';
import type { Explanation, ExplanationWords, MessageCase, ReceiptWords } from './explanation.ts';
import { english } from './explanation-en.ts';
import { swedish } from './explanation-sv.ts';

type ExplainedMessage = Pick<
  InspectedMessage,
  | 'status'
  | 'stage'
  | 'dueAt'
  | 'expiresAt'
  | 'expiredByTimer'
  | 'reason'
  | 'carrier'
  | 'simulated'
  | 'inDoubt'
> & { readonly taken: { readonly length: number } };

const explanationWords: Readonly<Record<Language, ExplanationWords>> = { en: english, sv: swedish };

const iso = (time: number) => new Date(time).toISOString();

export function explain(message: ExplainedMessage, language: Language = 'en'): Explanation {
  const { carrier, reason, dueAt, expiresAt } = message;
  const words = explanationWords[language];
  const code = errorCodeOf(reason);
  const described = code === null ? reason && words.reason(readReason(reason)) : words.carrierCode(code);
  const because = described === null ? '' : ` (${described})`;
  const facts = {
    carrier,
    because,
    dueAt: dueAt === null ? null : iso(dueAt),
    expiresAt: iso(expiresAt),
  };
  return words.messages[caseOf(message)](facts);
}

function caseOf(message: ExplainedMessage): MessageCase {
  const name = statusNames[message.status] as StatusName;
  if (name === 'QUEUED') return queuedCases.get(message.stage) ?? 'waiting';
  if (name === 'EXPIRED') return expiredCase(message);
  if (name === 'DELIVERED' && message.simulated === 1) return 'simulated';
  if (name === 'UNKNOWN') return message.inDoubt > 0 ? 'inDoubt' : 'unknown';
  return plainCases[name];
}

const queuedCases: ReadonlyMap<number | null, MessageCase> = new Map([
  [stage.inFlight, 'inFlight'],
  [stage.scheduled, 'held'],
  [stage.paused, 'paused'],
  [stage.retrying, 'retrying'],
]);

const plainCases: Readonly<Record<Exclude<StatusName, 'QUEUED' | 'EXPIRED' | 'UNKNOWN'>, MessageCase>> = {
  SCHEDULED: 'scheduled',
  SENT: 'sent',
  ACCEPTED: 'accepted',
  DELIVERED: 'delivered',
  DELETED: 'deleted',
  CANCELED: 'canceled',
  REJECTED: 'rejected',
  UNDELIVERABLE: 'undeliverable',
  ABSENTSUBSCRIBER: 'absent',
  UNKNOWNSUBSCRIBER: 'unknownSubscriber',
  INVALIDDESTINATION: 'invalidDestination',
  SUBSCRIBERERROR: 'subscriberError',
  ERROR: 'error',
};

function expiredCase({ taken, expiredByTimer }: ExplainedMessage): MessageCase {
  if (taken.length === 0) return 'expiredUntaken';
  return expiredByTimer === 1 ? 'expiredUnreported' : 'expiredUnreached';
}

interface ReceiptField {
  /** Spelled as in the receipt. */
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

/**
 * Explains the fields listed in SMPP 3.4 appendix B, and its TLVs. `status` is what the message or the part became
 * through the receipt.
 */
export function explainReceipt(
  receipt: string,
  status: StatusName | undefined,
  language: Language,
): readonly ReceiptField[] {
  const words = explanationWords[language].receipts;
  const fields = receiptFields(receipt);
  const reported = stateOf(new Map(fields).get('stat'));
  return fields.map(([name, value]) => ({ name, value, meaning: meaningOf(name, value) }));

  function meaningOf(name: string, value: string): string {
    switch (name) {
      case 'stat':
        return reported === undefined ? '' : (words.states[reported] ?? '');
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
   * If the status differs from the reported state, it comes from the meaning that the carrier's table gives the code. A
   * message under way has no such status yet.
   */
  function meaningOfError(code: string): string {
    if (!isFault(code)) return words.noError;
    const isUnknown = status === undefined || status === 'SENT' || status === reported;
    return isUnknown ? words.errorUnknown : words.errorMeans(status);
  }
}

/** The network type, and two octets of error code, in hexadecimal digits (SMPP 3.4 5.3.2.31). */
function meaningOfNetworkError(words: ReceiptWords, value: string): string {
  const network = Number.parseInt(value.slice(0, 2), 16);
  const code = Number.parseInt(value.slice(2), 16);
  return words.networkError(words.networks[network] ?? String(network), code);
}

/** YYMMDDhhmm; some carriers add seconds or write the full year. */
function readableTime(written: string): string {
  const [, year, month, day, hour, minute] =
    /^(20\d\d|\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\d\d)?$/.exec(written) ?? [];
  if (year === undefined) return written;
  return `${year.length === 2 ? `20${year}` : year}-${month}-${day} ${hour}:${minute}`;
}
