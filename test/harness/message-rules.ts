/** The API contract's status rules, written out by hand to compare with the product's. */

/** The codes from API: Message status. */
export const statusCode = {
  QUEUED: 0,
  SENT: 1,
  DELIVERED: 2,
  DELETED: 3,
  EXPIRED: 4,
  REJECTED: 5,
  UNDELIVERABLE: 6,
  ACCEPTED: 7,
  ABSENTSUBSCRIBER: 8,
  UNKNOWNSUBSCRIBER: 9,
  INVALIDDESTINATION: 10,
  SUBSCRIBERERROR: 11,
  UNKNOWN: 12,
  ERROR: 13,
  SCHEDULED: 14,
  CANCELED: 15,
} as const;

export function nameOf(code: number): string {
  return Object.entries(statusCode).find(([, value]) => value === code)?.[0] ?? `no status ${code}`;
}

export const finals: readonly number[] = [2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 15];

/**
 * The allowed transitions of each status, by code. Statuses not listed never change, except that EXPIRED set by our own timer
 * may still become DELIVERED.
 */
const turns: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13],
  1: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  7: [2, 3, 4, 5, 6, 8, 9, 10, 11, 13],
  12: [2, 3, 4, 5, 6, 8, 9, 10, 11, 13],
  14: [0, 15],
};

export function mayTurn(from: number, to: number): boolean {
  return turns[from]?.includes(to) ?? false;
}

/**
 * DELIVERED if all parts are; failed as soon as one part has failed for good; otherwise open while any part is open.
 */
export function combined(parts: readonly number[]): number {
  const failed = parts.find((part) => part !== statusCode.DELIVERED && finals.includes(part));
  if (failed !== undefined) return failed;
  for (const open of [statusCode.SENT, statusCode.UNKNOWN, statusCode.ACCEPTED]) {
    if (parts.includes(open)) return open;
  }
  return statusCode.DELIVERED;
}

export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly status: 5 | 6 | 9 | 10 | 11 | 13 }
  | { readonly kind: 'retryAt'; readonly time: number }
  | { readonly kind: 'givenBack' }
  | { readonly kind: 'inDoubt' };

/** A receipt: the part, by the carrier's name for it, and its status. */
export interface ModelReceipt {
  readonly id: string;
  readonly status: number;
}
