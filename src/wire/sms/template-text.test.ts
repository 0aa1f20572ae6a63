import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../../test/harness/linear-time.ts';
import { compileTemplate, parseTemplate, substituter } from './substitution.ts';

describe('the grammar of templates', () => {
  test.each<[text: string, literals: readonly string[], placeholders: readonly string[]]>([
    ['', [''], []],
    ['no brackets', ['no brackets'], []],
    ['Dear {Text:customer}!', ['Dear ', '!'], ['customer']],
    ['{Text:a}{DateTime:b}', ['', '', ''], ['a', 'b']],
    ['{Text:customer:Name of the customer}', ['', ''], ['customer']],
    ['{Text:a:with: colons, é and 😀}', ['', ''], ['a']],
    ['{Text:a:}', ['', ''], ['a']],
    ['{Text: a }', ['', ''], [' a ']],
    ['{Text:two words\nand lines}', ['', ''], ['two words\nand lines']],
    ['{Text:{Text:a}}', ['{Text:', '}'], ['a']],
    ['{{Text:a}}', ['{', '}'], ['a']],
    ['{Text:a{b}', ['{Text:a{b}'], []],
    ['{Text:}', ['{Text:}'], []],
    ['{Text::description}', ['{Text::description}'], []],
    ['{Text}', ['{Text}'], []],
    ['{text:a} {TEXT:a} { Text:a} {Text :a}', ['{text:a} {TEXT:a} { Text:a} {Text :a}'], []],
    ['{DateTime:}', ['{DateTime:}'], []],
    ['{DateTime:a:b}', ['{DateTime:a:b}'], []],
    ['{Contact:name} {User:name} {}', ['{Contact:name} {User:name} {}'], []],
    ['{Text:a', ['{Text:a'], []],
    ['Text:a}', ['Text:a}'], []],
  ])('[SEND-7] The template %j is divided into texts and placeholders', (text, literals, placeholders) => {
    expect(parseTemplate(text)).toEqual({ literals, placeholders });
  });

  test.each<[what: string, text: (size: number) => string]>([
    ['open brackets', (size) => '{Text:a'.repeat(size)],
    ['colons behind one', (size) => `{Text:${'a:'.repeat(2 * size)}`],
  ])('[SEND-7] A template made of %s is read in a time proportional to its length', async (_, text) => {
    const read = (size: number) => expect(parseTemplate(text(size)).placeholders).toEqual([]);
    await expectLinearTime(read, { from: 20_000, times: 10 });
  });
});

function fill(
  text: string,
  texts: Readonly<Record<string, string>>,
  onlyPlaceholders = false,
): string | undefined {
  const template = parseTemplate(text);
  return substituter((labels) => compileTemplate(template, labels, onlyPlaceholders), { stepsLeft: 1_000 })(
    texts,
  );
}

