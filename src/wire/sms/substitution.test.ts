import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { compileSubstitution, type Fill, maxTextLength, substituter } from './substitution.ts';

const ample = () => ({ stepsLeft: 50_000_000 });

const fillOf = (text: string, labels: readonly string[]): Fill => compileSubstitution(text, labels).fill;

function substitute(text: string, texts: ReadonlyMap<string, string>): string {
  return fillOf(text, [...texts.keys()])([...texts.values()]);
}

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
  ])('[SEND-6] The text %j filled with %j is %j', (text, texts, result) => {
    expect(substitute(text, new Map(Object.entries(texts)))).toBe(result);
    expect(substituter((labels) => compileSubstitution(text, labels), ample())(texts)).toBe(result);
  });

  test('[SEND-6] The label __proto__ from a JSON body is a label like any other', () => {
    const texts = JSON.parse('{"__proto__":"p"}') as Record<string, string>;
    expect(substituter((labels) => compileSubstitution('a __proto__ b', labels), ample())(texts)).toBe(
      'a p b',
    );
  });

  test('[SEND-6] A text with labels is compiled once, and filled by position for each recipient', () => {
    const fill = fillOf('Hi NAME, at TIME (NAME)', ['NAME', 'TIME', 'UNUSED']);
    expect(fill(['Ann', '9:00', 'x'])).toBe('Hi Ann, at 9:00 (Ann)');
    expect(fill(['TIME', 'NAME'])).toBe('Hi TIME, at NAME (TIME)');
  });

  test('[SEND-6] A missing value for a label is empty, and an excess value is ignored', () => {
    const fill = fillOf('[A][B]', ['A', 'B']);
    expect(fill([])).toBe('[][]');
    expect(fill([undefined, '2'])).toBe('[][2]');
    expect(fill(['1', '2', '3'])).toBe('[1][2]');
  });

  test('[SEND-6] An empty label keeps its position, and of equal labels the first counts', () => {
    expect(fillOf('A B', ['', 'A', 'A', 'B'])(['0', '1', '2', '3'])).toBe('1 3');
  });

  test('[SEND-6] Substitution agrees with one pass of a regular expression, longest label first', () => {
    const alphabet = fc.constantFrom('a', 'b', 'c', '.', '$', '😀');
    const word = (minLength: number, maxLength: number) =>
      fc.array(alphabet, { minLength, maxLength }).map((parts) => parts.join(''));
    const texts = fc.dictionary(word(1, 4), word(0, 6), { minKeys: 1, maxKeys: 6 });
    fc.assert(
      fc.property(word(0, 30), texts, (text, dictionary) => {
        const labels = Object.keys(dictionary).sort((left, right) => right.length - left.length);
        const escaped = labels.map((label) => label.replace(/[.$]/g, '\\$&'));
        const expected = text.replace(new RegExp(escaped.join('|'), 'g'), (label) => dictionary[label] ?? '');
        expect(substitute(text, new Map(Object.entries(dictionary)))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('[SEND-6] No input makes substitution throw, and labels that insert themselves change nothing', () => {
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

  test('[SEND-6] Substitution of thousands of labels in a long text takes time in proportion to them', async () => {
    const fillThousands = (size: number) => {
      const labels = Array.from({ length: 10 * size }, (_, at) => `label${at}`);
      const text = `label${10 * size - 1} label7 `.repeat(size);
      const filled = fillOf(text, labels)(labels.map((_, at) => String(at)));
      expect(filled).toBe(`${10 * size - 1} 7 `.repeat(size));
    };
    await expectLinearTime(fillThousands, { from: 50, times: 10 });
  });

  test('[SEND-6] Substitution takes time in proportion to the labels, even if they nearly match everywhere in a long text', async () => {
    const text = 'a'.repeat(maxTextLength);
    // Comparing each position with each label, unit by unit, would take time quadratic in their number.
    const fillWith = (count: number) => {
      const labels = Array.from({ length: count }, (_, at) => `${'a'.repeat(at + 1)}b`);
      expect(fillOf(text, labels)([])).toBe(text);
    };
    await expectLinearTime(fillWith, { from: 20, times: 10 });
  });

  test('[SEND-6] A text that grows beyond every bound is not filled further', () => {
    const fill = fillOf('a'.repeat(10_000), ['a']);
    expect(fill(['1234567'])).toHaveLength(70_000);
    expect(fill(['x'.repeat(1_000_000)])).toHaveLength(1_000_000);
    const long = fill(['12345678']).length;
    expect(long).toBeGreaterThan(maxTextLength);
    expect(fill(['1234567890'.repeat(10)]).length).toBeLessThan(maxTextLength + 101);
  });

  describe('for the recipients of a call', () => {
    test('[SEND-6] A text is compiled once for each list of labels, in whatever order recipients come', () => {
      let compiled = 0;
      const of = substituter((labels) => {
        compiled += 1;
        return compileSubstitution('a b', labels);
      }, ample());
      for (let round = 0; round < 100; round += 1) {
        expect(of({ a: `${round}`, b: 'y' })).toBe(`${round} y`);
        expect(of({ b: `${round}` })).toBe(`a ${round}`);
        expect(of({ 'a","b': 'z' })).toBe('a b');
      }
      expect(compiled).toBe(3);
    });

    test('[SEND-6] 30,000 recipients, each with its own labels and a text of five parts, are served', () => {
      const text = `Dear NAME, ${'your appointment '.repeat(43)}`;
      const of = substituter((labels) => compileSubstitution(text, labels), ample());
      for (let at = 0; at < 30_000; at += 1) {
        const filled = of({ NAME: 'Ann', [`own label ${at}`]: 'x' });
        if (filled?.length !== text.length - 1) throw new Error(`${at}: ${filled}`);
      }
    });

    test.each<[what: string, text: string, label: string, value: string]>([
      ['long texts', 'x'.repeat(39_000), 'y', 'z'],
      ['many labels', 'y'.repeat(39_000), 'y', ''],
    ])(
      '[SEND-6] Thousands of recipients with %s are soon found to be more than one call may take',
      (_, text, label, value) => {
        const of = substituter((labels) => compileSubstitution(text, labels), ample());
        let served = 0;
        while (served < 30_000 && of({ [label]: value }) !== undefined) served += 1;
        expect(served).toBeGreaterThan(300);
        expect(served).toBeLessThan(2_000);
      },
    );

    test('[SEND-6] Recipients with a long text and other labels for each are soon found to be more than one call may take', () => {
      const labels = Array.from({ length: 99 }, (_, at) => `${'a'.repeat(at + 1)}b`);
      const of = substituter((own) => compileSubstitution('a'.repeat(39_000), own), ample());
      let served = 0;
      const texts = Object.fromEntries(labels.map((label) => [label, '']));
      while (served < 30_000 && of({ ...texts, [`a${served}`]: '' }) !== undefined) served += 1;
      expect(served).toBeLessThan(100);
    });
  });
});
