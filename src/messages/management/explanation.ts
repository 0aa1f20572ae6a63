/**
 * Defines what is explained about a message in plain sentences in each language: the cases, and what each sentence is
 * made of.
 */
import type { Reason } from '../../foundation/sentences.ts';

export interface Explanation {
  readonly why: string;
  /** Absent when nothing needs to be done. */
  readonly todo?: string;
}

export interface Facts {
  readonly carrier: string;
  /** The carrier's reason, if it gave one, in parentheses after a space. */
  readonly because: string;
  /** ISO 8601, UTC; null when there is no such time. */
  readonly dueAt: string | null;
  readonly expiresAt: string;
}

export type MessageCase =
  | 'scheduled'
  | 'waiting'
  | 'inFlight'
  | 'held'
  | 'paused'
  | 'retrying'
  | 'sent'
  | 'accepted'
  | 'delivered'
  | 'simulated'
  | 'deleted'
  | 'canceled'
  | 'expiredUntaken'
  | 'expiredUnreported'
  | 'expiredUnreached'
  | 'rejected'
  | 'undeliverable'
  | 'absent'
  | 'unknownSubscriber'
  | 'invalidDestination'
  | 'subscriberError'
  | 'unknown'
  | 'inDoubt'
  | 'error';

/** The meanings of a receipt's fields. */
export interface ReceiptWords {
  readonly fields: Readonly<Record<string, string>>;
  /** The meaning of each state, by its word. */
  readonly states: Readonly<Record<string, string>>;
  readonly noError: string;
  /** Used when the carrier's table has a meaning for the code. */
  readonly errorMeans: (status: string) => string;
  readonly errorUnknown: string;
  /** The day and minute as written by the carrier, in whatever time zone it uses. */
  readonly time: (written: string) => string;
  readonly networks: Readonly<Record<number, string>>;
  readonly networkError: (network: string, code: number) => string;
}

export interface ExplanationWords {
  readonly carrierCode: (code: string) => string;
  /** Translated when the reason is a sentence of the server. */
  readonly reason: (reason: Reason) => string;
  readonly messages: Readonly<Record<MessageCase, (facts: Facts) => Explanation>>;
  readonly receipts: ReceiptWords;
}
