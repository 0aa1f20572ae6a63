/** Times and days as people write them in each language, in the user's time zone. */
import { serverTime } from '../browser/clock.ts';
import { language } from './language.ts';

/** The 24-hour clock for everyone, as in the rest of the service. */
export const locale = { en: 'en-GB', sv: 'sv-SE' }[language];

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, made);
  return made;
}

const clock = { hour: '2-digit', minute: '2-digit' } as const;

export function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}

/** The user's time zone, by its IANA name. */
export const timeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The current time by the server's clock. */
export const now = () => new Date(serverTime());

/** The time of day, with the day if it was not today. For another year, only the date, with the year. */
export function shortTime(at: Date, seenAt = now()): string {
  if (isSameDay(at, seenAt)) return format(clock).format(at);
  if (at.getFullYear() === seenAt.getFullYear())
    return format({ day: 'numeric', month: 'short', ...clock }).format(at);
  return format({ dateStyle: 'medium' }).format(at);
}

export function timeOfDay(at: Date): string {
  return format(clock).format(at);
}

/** The day of the week, the date and the time, of something to come. */
export function comingTime(at: Date): string {
  const year = at.getFullYear() === now().getFullYear() ? {} : ({ year: 'numeric' } as const);
  return format({ weekday: 'short', day: 'numeric', month: 'short', ...year, ...clock }).format(at);
}

/** The date, and the time to the second. */
export function fullTime(at: Date): string {
  return format({ dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

export function dayName(at: Date): string {
  return format({ weekday: 'long', day: 'numeric', month: 'long' }).format(at);
}

/** A time as carriers, logs and other offices write it: `2026-11-23 13:05:22 UTC`. */
export function utcTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Converts the value of a date-time field, which is in the browser's time zone, to UTC. Undefined if it is empty. */
export function timeOf(at: string): string | undefined {
  const time = new Date(at);
  return at === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
