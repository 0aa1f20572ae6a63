/**
 * Reads what a carrier reports, in a call of its own or in its answer to a poll: receipts, and SMS from phones. What takes long
 * to read is bounded, so that a call costs in proportion to its length.
 */
import { digitsOf, failingStatuses } from '../../wire/smpp/receipt.ts';
import type { IncomingSms, Receipt, UnreadableReceipt } from '../carrier.ts';
import type { Reading } from './reading.ts';
import type { IncomingSettings, ReceiptSettings } from './settings.ts';

/** A call with more items is refused as a whole. */
export const maxItems = 1_000;
/** Longer ids are no ids, and longer senders no senders. */
const maxIdLength = 200;
const maxAddressLength = 40;
const maxCodeLength = 100;
const maxShownLength = 1_000;

/** Status codes by their names (API: Message status). */
const statusCodes = { SENT: 1, DELIVERED: 2, ACCEPTED: 7, UNKNOWN: 12, ...failingStatuses } as const;

/** Names of states that say nothing about a failure, so that no code of one counts. */
const unfailed: ReadonlySet<keyof typeof statusCodes> = new Set(['SENT', 'DELIVERED', 'ACCEPTED']);

/** The items of a report; undefined if there are more than `most`, or if there is no list where one should be. */
export function itemsOf(
  { each, only }: Pick<ReceiptSettings | IncomingSettings, 'each' | 'only'>,
  report: Reading,
  most: number,
): readonly Reading[] | undefined {
  const items = report.each(each);
  if (items === undefined || items.length > most) return undefined;
  return only === undefined ? items : items.filter((item) => only.is.includes(item.at(only.at) ?? ''));
}

export type ReadReceipt =
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'unreadable'; readonly receipt: UnreadableReceipt }
  /** Neither says which message it is about nor what became of it. */
  | { readonly kind: 'nothing'; readonly receipt: UnreadableReceipt };

type ReceiptPlaces = Pick<ReceiptSettings, 'id' | 'state' | 'states' | 'error' | 'errors' | 'recipient'>;

/** `askedFor` is the carrier's id of the message that the carrier was asked about. */
export function readReceipt(settings: ReceiptPlaces, item: Reading, askedFor?: string): ReadReceipt {
  const { states, errors = {} } = settings;
  const carrierMessageId = askedFor ?? present(item.at(settings.id), maxIdLength);
  const state = present(item.at(settings.state), maxCodeLength);
  const to = settings.recipient === undefined ? undefined : item.at(settings.recipient);
  const recipient = to === undefined || to.length > maxAddressLength ? undefined : digitsOf(to);
  if (carrierMessageId === undefined || state === undefined || !Object.hasOwn(states, state)) {
    const isNothing = state === undefined && (askedFor !== undefined || carrierMessageId === undefined);
    return {
      kind: isNothing ? 'nothing' : 'unreadable',
      receipt: {
        text: shownOf(settings, item).slice(0, maxShownLength),
        ...(carrierMessageId !== undefined && { carrierMessageId }),
        ...(recipient !== undefined && { recipient }),
      },
    };
  }
  const name = states[state] as keyof typeof statusCodes;
  const written = settings.error === undefined ? undefined : present(item.at(settings.error), maxCodeLength);
  const errorCode = written === undefined || unfailed.has(name) ? null : written;
  const meant =
    errorCode !== null && Object.hasOwn(errors, errorCode)
      ? (errors[errorCode] as keyof typeof failingStatuses)
      : undefined;
  return {
    kind: 'receipt',
    receipt: {
      carrierMessageId,
      recipient,
      status: statusCodes[meant ?? name],
      errorCode,
      // The rest of what the carrier sent may hold the text of the SMS.
      text: written === undefined ? state : `${state} ${written}`,
    },
  };
}

/** The rest of what the carrier sent may hold the text of the SMS, which not everybody who sees receipts may read. */
function shownOf({ id, state, error, recipient }: ReceiptPlaces, item: Reading): string {
  const places = Object.entries({ id, state, error, recipient });
  return JSON.stringify(
    Object.fromEntries(
      places.map(([name, place]) => [name, place === undefined ? undefined : item.at(place)]),
    ),
  );
}

export interface ReadSms {
  /** The carrier's id of the SMS. */
  readonly id: string | undefined;
  readonly sms: IncomingSms;
}

/** Undefined if the sender or the text is missing. An SMS whose recipient is missing belongs to nobody yet. */
export function readIncoming(settings: IncomingSettings, item: Reading): ReadSms | undefined {
  const sender = present(item.at(settings.from), maxAddressLength);
  const text = item.at(settings.text);
  const recipient = item.at(settings.to) ?? '';
  if (sender === undefined || text === undefined || recipient.length > maxAddressLength) return undefined;
  const concatenation = concatenationOf(settings, item);
  return {
    id: settings.id === undefined ? undefined : present(item.at(settings.id), maxIdLength),
    sms: { sender, recipient, text, ...(concatenation !== undefined && { concatenation }) },
  };
}

function concatenationOf({ concatenation }: IncomingSettings, item: Reading): IncomingSms['concatenation'] {
  if (concatenation === undefined) return undefined;
  const [reference, part, parts] = [concatenation.reference, concatenation.part, concatenation.parts].map(
    (place) => numberIn(item.at(place)),
  );
  return reference === undefined || part === undefined || parts === undefined
    ? undefined
    : { reference, part, parts };
}

/** References have 16 bits at most (3GPP TS 23.040, section 9.2.3.24.8). */
function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= 0xffff ? Number(text) : undefined;
}

function present(text: string | undefined, maxLength: number): string | undefined {
  return text === undefined || text === '' || text.length > maxLength ? undefined : text;
}
