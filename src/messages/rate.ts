/**
 * Rate limits of users and companies: SMS parts per minute and per day (UTC), counted in their rows when messages are
 * accepted. The minute limit applies to calls and e-mails; a batch, which is one call and is sent over hours, is limited only
 * by the day. Without a daily limit, the limit of 1,440 minutes applies.
 */
import { dailyLimit } from '../accounts/sending-limits.ts';

export interface RateRow {
  readonly parts_per_minute: number | null;
  readonly parts_per_day: number | null;
  /** The minute, since the epoch, in which `minute_parts` were counted. */
  minute_counted: number | null;
  minute_parts: number;
  /** The day, since the epoch, in which the day's parts were counted. */
  day_counted: number | null;
  day_parts: number;
}

export type SentBy = 'call' | 'batch';
export type Span = 'minute' | 'day';

/** Which limit is exceeded, and when to try again. */
export interface OverRate {
  /** `never` means that there are more parts than the whole period allows. */
  readonly kind: 'now' | 'never';
  readonly span: Span;
  /** SMS parts per period. */
  readonly limit: number;
  /** How many of these parts are left. */
  readonly left: number;
  /** When the next period begins. */
  readonly retryAt: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Clocks of nodes differ and get set: parts counted in a period that has yet to begin continue to be counted there,
 * since two nodes would otherwise restart it in turn. A count further ahead than this came from a wrong clock, and
 * nobody should wait for a period years away.
 */
const aheadOf = { minute: 5, day: 1 } as const;

export function isRateLimited(row: RateRow): boolean {
  return row.parts_per_minute !== null || row.parts_per_day !== null;
}

/** The limits that additional parts would exceed. */
export function overRate(row: RateRow, parts: number, now: number, by: SentBy): readonly OverRate[] {
  return spansFor(by).flatMap((span) => {
    const limit = limitOf(row, span);
    if (limit === undefined) return [];
    const { at, used } = countedIn(row, span, now);
    const left = Math.max(0, limit - used);
    if (parts <= left) return [];
    return { kind: parts > limit ? 'never' : 'now', span, limit, left, retryAt: (at + 1) * lengthMs[span] };
  });
}

/** A limit, what is left of it, and when it begins again. */
export type RateLeft = Pick<OverRate, 'span' | 'limit' | 'left' | 'retryAt'>;

/** The limits of an account and its company: for each period the one with less left. */
export function rateLeft(rows: readonly RateRow[], now: number): readonly RateLeft[] {
  return spansFor('call').flatMap((span) => {
    const limits = rows.flatMap((row): RateLeft[] => {
      const limit = limitOf(row, span);
      if (limit === undefined) return [];
      const { at, used } = countedIn(row, span, now);
      return [{ span, limit, left: Math.max(0, limit - used), retryAt: (at + 1) * lengthMs[span] }];
    });
    return limits.sort((a, b) => a.left - b.left).slice(0, 1);
  });
}

/**
 * The same as header fields of the IETF's draft "RateLimit header fields for HTTP". Their unit is named, since it is requests
 * otherwise.
 */
export function rateHeaders(limits: readonly RateLeft[], now: number): Readonly<Record<string, string>> {
  const policies = limits.map(
    ({ span, limit }) => `"parts-per-${span}";q=${limit};qu="sms-parts";w=${lengthMs[span] / 1_000}`,
  );
  const states = limits.map(
    ({ span, left, retryAt }) => `"parts-per-${span}";r=${left};t=${secondsUntil(retryAt, now)}`,
  );
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1_000));
}

/** How many parts are left in each period that has a limit. */
export function leftOf(row: RateRow, now: number): Readonly<Partial<Record<Span, number>>> {
  const left: Partial<Record<Span, number>> = {};
  for (const span of spansFor('call')) {
    const limit = limitOf(row, span);
    if (limit !== undefined) left[span] = Math.max(0, limit - countedIn(row, span, now).used);
  }
  return left;
}

export function countParts(row: RateRow, parts: number, now: number, by: SentBy): void {
  const minute = countedIn(row, 'minute', now);
  const day = countedIn(row, 'day', now);
  row.minute_counted = minute.at;
  row.minute_parts = minute.used + (by === 'call' ? parts : 0);
  row.day_counted = day.at;
  row.day_parts = day.used + parts;
}

const lengthMs = { minute: minuteMs, day: dayMs } as const;

function spansFor(by: SentBy): readonly Span[] {
  return by === 'batch' ? ['day'] : ['minute', 'day'];
}

function limitOf({ parts_per_minute: perMinute, parts_per_day: perDay }: RateRow, span: Span) {
  if (span === 'minute') return perMinute ?? undefined;
  return dailyLimit({ partsPerMinute: perMinute ?? undefined, partsPerDay: perDay ?? undefined });
}

/** The minute or day that counts now, and how much of it is used. */
function countedIn(row: RateRow, span: Span, now: number): { readonly at: number; readonly used: number } {
  const current = Math.floor(now / lengthMs[span]);
  const [counted, used] =
    span === 'minute' ? [row.minute_counted, row.minute_parts] : [row.day_counted, row.day_parts];
  const isCurrent = counted !== null && counted >= current && counted <= current + aheadOf[span];
  return isCurrent ? { at: counted, used } : { at: current, used: 0 };
}
