import { describe, expect, test } from 'vitest';
import { isTimeOfDay, isTimeZone } from './send-hours.ts';

describe('send hours', () => {
  test('[BATCH-5] are given by times and zones that are known', () => {
    expect(['00:00', '07:30', '23:59'].every(isTimeOfDay)).toBe(true);
    expect(['24:00', '7:30', '07:60', '0730', '07:30:00', '', ' 07:30'].some(isTimeOfDay)).toBe(false);
    expect(['UTC', 'Europe/Stockholm', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
    expect(['', 'Europe', 'Mars/Base', '+02:00', 'UTC+2', '٣'].some(isTimeZone)).toBe(false);
  });
});
