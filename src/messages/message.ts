/**
 * The SMS and its states (API: Message status).
 *
 *   SCHEDULED ──due──▶ QUEUED ──the carrier takes it──▶ SENT ──receipt──▶ DELIVERED │ a failing final status
 *       │                │  │                             ├──receipt──▶ ACCEPTED │ UNKNOWN ──receipt──▶ final
 *       └──cancel──▶     │  └──cancel──▶ DELETED          └──no receipt──▶ EXPIRED ──late receipt──▶ DELIVERED
 *          CANCELED      ├──validity over──▶ EXPIRED
 *                        └──in doubt, given up──▶ UNKNOWN
 *
 * A status that a carrier made final never changes, and nothing ever goes backwards, in whatever order reports arrive.
 */

export const statusNames = [
  'QUEUED',
  'SENT',
  'DELIVERED',
  'DELETED',
  'EXPIRED',
  'REJECTED',
  'UNDELIVERABLE',
  'ACCEPTED',
  'ABSENTSUBSCRIBER',
  'UNKNOWNSUBSCRIBER',
  'INVALIDDESTINATION',
  'SUBSCRIBERERROR',
  'UNKNOWN',
  'ERROR',
  'SCHEDULED',
  'CANCELED',
] as const;

export type StatusName = (typeof statusNames)[number];

/** The code of each status in answers and in the store. */
export const status = Object.fromEntries(statusNames.map((name, code) => [name, code])) as Readonly<
  Record<StatusName, number>
>;

/** Final because a carrier reported it or a user caused it. */
const finals = [
  status.DELIVERED,
  status.DELETED,
  status.EXPIRED,
  status.REJECTED,
  status.UNDELIVERABLE,
  status.ABSENTSUBSCRIBER,
  status.UNKNOWNSUBSCRIBER,
  status.INVALIDDESTINATION,
  status.SUBSCRIBERERROR,
  status.ERROR,
];

/** The statuses that each status may change to. */
const next: ReadonlyMap<number, readonly number[]> = new Map([
  [status.SCHEDULED, [status.QUEUED, status.CANCELED]],
  [status.QUEUED, [status.SENT, status.UNKNOWN, ...finals]],
  [status.SENT, [status.ACCEPTED, status.UNKNOWN, ...finals]],
  [status.ACCEPTED, finals],
  [status.UNKNOWN, finals],
]);

export interface MessageState {
  readonly status: number;
  /** Whether EXPIRED was set by our own timer: a guess rather than a report from the carrier. */
  readonly expiredByTimer: boolean;
}

export function mayBecome(from: MessageState, to: number): boolean {
  if (from.status === status.EXPIRED && from.expiredByTimer) return to === status.DELIVERED;
  return next.get(from.status)?.includes(to) ?? false;
}

export function isFinal(code: number): boolean {
  return code === status.CANCELED || finals.includes(code);
}

/** The same rule in SQL: whether a row's status may change to the expression `to`. */
export function mayBecomeSql(table: string, to: string): string {
  const cases = statusNames.map((_, code) => {
    const from = statusNames
      .map((_, other) => other)
      .filter((other) => mayBecome({ status: other, expiredByTimer: false }, code));
    const late =
      code === status.DELIVERED
        ? ` OR (${table}.status = ${status.EXPIRED} AND ${table}.expired_by_timer = 1)`
        : '';
    return from.length === 0 ? '' : `WHEN ${code} THEN ${table}.status IN (${from.join(', ')})${late} `;
  });
  return `CASE ${to} ${cases.join('')}ELSE 1 = 0 END`;
}

/** The event that a message waits for; null when it waits for nothing. */
export const stage = {
  /** For room at a carrier; the message that has been due longest goes first. No clock is involved, so no clock can delay it. */
  waiting: 0,
  /** For the carrier's response, at the node that claimed it. */
  inFlight: 1,
  /** For the receipt; overdue from `due_at` on. */
  awaitingReceipt: 2,
  /** For its send time, `due_at`, or, if QUEUED, for its company's send hours. */
  scheduled: 3,
  /** For a retry, from `due_at` on. */
  retrying: 4,
  /** For its paused batch to be resumed. */
  paused: 5,
} as const;

/**
 * The quota state of a message: reserved when accepted, due once a carrier may have the message, otherwise refunded.
 */
export const charge = { reserved: 0, due: 1, refunded: 2 } as const;

/** Messages that people are waiting for go before those of a batch. */
export const lane = { interactive: 0, bulk: 1 } as const;

/** A message without a receipt is given up this long after its validity ends. */
export const receiptGraceMs = 60 * 60 * 1_000;

/** The longest retry pause. A message due later than this was postponed before the clock was set back. */
export const maxRetryMs = 5 * 60 * 1_000;

/** Parses an API id; undefined when it cannot be one of ours (none begins with a zero). */
export function parseMessageId(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Combines the part statuses of a multipart message: failed as soon as one part fails, DELIVERED when all parts are. */
export function combineParts(parts: readonly number[]): number {
  const failing = parts.find((part) => isFinal(part) && part !== status.DELIVERED);
  if (failing !== undefined) return failing;
  if (parts.every((part) => part === status.DELIVERED)) return status.DELIVERED;
  const open = parts.filter((part) => part !== status.DELIVERED);
  if (open.includes(status.SENT)) return status.SENT;
  return open.includes(status.UNKNOWN) ? status.UNKNOWN : status.ACCEPTED;
}
