import { describe, expect, test } from 'vitest';
import { isTimeOfDay } from './send-hours.ts';
import { isTimeZone } from './send-window.ts';

describe('send hours', () => {
  test('[BATCH-5] Send hours accept only valid times of day and known time zones', () => {
    expect(['00:00', '07:30', '23:59'].every(isTimeOfDay)).toBe(true);
    expect(['24:00', '7:30', '07:60', '0730', '07:30:00', '', ' 07:30'].some(isTimeOfDay)).toBe(false);
    expect(['UTC', 'Europe/Stockholm', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
    expect(['', 'Europe', 'Mars/Base', '+02:00', 'UTC+2', '٣'].some(isTimeZone)).toBe(false);
  });

  test.each(['ACT', 'AET', 'IST', 'PST', 'BST', 'JST', 'CTT'])(
    '[BATCH-5] A time zone whose hours cannot be determined counts as unknown, whatever Intl says: %s',
    (zone) => expect(isTimeZone(zone)).toBe(false),
  );

  test('[BATCH-5] Time zones that Intl lists are known', () => {
    const some = Intl.supportedValuesOf('timeZone').filter((_, place) => place % 20 === 0);
    expect(some.filter((zone) => !isTimeZone(zone))).toEqual([]);
  });
});
