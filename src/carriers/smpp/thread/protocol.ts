/**
 * The messages between the event loop that delivers and the thread of SMPP carriers. They are plain data: a part has a slot
 * in a table of the event loop, and its outcome is reported by that slot; a receipt carries the data from which its ids
 * are derived.
 */
import type { MessagePort } from 'node:worker_threads';
import { type Packed, Packing } from '../../../foundation/packing.ts';
import type { CarrierStatus, IncomingSms, Outcome, OutgoingPart, UnreadableReceipt } from '../../carrier.ts';
import type { SmppReceipt } from '../carrier/reception.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier for the thread to run, and the port that reaches it. */
export interface CarrierOpening {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  readonly instance: string;
  /** The shared memory of the node's lease. */
  readonly lease: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** An order to the thread: to run a carrier, or to end because none are left. */
export type ThreadOrder = CarrierOpening | 'leave';

export type CarrierOrder =
  | {
      readonly kind: 'go on';
      readonly parts: Packed<SlottedPart>;
      readonly storeResults: readonly StoreResult[];
    }
  | { readonly kind: 'stop'; readonly deadlineMs: number };

export interface StoreResult {
  readonly id: number;
  readonly isStored: boolean;
}

export interface SlottedPart extends OutgoingPart {
  readonly slot: number;
}

/** A carrier's report of everything since the last one. Outcomes come before receipts, as they do from the SMSC. */
export interface CarrierReport {
  readonly outcomes: { readonly slots: readonly number[]; readonly outcomes: Packed<Outcome> };
  readonly toStore: readonly StoreRequest[];
  readonly status: CarrierStatus | undefined;
  /** No report follows this one. */
  readonly hasStopped: boolean;
}

/** An item to be stored, answered by a `StoreResult`. */
export interface StoreRequest {
  readonly id: number;
  readonly what: ItemToStore;
}

export type ItemToStore =
  | { readonly kind: 'receipts'; readonly receipts: Packed<TransferableReceipt> }
  | { readonly kind: 'unreadableReceipt'; readonly receipt: UnreadableReceipt }
  | { readonly kind: 'incoming'; readonly sms: IncomingSms };

/** Functions cannot be sent to another thread; `otherIds` is derived from `writtenIds` there. */
export type TransferableReceipt = Omit<SmppReceipt, 'otherIds'>;

export const slottedParts = new Packing<SlottedPart>(
  'companyId',
  'messageId',
  'part',
  'parts',
  'smsParts',
  'reference',
  'recipient',
  'sender',
  'text',
  'encoding',
  'flash',
  'expiresAt',
  'doubts',
  'slot',
);

/** Those of parts that the SMSC took. */
export const outcomes = new Packing<Outcome>('kind', 'carrierMessageId', 'submittedAt');

export const transferableReceipts = new Packing<TransferableReceipt>(
  'carrierMessageId',
  'submittedId',
  'writtenIds',
  'recipient',
  'status',
  'errorCode',
  'text',
);

const everyMs = 2;

/**
 * Combines messages to another thread, since waking a thread takes as long as handling a dozen parts. After a pause they
 * are sent in the same turn of the event loop, otherwise once every few milliseconds.
 */
export class Outbox {
  readonly #send: () => void;
  #sentAt = Number.NEGATIVE_INFINITY;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Called when there is something to send. */
  add(): void {
    if (this.#immediate !== undefined || this.#timer !== undefined) return;
    const sinceMs = performance.now() - this.#sentAt;
    if (sinceMs >= everyMs) this.#immediate = setImmediate(() => this.flush());
    else this.#timer = setTimeout(() => this.flush(), everyMs - sinceMs);
  }

  /** Sends everything that is pending now. */
  flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#sentAt = performance.now();
    this.#send();
  }
}
