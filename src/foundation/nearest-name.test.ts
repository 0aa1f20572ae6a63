import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = [
  'to',
  'T',
  'M',
  'message',
  'scheduletime',
  'validminutes',
  'conversation',
  'limit',
  'TPID',
  'holder1',
  'line',
];

test.each([
  ['schedule_time', 'scheduletime'],
  ['scheduleTime', 'scheduletime'],
  ['sheduletime', 'scheduletime'],
  ['schedueltiem', 'scheduletime'],
  ['Schedule-Time', 'scheduletime'],
  ['messages', 'message'],
  ['mesage', 'message'],
  ['tpid', 'TPID'],
  ['t', 'T'],
  ['limti', 'limit'],
])('[CONV-7] For the unknown name %s, the name %s is suggested', (given, meant) => {
  expect(nearestName(given, known)).toBe(meant);
});

test.each([
  'x',
  'mm',
  '_',
  '_t',
  '',
  'schedule',
  'time',
  'sent',
  'convers',
  'validhours',
  'a'.repeat(65),
  'holder6',
  'line2',
])('[CONV-7] For the unknown name %s, no name is suggested', (given) => {
  expect(nearestName(given, known)).toBeUndefined();
});

test('[CONV-7] Of several names the nearest is suggested, and an exact match takes precedence', () => {
  expect(nearestName('contacts', ['contact', 'contacts'])).toBe('contacts');
  expect(nearestName('sendtime', ['sentdate', 'sendtimes'])).toBe('sendtimes');
  const name = fc.stringMatching(/^[a-z]{4,20}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.nat(), (names, index) => {
      const meant = names[index % names.length] ?? '';
      expect(nearestName(meant.toUpperCase(), names)).toBe(meant);
    }),
  );
});
