/** What is told of a message in plain sentences, in each language: the cases, and what a sentence is made of. */
import type { Reason } from '../../foundation/sentences.ts';

/** The languages in which people are told. */
export const languages = ['en', 'sv'] as const;
export type Language = (typeof languages)[number];

export interface Explanation {
  readonly why: string;
  /** Absent: nothing need be done. */
  readonly todo?: string;
}

export interface Facts {
  readonly carrier: string;
  /** What a carrier told, in parentheses behind a space, where it did. */
  readonly because: string;
  /** ISO 8601, UTC; null: there is no such time. */
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
  | 'expiredUntold'
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

/** What the fields of a receipt mean. */
export interface ReceiptWords {
  readonly fields: Readonly<Record<string, string>>;
  /** What each state means, by the word for it. */
  readonly states: Readonly<Record<string, string>>;
  readonly noError: string;
  /** The carrier's table has a meaning for the code. */
  readonly errorMeans: (status: string) => string;
  readonly errorUnknown: string;
  /** A day and a minute as the carrier writes them, in whatever zone it is. */
  readonly time: (written: string) => string;
  readonly networks: Readonly<Record<number, string>>;
  readonly networkError: (network: string, code: number) => string;
}

export interface ExplanationWords {
  readonly carrierCode: (code: string) => string;
  /** In the language where it is a sentence of the server. */
  readonly reason: (reason: Reason) => string;
  readonly messages: Readonly<Record<MessageCase, (facts: Facts) => Explanation>>;
  readonly receipts: ReceiptWords;
}
