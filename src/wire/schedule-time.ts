/** Parses the time at which a message is to be sent (API: /send, `scheduletime`). */

import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';

const toleratedPastMs = 60_000;
const maxAheadDays = 366;
const dayMs = 86_400_000;

/** Returns milliseconds since the epoch, never before `nowMs`: a time that has only just passed counts as now. */
export function parseScheduleTime(text: string, nowMs: number): Result<number> {
  const time = parseTime(text);
  if (!time.ok) return time;
  if (time.value < nowMs - toleratedPastMs) {
    return invalid({ sentence: 'time_past', time: quoted(text), now: instant(nowMs) });
  }
  if (time.value > nowMs + maxAheadDays * dayMs) {
    const latest = instant(nowMs + maxAheadDays * dayMs);
    return invalid({ sentence: 'time_far_ahead', time: quoted(text), days: maxAheadDays, latest });
  }
  return success(Math.max(time.value, nowMs));
}

/** Date, `T`, hours and minutes, then optional seconds with an optional fraction, then the zone. */
const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Accepts any real time in one of the forms and returns milliseconds since the epoch. Finer precision is cut off. */
export function parseTime(text: string): Result<number> {
  const match = form.exec(text);
  if (match === null) return malformed(text);
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(part) as Civil;
  const unreal = unrealPart(year, month, day, hour, minute, second);
  if (unreal !== undefined) return invalid({ sentence: 'time_part', time: quoted(text), ...unreal });
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (offsetHour > 23 || offsetMinute > 59) {
    return invalid({ sentence: 'time_offset', time: quoted(text) });
  }
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  // Date.UTC is not used, because it takes the years 0 to 99 for 1900 to 1999.
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, millisecond);
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000;
  return success(local.getTime() - (match[8] === '-' ? -offsetMs : offsetMs));
}

type Civil = [year: number, month: number, day: number, hour: number, minute: number, second: number];

interface UnrealPart {
  readonly part: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

function unrealPart(...[year, month, day, hour, minute, second]: Civil): UnrealPart | undefined {
  const parts: readonly UnrealPart[] = [
    { part: 'month', value: month, from: 1, to: 12 },
    { part: 'day', value: day, from: 1, to: daysInMonth(year, month) },
    { part: 'hour', value: hour, from: 0, to: 23 },
    { part: 'minute', value: minute, from: 0, to: 59 },
    // A leap second can't be represented in milliseconds since the epoch.
    { part: 'second', value: second, from: 0, to: 59 },
  ];
  return parts.find(({ value, from, to }) => value < from || value > to);
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function malformed(text: string): Fault {
  if (form.test(text.replace(' ', '+'))) {
    return invalid({ sentence: 'time_space', time: quoted(text) });
  }
  if (form.test(`${text}Z`)) {
    return invalid({ sentence: 'time_without_zone', time: quoted(text) });
  }
  return invalid({ sentence: 'time_form', time: quoted(text) });
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function invalid(said: Sentence): Fault {
  return fault('invalid_time', said);
}
