/** Moments and days as people of a language write them, in the zone of whoever reads. */
import { serverTime } from '../browser/clock.ts';
import { type Language, languageNow } from './language.ts';

/** 24 hours for all, as the rest of the service. */
const localeOf: Readonly<Record<Language, string>> = { en: 'en-GB', sv: 'sv-SE' };

const formats = new Map<string, Intl.DateTimeFormat>();

function format(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(localeOf[language], options);
  formats.set(key, made);
  return made;
}

const clock = { hour: '2-digit', minute: '2-digit' } as const;

export function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}

/** Now, by the server's clock. */
export const now = () => new Date(serverTime());

/** The time of day where it was today, with the day where it was not, with the year where it is another. */
export function shortTime(at: Date, seenAt = now(), language = languageNow()): string {
  if (isSameDay(at, seenAt)) return format(language, clock).format(at);
  if (at.getFullYear() === seenAt.getFullYear())
    return format(language, { day: 'numeric', month: 'short', ...clock }).format(at);
  return format(language, { dateStyle: 'medium' }).format(at);
}

export function timeOfDay(at: Date, language = languageNow()): string {
  return format(language, clock).format(at);
}

/** To the second, with the day. */
export function fullTime(at: Date, language = languageNow()): string {
  return format(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

export function dayName(at: Date, language = languageNow()): string {
  return format(language, { weekday: 'long', day: 'numeric', month: 'long' }).format(at);
}

/** As carriers, logs and other offices write it: `2026-11-23 13:05:22 UTC`. */
export function utcTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
