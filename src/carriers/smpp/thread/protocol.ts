/**
 * What crosses between the event loop that serves HTTP and delivers, and the thread of SMPP carriers. It is plain data:
 * a part keeps a slot in a table of the event loop, by which its outcome is told; a receipt, what its ids follow from.
 */
import type { MessagePort } from 'node:worker_threads';
import type { CarrierStatus, IncomingSms, Outcome, OutgoingPart, UnreadableReceipt } from '../../carrier.ts';
import type { SmppReceipt } from '../carrier/reception.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier that the thread is to run, and the port that it is reached by. */
export interface Opening {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  readonly instance: string;
  /** The memory of the node's lease. */
  readonly lease: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** To the thread: a carrier to run, or that there are none any more. */
export type ThreadOrder = Opening | 'leave';

/** To a carrier. */
export type CarrierOrder =
  | { readonly kind: 'go on'; readonly parts: readonly CrossingPart[]; readonly kept: readonly Kept[] }
  | { readonly kind: 'stop'; readonly deadlineMs: number };

/** What became of a thing to be stored. */
export interface Kept {
  readonly id: number;
  readonly isStored: boolean;
}

export interface CrossingPart extends OutgoingPart {
  readonly slot: number;
}

/** From a carrier: what happened in a moment. Outcomes come before receipts, as the SMSC tells them. */
export interface CarrierNews {
  readonly outcomes: { readonly slots: readonly number[]; readonly outcomes: readonly Outcome[] };
  readonly toKeep: readonly ToKeep[];
  readonly status: CarrierStatus | undefined;
  /** Nothing comes after it. */
  readonly hasStopped: boolean;
}

/** To be stored, and to be answered by `kept`. */
export interface ToKeep {
  readonly id: number;
  readonly what: Keepable;
}

export type Keepable =
  | { readonly kind: 'receipts'; readonly receipts: readonly CrossingReceipt[] }
  | { readonly kind: 'unreadableReceipt'; readonly receipt: UnreadableReceipt }
  | { readonly kind: 'incoming'; readonly sms: IncomingSms };

/** A function can't cross: `writtenIds` tell what it would. */
export type CrossingReceipt = Omit<SmppReceipt, 'otherIds'>;
