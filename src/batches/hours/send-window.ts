/**
 * Whether a company's send hours are open at a given time, and until when that holds (API: Batch status, code 15). This
 * module is separate from that of the hours because the time library loads slowly and is slow at first, so the store's
 * threads do without it.
 */
import { Temporal } from 'temporal-polyfill';
import { storedReason } from '../../foundation/sentences.ts';
import { isKnownZone } from '../../wire/time-zone.ts';
import type { SendHours } from './send-hours.ts';

/** The state that applies to a batch sent now. */
export type SendWindow =
  | { readonly kind: 'open'; readonly until: number }
  /** Closed; it opens at that time. */
  | { readonly kind: 'opensAt'; readonly at: number; readonly reason: string }
  /** Closed until then; batches that arrive earlier are dropped. */
  | { readonly kind: 'drop'; readonly until: number; readonly reason: string }
  /** This node does not know the zone, but another may, so nothing is sent or dropped until the next check. */
  | { readonly kind: 'unknown'; readonly until: number; readonly reason: string };

const askAgainMs = 60_000;

export function sendWindow(sendHours: SendHours, now: number): SendWindow {
  try {
    return knownWindow(sendHours, now);
  } catch (error) {
    const reason = `the send hours of the company cannot be determined in the zone ${sendHours.zone}: ${(error as Error).message}`;
    return { kind: 'unknown', until: now + askAgainMs, reason };
  }
}

/**
 * Tests the name by evaluating send hours in it, because Intl knows names such as PST that the time library refuses. Offsets
 * such as +02:00 are not zones, because they have no daylight saving time.
 */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text) || !isKnownZone(text)) return false;
  return sendWindow({ from: '07:00', to: '21:00', zone: text, batch: 'delay' }, 0).kind !== 'unknown';
}

function knownWindow(sendHours: SendHours, now: number): SendWindow {
  const { from, to, zone, batch } = sendHours;
  const moment = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  const until = nextChange(sendHours, moment);
  if (isOpen(sendHours, moment)) return { kind: 'open', until };
  const reason = storedReason({ sentence: 'outside_hours', from, to, zone });
  return batch === 'delay' ? { kind: 'opensAt', at: until, reason } : { kind: 'drop', until, reason };
}

/**
 * The first evaluation takes about 45 ms, most of it for loading the engine's zone data. Call this where nothing waits for
 * the thread.
 */
export function loadTimeZones(): void {
  sendWindow({ from: '07:00', to: '21:00', zone: 'Europe/Stockholm', batch: 'delay' }, 0);
}

const dayMs = 24 * 60 * 60 * 1_000;

function isOpen({ from, to }: SendHours, moment: Temporal.ZonedDateTime): boolean {
  const shown = shownMs(moment);
  const [opens, closes] = [msOfDay(from), msOfDay(to)];
  return opens < closes ? opens <= shown && shown < closes : opens <= shown || shown < closes;
}

/**
 * When a closed window opens or an open one closes. Between two clock changes time runs evenly, so this happens exactly when
 * the clocks show the window's time.
 */
function nextChange(sendHours: SendHours, from: Temporal.ZonedDateTime): number {
  const isOpenNow = isOpen(sendHours, from);
  const awaited = msOfDay(isOpenNow ? sendHours.to : sendHours.from);
  let moment = from;
  for (;;) {
    const shownAt = moment.epochMilliseconds + ((awaited - shownMs(moment) + dayMs) % dayMs);
    const change = moment.getTimeZoneTransition('next');
    if (change === null || change === undefined || change.epochMilliseconds > shownAt) return shownAt;
    if (isOpen(sendHours, change) !== isOpenNow) return change.epochMilliseconds;
    moment = change;
  }
}

/** The local time in milliseconds after 00:00. */
function shownMs({ hour, minute, second, millisecond }: Temporal.ZonedDateTime): number {
  return ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond;
}

function msOfDay(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return (hours * 60 + minutes) * 60_000;
}
