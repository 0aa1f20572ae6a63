/**
 * The messages between the event loop that delivers and the thread of SMPP carriers. They are plain data: a part has a
 * slot in a table of the event loop, by which its outcome is reported; a receipt has what its ids are derived from.
 */
import type { MessagePort } from 'node:worker_threads';
import type { CarrierStatus, IncomingSms, Outcome, OutgoingPart, UnreadableReceipt } from '../../carrier.ts';
import type { SmppReceipt } from '../carrier/reception.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier for the thread to run, and the port to reach it by. */
export interface CarrierOpening {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  readonly instance: string;
  /** The memory of the node's lease. */
  readonly lease: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** To the thread: a carrier to run, or that there are none left. */
export type ThreadOrder = CarrierOpening | 'leave';

/** To a carrier. */
export type CarrierOrder =
  | {
      readonly kind: 'go on';
      readonly parts: readonly SlottedPart[];
      readonly storeResults: readonly StoreResult[];
    }
  | { readonly kind: 'stop'; readonly deadlineMs: number };

/** Whether an item was stored. */
export interface StoreResult {
  readonly id: number;
  readonly isStored: boolean;
}

export interface SlottedPart extends OutgoingPart {
  readonly slot: number;
}

/** From a carrier: what happened since the last report. Outcomes come before receipts, as they do from the SMSC. */
export interface CarrierReport {
  readonly outcomes: { readonly slots: readonly number[]; readonly outcomes: readonly Outcome[] };
  readonly toStore: readonly StoreRequest[];
  readonly status: CarrierStatus | undefined;
  /** Nothing comes after this report. */
  readonly hasStopped: boolean;
}

/** An item to be stored, and answered by a `StoreResult`. */
export interface StoreRequest {
  readonly id: number;
  readonly what: ItemToStore;
}

export type ItemToStore =
  | { readonly kind: 'receipts'; readonly receipts: readonly TransferableReceipt[] }
  | { readonly kind: 'unreadableReceipt'; readonly receipt: UnreadableReceipt }
  | { readonly kind: 'incoming'; readonly sms: IncomingSms };

/** Functions cannot be sent to another thread; `otherIds` is derived from `writtenIds` there. */
export type TransferableReceipt = Omit<SmppReceipt, 'otherIds'>;
