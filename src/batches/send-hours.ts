/** The hours of the day in which a company lets batches be sent (API: Batch status, code 15), by the clock on the wall. */
import { Temporal } from 'temporal-polyfill';

/**
 * Open from `from` until just before `to`, at whatever the clocks of the zone show: a window such as 21:00 to 06:00
 * goes over midnight. When clocks are put forward, the hours left out are no part of the day: a window that would open
 * in them opens as they are passed over, and one that lies within them does not open that day. When clocks are put
 * back, what they show twice counts both times.
 */
export interface SendHours {
  /** As `07:00`. */
  readonly from: string;
  /** Another time than `from`. */
  readonly to: string;
  /** A name of the IANA time zone database. */
  readonly zone: string;
  /** What becomes of a batch that comes at another time. */
  readonly batch: OutsideHours;
}

export type OutsideHours = (typeof outsideHours)[number];

export const outsideHours = ['drop', 'delay'] as const;

/** What a batch finds that would be sent now. */
export type SendWindow =
  | { readonly kind: 'open' }
  /** Closed; it opens at that time. */
  | { readonly kind: 'opensAt'; readonly at: number }
  /** Closed, and what comes then is dropped. */
  | { readonly kind: 'drop'; readonly reason: string };

/** `stored` is the send hours of a company as its row has them; null: it sends at any hour. */
export function sendWindow(stored: string | null, now: number): SendWindow {
  const sendHours = parseSendHours(stored);
  if (sendHours === undefined) return { kind: 'open' };
  const moment = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(sendHours.zone);
  if (isOpen(sendHours, moment)) return { kind: 'open' };
  if (sendHours.batch === 'delay') return { kind: 'opensAt', at: nextOpening(sendHours, moment) };
  const { from, to, zone } = sendHours;
  return { kind: 'drop', reason: `the company sends from ${from} to ${to} (${zone}) only` };
}

export function parseSendHours(stored: string | null): SendHours | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as SendHours);
}

const timePattern = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export function isTimeOfDay(text: string): boolean {
  return timePattern.test(text);
}

/** Offsets such as +02:00 are no zones: they know nothing of summer time. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

const dayMs = 24 * 60 * 60 * 1_000;

function isOpen({ from, to }: SendHours, moment: Temporal.ZonedDateTime): boolean {
  const shown = shownMs(moment);
  const [opens, closes] = [msOfDay(from), msOfDay(to)];
  return opens < closes ? opens <= shown && shown < closes : opens <= shown || shown < closes;
}

/** Clocks run evenly between two changes: there a window that is closed opens when they show `from`, and not before. */
function nextOpening(sendHours: SendHours, closedAt: Temporal.ZonedDateTime): number {
  let moment = closedAt;
  for (;;) {
    const opening = moment.epochMilliseconds + ((msOfDay(sendHours.from) - shownMs(moment) + dayMs) % dayMs);
    const change = moment.getTimeZoneTransition('next');
    if (change === null || change === undefined || change.epochMilliseconds > opening) return opening;
    if (isOpen(sendHours, change)) return change.epochMilliseconds;
    moment = change;
  }
}

/** What the clocks show, as milliseconds after 00:00. */
function shownMs({ hour, minute, second, millisecond }: Temporal.ZonedDateTime): number {
  return ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond;
}

function msOfDay(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return (hours * 60 + minutes) * 60_000;
}