describe('filling a template', () => {
  test.each<[text: string, texts: Record<string, string>, both: string, only: string]>([
    ['Dear {Text:customer}', { customer: 'Ann' }, 'Dear Ann', 'Dear Ann'],
    ['Our customer {Text:customer}', { customer: 'Ann' }, 'Our Ann Ann', 'Our customer Ann'],
    ['{Text:a:b} {DateTime:a}', { a: '1', b: '2' }, '1 1', '1 1'],
    ['At {DateTime:when}.', {}, 'At .', 'At .'],
    ['{Text:a}', { A: '1', b: '2' }, '', ''],
    ['{Text:a}', { a: '' }, '', ''],
    ['{Text:a}b', { a: 'b', b: 'a' }, 'ba', 'bb'],
    ['{Text:a}', { a: '{Text:a}' }, '{Text:a}', '{Text:a}'],
    ['x{Text:y}z', { xyz: '1', 'x{': '2', Text: '3', '}': '4' }, 'xz', 'xz'],
    ['{Text:a}', { '{Text:a}': 'whole' }, '', ''],
    ['{Text:ab} ab a', { a: '1', ab: '2' }, '2 2 1', '2 ab a'],
    ['{Text:}{text:a} a', { a: '1' }, '{Text:}{text:1} 1', '{Text:}{text:a} a'],
    ['{Text:.*} .*', { '.*': '$&' }, '$& $&', '$& .*'],
    ['{Text:😀}', { '😀': 'smile', '\ud83d': 'half' }, 'smile', 'smile'],
    ['{Text:__proto__}{Text:constructor}', {}, '', ''],
    ['{Text:constructor}', { constructor: 'c' } as unknown as Record<string, string>, 'c', 'c'],
  ])(
    '[SEND-6] [SEND-7] %j with %j is %j, or %j when only placeholders are filled',
    (text, texts, both, only) => {
      expect(fill(text, texts)).toBe(both);
      expect(fill(text, texts, true)).toBe(only);
    },
  );

  test('[SEND-6] A template is filled for recipients with the same labels, with other labels, and with the same number of other labels', () => {
    const template = parseTemplate('{Text:a} b c');
    let compiled = 0;
    const of = substituter(
      (labels) => {
        compiled += 1;
        return compileTemplate(template, labels, false);
      },
      { stepsLeft: 1_000 },
    );
    expect(of({ a: '1', b: '2' })).toBe('1 2 c');
    expect(of({ a: '3', b: '4' })).toBe('3 4 c');
    expect(compiled).toBe(1);
    expect(of({ b: '5', a: '6' })).toBe('6 5 c');
    expect(of({ a: '7', c: '8' })).toBe('7 b 8');
    expect(of({})).toBe(' b c');
    expect(of({ a: '9', b: '' })).toBe('9  c');
  });

  const alphabet = fc.constantFrom(
    'a',
    'b',
    '.',
    '$',
    ':',
    '{',
    '}',
    '😀',
    '\ud83d',
    'Text',
    '{Text:a}',
    '{DateTime:b:}',
  );
  const token = fc.constantFrom(
    '{Text:',
    '{DateTime:',
    '{Text:ab}',
    '{Text:b:a}',
    '{DateTime:a}',
    '{Text:$.}',
  );
  const text = fc.array(fc.oneof(alphabet, token), { maxLength: 20 }).map((parts) => parts.join(''));
  const word = fc.array(alphabet, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const texts = fc.dictionary(word, text, { maxKeys: 6 });

  test('[SEND-6] [SEND-7] Filling a template agrees with a walk from character to character', () => {
    fc.assert(
      fc.property(text, texts, fc.boolean(), (template, dictionary, onlyPlaceholders) => {
        expect(fill(template, dictionary, onlyPlaceholders)).toBe(
          walk(template, dictionary, onlyPlaceholders),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Applies the rules literally, without regard for speed. */
function walk(template: string, texts: Readonly<Record<string, string>>, onlyPlaceholders: boolean): string {
  const labels = Object.keys(texts).sort((left, right) => right.length - left.length);
  let filled = '';
  let at = 0;
  while (at < template.length) {
    const placeholder = placeholderAt(template, at);
    if (placeholder !== undefined) {
      filled += Object.hasOwn(texts, placeholder.label) ? texts[placeholder.label] : '';
      at += placeholder.length;
      continue;
    }
    const here = at;
    const label = labels.find((each) => template.startsWith(each, here) && !meetsPlaceholder(here, each));
    if (onlyPlaceholders || label === undefined) filled += template[at++];
    else {
      filled += texts[label];
      at += label.length;
    }
  }
  return filled;

  function meetsPlaceholder(from: number, label: string): boolean {
    return [...Array(label.length).keys()].some((step) => placeholderAt(template, from + step) !== undefined);
  }
}

function placeholderAt(template: string, at: number): { label: string; length: number } | undefined {
  const end = template.indexOf('}', at);
  const inner = template.slice(at + 1, end);
  if (template[at] !== '{' || end < 0 || inner.includes('{')) return undefined;
  const [kind, label = '', ...description] = inner.split(':');
  const isOne = kind === 'Text' || (kind === 'DateTime' && description.length === 0);
  return isOne && label !== '' ? { label, length: end + 1 - at } : undefined;
}
