/** What the server refuses is told in Swedish too: by each code of its catalogue, and in full where people often meet it. */
import { expect, test } from 'vitest';
import { codesInSwedish, faultInSwedish } from '../../portal/src/words/faults-sv.ts';
import { passwordFault } from '../../src/accounts/password.ts';
import { catalogue } from '../../src/foundation/errors.ts';
import { fault, type Result } from '../../src/foundation/result.ts';
import { faultOfText, type LengthBounds } from '../../src/http/parameters/bounds.ts';
import { parseScheduleTime } from '../../src/wire/schedule-time.ts';

test('[PORT-5] each code of the catalogue has its Swedish words, and no other has', () => {
  expect(codesInSwedish.toSorted()).toEqual(Object.keys(catalogue).sort());
  for (const code of codesInSwedish) expect(faultInSwedish(code, '')?.text).toMatch(/^[A-ZÅÄÖ].*\.$/);
});

const now = Date.UTC(2026, 0, 1);
const ofTime = (time: string) => faultOf(parseScheduleTime(time, now));
const faultOf = <Value>(parsed: Result<Value>) => (parsed.ok ? fault('invalid_value', '') : parsed);
const ofName = (text: string, bounds: LengthBounds) =>
  faultOfText(text, bounds) ?? fault('invalid_value', '');

test.each([
  [ofName('abcd', { max: 3 }), 'Högst 3 tecken får plats.'],
  [ofName('abcd', { max: 3, code: 'text_too_long' }), 'Högst 3 tecken får plats.'],
  [ofName('', { min: 1, max: 30 }), 'Det ska vara 1 till 30 tecken.'],
  [fault('invalid_value', `The password ${passwordFault('short')}.`), 'Minst 12 tecken behövs.'],
  [ofTime('2025-12-01T08:00Z'), 'Tiden har redan varit.'],
  [ofTime('2027-12-01T08:00Z'), 'Tiden är mer än 366 dagar bort.'],
  [
    fault('not_found', 'There is no incoming SMS "7" that belongs to nobody.'),
    'SMS:et finns inte utan mottagare längre: någon kan ha hunnit före.',
  ],
])('[PORT-5] a sentence of the server is told in full: %o', ({ code, error }, text) => {
  expect(faultInSwedish(code, error)).toEqual({ text, isBegun: false });
  const ofField = `\`name\` ${error}`;
  if (error.startsWith('must')) expect(faultInSwedish(code, ofField)).toEqual({ text, isBegun: false });
});

test('[PORT-5] a sentence is told as that of its own code alone, whatever a name of the user says', () => {
  const said = 'The company has no filter "texts that must have at most 3 characters".';
  expect(faultInSwedish('unknown_tag_filter', said)).toEqual({
    text: 'Adressboken har inget sparat filter med det namnet.',
    isBegun: true,
  });
});

test('[PORT-5] where the server says more than the code, its sentence stands behind', () => {
  expect(faultInSwedish('invalid_value', '`limit` must be a whole number from 1 to 9.')?.isBegun).toBe(true);
  expect(faultInSwedish('of_a_newer_server', 'It is too new.')).toBeUndefined();
});
