import { expect, test } from 'vitest';
import { entityTag, isMatch, parseIfMatch } from './if-match.ts';

test.each<[header: string, versions: readonly string[] | undefined]>([
  ['"3"', ['3']],
  ['*', undefined],
  ['"3","4" ,\t"5"', ['3', '4', '5']],
  [', "3",, "4" ,', ['3', '4']],
  ['""', ['']],
  ['"a,b;\\*"', ['a,b;\\*']],
  ['W/"3", "4"', ['4']],
  ['W/"3"', []],
])('[PORT-4] The header If-Match: %s is read as RFC 9110 says', (header, versions) => {
  expect(parseIfMatch(header)).toEqual({ ok: true, value: versions });
});

test.each(['', '3', '"3', '3"', '"3" "4"', '"3";"4"', 'w/"3"', 'W/3', '*, "3"', '"3", *', '"a b"', '"3" x'])(
  '[PORT-4] The header If-Match: %s is refused as malformed',
  (header) => {
    expect(parseIfMatch(header)).toMatchObject({ ok: false, code: 'invalid_value' });
  },
);

test('[PORT-4] If-Match without versions matches any version, a list matches the versions in it, and an empty list matches none', () => {
  expect([isMatch(undefined, '3'), isMatch(['2', '3'], '3'), isMatch(['2'], '3'), isMatch([], '3')]).toEqual([
    ...[true, true, false, false],
  ]);
  expect(parseIfMatch(entityTag('3'))).toEqual({ ok: true, value: ['3'] });
});
