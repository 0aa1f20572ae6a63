/** A call from a carrier that reports over HTTP, and what it is answered. */

/** What a call reports: what became of messages, or SMS from phones. */
export const callKinds = ['receipts', 'incoming'] as const;

export type CallKind = (typeof callKinds)[number];

export interface CarrierCall {
  readonly method: string;
  /** The full address as the carrier knows it, with the query as received. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** Empty if the call does not state it. */
  readonly contentType: string;
  /** Undefined also for a header that occurs more than once. */
  readonly header: (name: string) => string | undefined;
  /** The address that the call came from. */
  readonly address: string;
}

export type CallAnswer =
  /** What the call reported is stored, or shown to the operator. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly type: string;
      readonly body: string;
      /** SMS in the call that could not be read. The operator is told, since the carrier could only repeat them. */
      readonly unread: number;
    }
  /** The call does not prove that it comes from the carrier; nothing was changed. */
  | { readonly kind: 'forged'; readonly why: ForgedBy }
  /** Nothing in the call could be read; nothing was changed. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** The carrier reports nothing of this kind by calls. */
  | { readonly kind: 'notTaken' };

/** The proof that a forged call lacks. */
export type ForgedBy = 'signature' | 'network';
