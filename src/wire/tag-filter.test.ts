import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatTagFilter,
  maxFilterParts,
  maxTagLength,
  parseTagFilter,
  readTagFilter,
  reasonAgainstTag,
  type TagFilter,
} from './tag-filter.ts';

const tag = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => reasonAgainstTag(text) === undefined);
const filters: fc.Arbitrary<TagFilter> = fc.array(
  fc.record({ tagType: tag, tagValues: fc.uniqueArray(tag, { minLength: 1, maxLength: 8 }) }),
  { minLength: 1, maxLength: maxFilterParts },
);

const asJson = (filter: TagFilter) =>
  filter.map(({ tagType, tagValues }) => ({ tagtype: tagType, tagvalues: tagValues }));

const sentence = (result: ReturnType<typeof parseTagFilter>) => (result.ok ? 'no fault' : result.error);

describe('tag filters', () => {
  test('[ABOOK-2] Both notations of a tag filter mean the same', () => {
    const filter = [
      { tagType: 'role', tagValues: ['nurse', 'doctor'] },
      { tagType: 'ward', tagValues: ['7'] },
    ];
    expect(parseTagFilter('role:nurse|doctor;ward:7')).toEqual({ ok: true, value: filter });
    expect(readTagFilter(asJson(filter))).toEqual({ ok: true, value: filter });
    expect(formatTagFilter(filter)).toBe('role:nurse|doctor;ward:7');
  });

  test('[ABOOK-2] A tag filter that is written is read again, in both notations', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(parseTagFilter(formatTagFilter(filter))).toEqual({ ok: true, value: filter });
        expect(readTagFilter(asJson(filter))).toEqual({ ok: true, value: filter });
      }),
    );
  });

  test('[ABOOK-2] Any text as a tag filter gives a filter that can be written again, or a sentence about its fault', () => {
    const pieces = fc.array(fc.constantFrom(';', '|', ':', ' ', 'a', 'é', '\0', '\ud800', '🎉'));
    fc.assert(
      fc.property(pieces, (written) => {
        const result = parseTagFilter(written.join(''));
        if (result.ok) expect(parseTagFilter(formatTagFilter(result.value))).toEqual(result);
        else
          expect(result).toMatchObject({ code: 'invalid_tag_filter', error: expect.stringMatching(/\.$/) });
      }),
    );
  });

  test('[ABOOK-2] In a tag filter spaces around tags do not count, letter case does, and a repeated value counts once', () => {
    expect(parseTagFilter(' role : nurse | Nurse|nurse ; ward:7')).toEqual({
      ok: true,
      value: [
        { tagType: 'role', tagValues: ['nurse', 'Nurse'] },
        { tagType: 'ward', tagValues: ['7'] },
      ],
    });
  });

  test.each([
    ['', 'The filter is empty'],
    ['   ', 'The filter is empty'],
    ['role', 'Part 1 at character 1, “role”, has no “:”'],
    ['role:nurse;', 'Part 2 at character 12 is empty'],
    [';role:nurse', 'Part 1 at character 1 is empty'],
    ['role:nurse;;ward:7', 'Part 2 at character 12 is empty'],
    ['role:nurse;ward', 'Part 2 at character 12, “ward”, has no “:”'],
    ['role:nurse:doctor', 'a second “:” at character 11'],
    [':nurse', 'The tag type at character 1 is empty'],
    ['role:', 'The tag value at character 6 is empty'],
    ['role:nurse|', 'The tag value at character 12 is empty'],
    ['role:nurse||doctor', 'The tag value at character 12 is empty'],
    ['ro|le:nurse', 'The tag type at character 1 contains “|”'],
    ['role:nur\u0007se', 'The tag value at character 6 contains a control character'],
    [
      `role:nurse|${'x'.repeat(10_240)}`,
      'The tag value at character 12 has 10240 characters; at most 100 are allowed',
    ],
    [Array(10_000).fill('a:b').join(';'), 'more than 20 parts: the first surplus part is at character 81'],
    [
      `a:${Array(1_001)
        .fill(0)
        .map((_, n) => n)
        .join('|')}`,
      'more than 1000 tag values',
    ],
    ['x'.repeat(1_000_000), 'The filter has 1000000 characters; at most 60000 are allowed'],
    [';'.repeat(50_000), 'Part 1 at character 1 is empty'],
  ])('[ABOOK-2] The tag filter %.40j is refused: %s', (text, reason) => {
    expect(sentence(parseTagFilter(text))).toContain(reason);
  });

  test.each([
    ['a list?', 'must be a list'],
    [[], 'The filter is empty'],
    [[null], '[0] must be an object'],
    [[['role', 'nurse']], '[0] must be an object'],
    [[{ tagvalues: ['nurse'] }], '[0].tagtype must be a string'],
    [[{ tagtype: 'role' }], '[0].tagvalues must be a list'],
    [[{ tagtype: 'role', tagvalues: 'nurse' }], '[0].tagvalues must be a list'],
    [[{ tagtype: 'role', tagvalues: [] }], '[0].tagvalues must be a list of at least one'],
    [[{ tagtype: 'role', tagvalues: ['nurse', 7] }], '[0].tagvalues[1] must be a string'],
    [[{ tagtype: 'role', tagvalues: ['nurse|doctor'] }], '[0].tagvalues[0] contains “|”'],
    [[{ tagtype: 'a;b', tagvalues: ['nurse'] }], '[0].tagtype contains “;”'],
    [[{ tagtype: 'x'.repeat(10_240), tagvalues: ['nurse'] }], '[0].tagtype has 10240 characters'],
    [
      [{ tagtype: 'role', tagvalues: ['nurse'], exclude: true }],
      '[0] has “exclude”, which is not a known field',
    ],
    [
      [{ tagType: 'role', tagvalues: ['nurse'] }],
      '[0] has “tagType”, which is not a known field: did you mean “tagtype”?',
    ],
    [Array(10_000).fill({ tagtype: 'a', tagvalues: ['b'] }), 'more than 20 parts'],
    [[{ tagtype: 'a', tagvalues: Array(1_001).fill('b') }], 'more than 1000 tag values'],
  ])('[ABOOK-2] The JSON tag filter %.40j is refused: %s', (json, reason) => {
    expect(sentence(readTagFilter(json))).toContain(reason);
  });

  test('[ABOOK-2] A tag with a separator or a control character, or that is empty or too long, is refused', () => {
    for (const bad of ['a;b', 'a|b', 'a:b', '', ' a', 'a\n', '\ud800', 'x'.repeat(maxTagLength + 1)])
      expect(reasonAgainstTag(bad)).toHaveProperty('sentence');
    for (const good of ['nurse', '7', 'Åsa 3', 'x'.repeat(maxTagLength), 'a,b', '+46', '日勤'])
      expect(reasonAgainstTag(good)).toBeUndefined();
  });
});
