/** What the operator's metrics hear of messages on their way. */

export interface Observer {
  accepted(messages: number, parts: number): void;
  /** `kind` as in the carrier port: accepted, retryAt, givenBack, rejected, passOn, inDoubt. */
  outcome(carrier: string, kind: string): void;
  receipts(carrier: string, status: string, count: number): void;
  /** That belong to no message, now that they have waited for one long enough. */
  unmatchedReceipts(carrier: string, count: number): void;
  unreadableReceipt(carrier: string): void;
  incoming(carrier: string, routed: boolean): void;
}
