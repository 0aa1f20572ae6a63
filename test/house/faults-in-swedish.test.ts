/**
 * Every refusal of the server is available in Swedish: by the sentences of its dictionary, otherwise by the codes of its
 * catalogue.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codesInSwedish, faultInSwedish } from '../../portal/src/words/faults-sv.ts';
import { catalogue } from '../../src/foundation/errors.ts';
import { inEnglish, inSwedish, type Sentence, sampleSentences } from '../../src/foundation/sentences.ts';
import { filesBelow, parsedSources, root } from './sources.ts';

test('[PORT-5] Each error code of the catalogue has Swedish words, and no other code has', () => {
  expect(codesInSwedish.toSorted()).toEqual(Object.keys(catalogue).sort());
  for (const code of codesInSwedish) expect(faultInSwedish({ code })?.text).toMatch(/^[A-ZÅÄÖ].*\.$/);
});

describe('each sentence of the dictionary', () => {
  test.each(sampleSentences)('[PORT-5] The sentence $sentence exists in English and in Swedish', (values) => {
    const { sentence, ...given } = values;
    const [english, swedish] = [inEnglish(values), inSwedish(values) ?? ''];
    for (const text of [english, swedish]) expect(text).not.toMatch(/undefined|NaN|\[object|[{}$]/);
    // Whole sentences, or reasons, which are parts of a sentence.
    expect(english).toMatch(/^[A-Z0-9].*\.$|^[a-z].*\S$/);
    expect(swedish).toMatch(/^[A-ZÅÄÖ0-9].*\.$|^[a-zåäö].*[^.\s]$/);
    expect(swedish).not.toBe(english);
    for (const value of Object.values(given).filter((one) => one !== ''))
      expect(english).toContain(String(value));
  });

  test('[PORT-5] Each sentence of the dictionary is used by the server', () => {
    const source = filesBelow('src')
      .filter((path) => !path.endsWith('.test.ts') && path !== 'src/foundation/sentences.ts')
      .map((path) => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    const unused = sampleSentences.filter(({ sentence }) => !source.includes(`'${sentence}'`));
    expect(unused).toEqual([]);
  });
});

test('[PORT-5] A sentence is translated in full, whatever the error code that it comes with', () => {
  const values = { sentence: 'length_between', fewest: 1, most: 30, length: 31 } as const;
  const expected = { text: 'Det ska vara 1 till 30 tecken.', isBegun: false };
  expect(faultInSwedish({ code: 'invalid_value', values })).toEqual(expected);
  expect(faultInSwedish({ code: 'text_too_long', values })).toEqual(expected);
});

test('[PORT-5] A name given by a user is never taken for a sentence of the server', () => {
  const filter = '“must have at most 3 characters”';
  expect(
    faultInSwedish({
      code: 'unknown_tag_filter',
      values: { sentence: 'unknown_filter', filter, known: '' },
    })?.text,
  ).toBe(`Adressboken har inget sparat filter ${filter}. Den har inga.`);
});

test('[PORT-5] Without a sentence that the page knows, the words of the error code are shown, and after them what the server said', () => {
  const byCode = { text: 'Värdet går inte att använda.', isBegun: true };
  expect(faultInSwedish({ code: 'invalid_value' })).toEqual(byCode);
  const newer = [{ sentence: 'of_a_newer_server' }, { sentence: 'length_at_most', longest: 3 }];
  for (const values of newer as unknown as Sentence[])
    expect(faultInSwedish({ code: 'invalid_value', values })).toEqual(byCode);
  expect(faultInSwedish({ code: 'of_a_newer_server' })).toBeUndefined();
});

/** Two words separated by a space, which do not occur in any number, name or id of the portal's own grammars. */
const sentenceLike = /[a-z]{2,}(?: |\\s[+*]?)[a-z]{2,}/i;

test('[PORT-5] The portal matches no sentence of the server by a regular expression', () => {
  expect('^The run \\d+ has ended').toMatch(sentenceLike);
  const sources = parsedSources('portal/src');
  const found = sources.flatMap(({ path, expressions }) =>
    expressions.map(({ line, literal }) => ({ where: `${path}:${line}`, source: literal?.source })),
  );
  expect(found.length).toBeGreaterThan(20);
  const saying = found.filter(({ source }) => source === undefined || sentenceLike.test(source));
  expect(saying.map(({ where }) => where)).toEqual([]);
  // The portal does not match on the text of an error either.
  const asking =
    /\b(?:error|message|said|reason)\)?\.(?:match|matchAll|search)\(|\.(?:exec|test)\((?:\w+\.)?(?:error|said|reason)\)/;
  const asked = sources.filter(({ text }) => asking.test(text)).map(({ path }) => path);
  expect(asked).toEqual([]);
});
