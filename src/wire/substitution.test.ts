import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSubstitution, substitute } from './substitution.ts';

describe('substitution', () => {
  test.each<[text: string, texts: Record<string, string>, result: string]>([
    ['Hello NAME!', { NAME: 'Ann' }, 'Hello Ann!'],
    ['NAME NAME', { NAME: 'Ann' }, 'Ann Ann'],
    ['surNAMEs', { NAME: 'x' }, 'surxs'],
    ['name', { NAME: 'x' }, 'name'],
    ['abcd', { ab: '1', abc: '2' }, '2d'],
    ['abcd', { abc: '2', ab: '1' }, '2d'],
    ['abab', { aba: '1', b: '2' }, '12'],
    ['a b', { a: 'b', b: 'a' }, 'b a'],
    ['aa', { a: 'aa' }, 'aaaa'],
    ['x', { x: '' }, ''],
    ['no label', {}, 'no label'],
    ['text', { '': 'never' }, 'text'],
    ['a.c abc', { 'a.c': 'X' }, 'X abc'],
    ['(x)* [y] $& \\', { '(x)*': '$&', '[y]': '$1', '\\': '\\\\' }, '$& $1 $& \\\\'],
    ['1', { '1': 'one', '10': 'ten' }, 'one'],
    ['\u00e5 a\u030a', { '\u00e5': 'o' }, 'o a\u030a'],
    ['😀!', { '😀': 'smile' }, 'smile!'],
    ['', { a: 'b' }, ''],
    ['{Text:abc} abc', { abc: '1' }, '{Text:1} 1'],
    ['constructor toString', {}, 'constructor toString'],
    ['constructor', { constructor: 'c' } as unknown as Record<string, string>, 'c'],
  ])('[SEND-6] %j with %j is %j', (text, texts, result) => {
    expect(substitute(text, texts)).toBe(result);
    expect(substitute(text, new Map(Object.entries(texts)))).toBe(result);
  });

  test('[SEND-6] __proto__ from a JSON body is a label like any other', () => {
    const texts = JSON.parse('{"__proto__":"p"}') as Record<string, string>;
    expect(substitute('a __proto__ b', texts)).toBe('a p b');
  });

  test('[SEND-6] compiled once, filled by position for each recipient', () => {
    const fill = compileSubstitution('Hi NAME, at TIME (NAME)', ['NAME', 'TIME', 'UNUSED']);
    expect(fill(['Ann', '9:00', 'x'])).toBe('Hi Ann, at 9:00 (Ann)');
    expect(fill(['TIME', 'NAME'])).toBe('Hi TIME, at NAME (TIME)');
  });

  test('[SEND-6] a missing value is empty, an excess one is ignored', () => {
    const fill = compileSubstitution('[A][B]', ['A', 'B']);
    expect(fill([])).toBe('[][]');
    expect(fill([undefined, '2'])).toBe('[][2]');
    expect(fill(['1', '2', '3'])).toBe('[1][2]');
  });

  test('[SEND-6] an empty label keeps its position, of equal labels the first counts', () => {
    expect(compileSubstitution('A B', ['', 'A', 'A', 'B'])(['0', '1', '2', '3'])).toBe('1 3');
  });

  test('[SEND-6] agrees with one pass of a regular expression, longest label first', () => {
    const alphabet = fc.constantFrom('a', 'b', 'c', '.', '$', '😀');
    const word = (minLength: number, maxLength: number) =>
      fc.array(alphabet, { minLength, maxLength }).map((parts) => parts.join(''));
    const texts = fc.dictionary(word(1, 4), word(0, 6), { minKeys: 1, maxKeys: 6 });
    fc.assert(
      fc.property(word(0, 30), texts, (text, dictionary) => {
        const labels = Object.keys(dictionary).sort((left, right) => right.length - left.length);
        const escaped = labels.map((label) => label.replace(/[.$]/g, '\\$&'));
        const expected = text.replace(new RegExp(escaped.join('|'), 'g'), (label) => dictionary[label] ?? '');
        expect(substitute(text, dictionary)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('[SEND-6] nothing makes it throw; labels that put themselves in change nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string({ unit: 'binary', maxLength: 3 })),
        (text, labels) => {
          expect(substitute(text, new Map(labels.map((label) => [label, label])))).toBe(text);
        },
      ),
    );
  });

  test('[SEND-6] thousands of labels and a long text are no burden', () => {
    const labels = Array.from({ length: 20_000 }, (_, at) => `label${at}`);
    const text = 'label19999 label7 '.repeat(2_000);
    const start = performance.now();
    const filled = compileSubstitution(text, labels)(labels.map((_, at) => String(at)));
    expect(filled).toBe('19999 7 '.repeat(2_000));
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
