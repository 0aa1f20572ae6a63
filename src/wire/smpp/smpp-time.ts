/** Times as SMPP writes them, YYMMDDhhmmsstnnp, absolute and relative (SMPP 3.4 7.1.1). */

/** Which form an SMSC understands; some take one for the other. */
export type ValidityForm = 'relative' | 'absolute' | 'none';

/** Empty: the SMSC's own validity. Times are milliseconds since the epoch. */
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

/** In UTC, `00+`: 15 quarters of an hour before or behind it are nobody's business. */
export function absoluteTime(time: number): string {
  // 2026-11-21T09:30:00.500Z
  const digits = new Date(time).toISOString().replace(/\D/g, '');
  return `${digits.slice(2, 15)}00+`;
}

/**
 * In days and less, since a month or a year from now is not the same everywhere. A part of a second is left out, so
 * that nothing outlives its time; nothing is left of it: a second, since zero would mean the SMSC's own validity.
 */
export function relativeTime(durationMs: number): string {
  const seconds = Math.min(Math.max(1, Math.floor(durationMs / 1000)), maxRelativeSeconds);
  const days = Math.floor(seconds / secondsPerDay);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  return `0000${twoDigits(days)}${twoDigits(hours)}${twoDigits(minutes)}${twoDigits(seconds % 60)}000R`;
}

const secondsPerDay = 86_400;
/** The days of a month are what the field may hold; no message lives so long. */
const maxRelativeSeconds = 31 * secondsPerDay;

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
