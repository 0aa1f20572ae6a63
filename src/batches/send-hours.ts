/** When a company sends: outside its hours a batch waits, or is dropped, as was provisioned. */

export type SendWindow =
  | { readonly kind: 'open' }
  /** Closed; it opens at that time. */
  | { readonly kind: 'opensAt'; readonly at: number }
  /** Closed, and what comes then is dropped. */
  | { readonly kind: 'drop'; readonly reason: string };

/** `sendHours` as the company's row has them; null: it sends at any hour. */
export function sendWindow(_sendHours: string | null, _now: number): SendWindow {
  return { kind: 'open' };
}
