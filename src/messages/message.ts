/**
 * The SMS and its states (API: Message status).
 *
 *   SCHEDULED ──due──▶ QUEUED ──the carrier takes it──▶ SENT ──receipt──▶ DELIVERED │ a failing final status
 *       │                │  │                             ├──receipt──▶ ACCEPTED │ UNKNOWN ──receipt──▶ final
 *       └──cancel──▶     │  └──cancel──▶ DELETED          └──no receipt──▶ EXPIRED ──late receipt──▶ DELIVERED
 *          CANCELED      ├──validity over──▶ EXPIRED
 *                        └──in doubt, given up──▶ UNKNOWN
 *
 * A status that a carrier made final never changes, and nothing ever goes backwards, in whatever order news arrive.
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

/** The code that stands for a status in answers and in the store. */
export const status = Object.fromEntries(statusNames.map((name, code) => [name, code])) as Readonly<
  Record<StatusName, number>
>;

/** Final by the word of a carrier or of a user. */
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

/** What each status may become. */
const next: ReadonlyMap<number, readonly number[]> = new Map([
  [status.SCHEDULED, [status.QUEUED, status.CANCELED]],
  [status.QUEUED, [status.SENT, status.UNKNOWN, ...finals]],
  [status.SENT, [status.ACCEPTED, status.UNKNOWN, ...finals]],
  [status.ACCEPTED, finals],
  [status.UNKNOWN, finals],
]);

export interface State {
  readonly status: number;
  /** EXPIRED by our own timer, which is a guess, not news from a carrier. */
  readonly expiredByTimer: boolean;
}

export function mayBecome(from: State, to: number): boolean {
  if (from.status === status.EXPIRED && from.expiredByTimer) return to === status.DELIVERED;
  return next.get(from.status)?.includes(to) ?? false;
}

export function isFinal(code: number): boolean {
  return code === status.CANCELED || finals.includes(code);
}

/** The same rule for the store: is the change from the row's status to the expression `to` allowed? */
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

/** Where a message waits for its next moment; a message with nothing to wait for has none. */
export const stage = {
  /** For a carrier to have room, the longest due first. No clock decides here, so that none can hold it up. */
  waiting: 0,
  /** For the carrier's answer, at the node that claimed it. */
  inFlight: 1,
  /** For the receipt; overdue from `due_at` on. */
  awaitingReceipt: 2,
  /** For its send time, `due_at`, or as QUEUED for the hours in which its company sends. */
  scheduled: 3,
  /** For another try, from `due_at` on. */
  retrying: 4,
} as const;

/** What a message has to do with the quota: reserved when accepted, due once a carrier may have it, else refunded. */
export const charge = { reserved: 0, due: 1, refunded: 2 } as const;

/** Messages that people wait for go before those of a batch. */
export const lane = { interactive: 0, bulk: 1 } as const;

/** A message without a receipt is given up this long after its validity. */
export const receiptGraceMs = 60 * 60 * 1_000;

/** However long a carrier asks to be left alone: one that is due later than that was put off before the clock was set back. */
export const longestRetryMs = 5 * 60 * 1_000;

/** An id as the API writes it, or undefined when it can't be one of ours: none begins with a zero. */
export function parseMessageId(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** The part states of a multipart message, as one: failing as soon as one fails, DELIVERED when all are. */
export function combineParts(parts: readonly number[]): number {
  const failing = parts.find((part) => isFinal(part) && part !== status.DELIVERED);
  if (failing !== undefined) return failing;
  if (parts.every((part) => part === status.DELIVERED)) return status.DELIVERED;
  const open = parts.filter((part) => part !== status.DELIVERED);
  if (open.includes(status.SENT)) return status.SENT;
  return open.includes(status.UNKNOWN) ? status.UNKNOWN : status.ACCEPTED;
}
