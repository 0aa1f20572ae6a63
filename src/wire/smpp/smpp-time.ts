/** Times in SMPP's format, YYMMDDhhmmsstnnp, absolute and relative (SMPP 3.4 7.1.1). */

/** The form that an SMSC understands. Some mistake one for the other. */
export type ValidityForm = 'relative' | 'absolute' | 'none';

/** Empty means the SMSC's own validity. Times are milliseconds since the epoch. */
export function validityPeriod(form: ValidityForm, expiresAt: number, now: number): string {
  switch (form) {
    case 'none':
      return '';
    case 'absolute':
      return absoluteTime(expiresAt);
    case 'relative':
      return relativeTime(expiresAt - now);
  }
}

/** In UTC, written `00+`, so an offset of 15 quarters of an hour in either direction can't matter. */
export function absoluteTime(time: number): string {
  // 2026-11-21T09:30:00.500Z
  const digits = new Date(time).toISOString().replace(/\D/g, '');
  return `${digits.slice(2, 15)}00+`;
}

/**
 * Uses days and smaller units, because a month or a year from now is not the same everywhere. Fractions of a second are
 * dropped so that nothing outlives its time. The minimum is one second, because zero would mean the SMSC's own validity.
 */
export function relativeTime(durationMs: number): string {
  const seconds = Math.min(Math.max(1, Math.floor(durationMs / 1000)), maxRelativeSeconds);
  const days = Math.floor(seconds / secondsPerDay);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `0000${twoDigits(days)}${twoDigits(hours)}${twoDigits(minutes)}${twoDigits(seconds % 60)}000R`;
}

const secondsPerDay = 86_400;
/** The maximum that the day field may hold. No message lives that long. */
const maxRelativeSeconds = 31 * secondsPerDay;

const writtenTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/;
const quarterMs = 15 * 60_000;
const secondsPerMonth = 30 * secondsPerDay;
const secondsPerYear = 365 * secondsPerDay;

/** A time that a client wrote, in milliseconds since the epoch. Undefined if the text is no time. */
export function parseSmppTime(text: string, now: number): number | undefined {
  const found = writtenTime.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, tenth = 0, quarters = 0] = found
    .slice(1, 9)
    .map(Number);
  const secondOfDay = hour * 3600 + minute * 60 + second;
  if (found[9] === 'R')
    return now + (year * secondsPerYear + month * secondsPerMonth + day * secondsPerDay + secondOfDay) * 1000;
  const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && secondOfDay < secondsPerDay;
  if (!isTime || hour > 23 || minute > 59 || second > 59 || quarters > 48) return undefined;
  const local = Date.UTC(2000 + year, month - 1, day, hour, minute, second, tenth * 100);
  return local - (found[9] === '+' ? quarters : -quarters) * quarterMs;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
