/** The message events that the operator's metrics count. */

export interface Observer {
  accepted(messages: number, parts: number): void;
  /** `kind` is as in the carrier port: accepted, retryAt, givenBack, rejected, passOn, inDoubt. */
  outcome(carrier: string, kind: string): void;
  receipts(carrier: string, status: string, count: number): void;
  /** Receipts that belong to no message, after they have waited for one long enough. */
  unmatchedReceipts(carrier: string, count: number): void;
  unreadableReceipt(carrier: string): void;
  incoming(carrier: string, routed: boolean): void;
}
