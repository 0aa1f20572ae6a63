/** How an operator, and the program itself, may have a refused submission end. */

/** Final statuses that a refused submission can end in (API: Message status). */
export const refusalStatuses = {
  REJECTED: 5,
  UNDELIVERABLE: 6,
  UNKNOWNSUBSCRIBER: 9,
  INVALIDDESTINATION: 10,
  SUBSCRIBERERROR: 11,
  ERROR: 13,
} as const;
