import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyOf, faultsOf, jsonList, recipientsIn } from '../../../test/harness/batch-bodies.ts';
import { standardMaxLength } from '../../http/parameters/bounds.ts';
import { maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';
import { type GivenRecipient, LineRecipients, maxLineBytes } from './recipient.ts';

const t = '46701740001';
const inJson = (recipient: object) =>
  faultsOf(jsonList(JSON.stringify({ batch: [recipient] }), 65_536)).map(([, error]) => error);
const inLines = (line: string) =>
  faultsOf(new LineRecipients(bodyOf(line, 65_536), 1)).map(([, error]) => error);

describe('the fields of a recipient', () => {
  test.each([
    ['number', 't', standardMaxLength, (long: string) => [{ t: long }, long]],
    ['text', 'm', maxTextLength, (long: string) => [{ t, m: long }, `${t};${long}`]],
    ['conversation', 'i', 100, (long: string) => [{ t, i: long }, `${t};;${long}`]],
    ['substitution', 's', maxTextLength, (long: string) => [{ t, s: [long] }, `${t};;;${long}`]],
  ] as const)(
    '[CONV-12] [BATCH-1] A recipient’s %s has a maximum length, in both forms of a batch',
    (_name, field, most, forms) => {
      const [json, line] = forms('1'.repeat(most)) as [object, string];
      expect([...inJson(json), ...inLines(line)]).toEqual([]);
      const [longJson, longLine] = forms('1'.repeat(most + 1)) as [object, string];
      const rule = `must have at most ${most} characters, but has ${most + 1}.`;
      expect(inJson(longJson)).toEqual([expect.stringContaining(`batch[0].${field}`)]);
      for (const errors of [inJson(longJson), inLines(longLine)])
        expect(errors).toEqual([expect.stringContaining(rule)]);
    },
  );

  test('[CONV-12] [BATCH-1] A recipient has at most as many substitutions as there may be labels', () => {
    expect(inJson({ t, s: Array(maxLabels).fill('x') })).toEqual([]);
    expect(inJson({ t, s: Array(maxLabels + 1).fill('x') })).toEqual([
      expect.stringContaining(`at most ${maxLabels} items`),
    ]);
  });
});

function linesOf(content: string | Buffer, labels = 0, blockBytes = 7): LineRecipients {
  return new LineRecipients(bodyOf(content, blockBytes), labels);
}

function recipients(content: string | Buffer, labels = 0): readonly GivenRecipient[] {
  expect(faultsOf(linesOf(content, labels))).toEqual([]);
  return recipientsIn(linesOf(content, labels));
}

/** The only recipient in a list of one. */
function only(content: string | Buffer, labels = 0): GivenRecipient {
  const found = recipients(content, labels);
  expect(found.length).toBe(1);
  return found[0] as GivenRecipient;
}

function faults(content: string | Buffer, labels = 0) {
  return faultsOf(linesOf(content, labels));
}

const number = '46701740001';

describe('[BATCH-1] a line of the list form', () => {
  test('[BATCH-1] A recipient line may be a number alone, and the last line needs no line break', () => {
    expect(recipients(`${number}\n46701740002\n`).map(({ t }) => t)).toEqual([number, '46701740002']);
    expect(recipients(`${number}\n46701740002`).map(({ t }) => t)).toEqual([number, '46701740002']);
    expect(only(number)).toEqual({ place: 1, t: number, m: undefined, i: undefined, s: [] });
  });

  test('[BATCH-1] A recipient line has number, message, conversation and substitutions in this order, as far as given', () => {
    expect(only(`${number};Hello;c1;Anna;10.30`, 2)).toMatchObject({
      m: 'Hello',
      i: 'c1',
      s: ['Anna', '10.30'],
    });
    expect(only(`${number};;;Anna`, 2)).toMatchObject({ m: undefined, i: undefined, s: ['Anna'] });
    expect(only(`${number};;;;10.30`, 2).s).toEqual(['', '10.30']);
    expect(only(`${number};Hello`, 2)).toMatchObject({ m: 'Hello', s: [] });
  });

  test('[BATCH-1] In a recipient line, `+` is a space and `%2B` a plus sign', () => {
    expect(only(`${number};1+%2B+1;a+b;x+y`, 1)).toMatchObject({ m: '1 + 1', i: 'a b', s: ['x y'] });
  });

  test('[BATCH-1] In a recipient line, `%3B` is a semicolon and `%25` a percent sign, and neither is decoded twice', () => {
    expect(only(`${number};a%3Bb;c%3bd;100%25+e%253B`, 1)).toMatchObject({
      m: 'a;b',
      i: 'c;d',
      s: ['100% e%3B'],
    });
  });

  test('[BATCH-1] In a recipient line, characters beyond ASCII may stand as they are or be percent-encoded', () => {
    expect(only(`${number};Å😀 ½;ö;%C3%A5%F0%9F%98%80`, 1)).toMatchObject({ m: 'Å😀 ½', i: 'ö', s: ['å😀'] });
    expect(only(`${number};%0A%0D%23;%20c%20`)).toMatchObject({ m: '\n\r#', i: ' c ' });
  });

  test('[BATCH-1] In a recipient line, substitutions beyond the labels are ignored, whatever they hold', () => {
    expect(only(`${number};;;a;b;c`, 1).s).toEqual(['a']);
    expect(only(`${number};;;a;%zz;%FF`, 1).s).toEqual(['a']);
    expect(only(`${number};Hello;c;%`).s).toEqual([]);
  });

  test.each(['%', '%4', '%zz', 'a%2', '%C3', '%FF', '%E5', '%ED%A0%80'])(
    '[BATCH-1] A broken escape such as %j is a fault that names its line and field',
    (text) => {
      const [[field, error] = []] = faults(`\n${number};ok\n${number};;;${text}`, 1);
      expect(field).toBe('line 3');
      expect(error).toContain('In substitution 1: The ');
      expect(faults(`${number};${text}`)[0]?.[1]).toContain('In the message: ');
      expect(faults(`${number};;${text}`)[0]?.[1]).toContain('In the conversation id: ');
    },
  );

  test('[BATCH-1] The number in a recipient line is not decoded, so that a plus sign stays a plus sign', () => {
    expect(only(' +46 (0) 70-174.00.01 ;x').t).toBe('+46 (0) 70-174.00.01');
    expect(faults(';Hello')).toEqual([['line 1', expect.stringContaining('no phone number')]]);
    expect(faults(` ;;c`).length).toBe(1);
  });

  test('[BATCH-1] A conversation id in a recipient line has at most 100 characters, counted after decoding', () => {
    expect(only(`${number};;${'%C3%A5'.repeat(99)}😀`).i?.length).toBe(101);
    expect(faults(`${number};;${'a'.repeat(101)}`)).toEqual([['line 1', expect.stringContaining('has 101')]]);
  });

  test('[BATCH-1] A text in a recipient line cannot hold U+0000', () => {
    expect(faults(`${number};a%00`)).toEqual([['line 1', expect.stringContaining('U+0000')]]);
  });
});

describe('[BATCH-1] the lines of the list form', () => {
  test('[BATCH-1] Empty and blank lines in a recipient list are ignored but counted', () => {
    const found = recipients(`\n   \n\t\n${number}\n\n46701740002\n \n`);
    expect(found.map(({ place, t }) => [place, t])).toEqual([
      [4, number],
      [6, '46701740002'],
    ]);
    expect(recipients('')).toEqual([]);
    expect(recipients('\n \n')).toEqual([]);
  });

  test('[BATCH-1] Recipient lines are comments when their first character after any space is #', () => {
    expect(recipients(`# list;%zz\n   # more\n\t#\n${number}\n#`).map(({ t }) => t)).toEqual([number]);
    expect(only(`${number};# no comment`).m).toBe('# no comment');
  });

  test.each([
    ['CR LF', '\r\n'],
    ['CR alone', '\r'],
    ['LF', '\n'],
  ])('[BATCH-1] Recipient lines end with %s, which is not part of their last field', (_, end) => {
    const text = [number, '', `46701740002;a`, `46701740003;;c;s`, ''].join(end);
    const found = recipients(text, 1);
    expect(found.map(({ place, m, i, s }) => [place, m, i, s])).toEqual([
      [1, undefined, undefined, []],
      [3, 'a', undefined, []],
      [4, undefined, 'c', ['s']],
    ]);
  });

  test('[BATCH-1] All kinds of line end may occur in one recipient list, and each counts once', () => {
    expect(recipients('1\r\n2\r3\n4\n\r5\r\r\n6').map(({ place, t }) => [place, t])).toEqual([
      ...[
        [1, '1'],
        [2, '2'],
        [3, '3'],
        [4, '4'],
      ],
      ...[
        [6, '5'],
        [8, '6'],
      ],
    ]);
  });

  test('[BATCH-1] A recipient list may begin with a byte order mark', () => {
    expect(only(`\uFEFF${number};a`).t).toBe(number);
    expect(recipients(`\uFEFF# comment\n${number}`).length).toBe(1);
  });

  test('[BATCH-1] Recipient lines that are not UTF-8 are reported, and do not spoil the others', () => {
    const bytes = Buffer.concat([
      Buffer.from(`${number};å\n46701740002;`),
      Buffer.from([0xe5]),
      Buffer.from(`\n46701740003;ö\n46701740004;\xff`, 'latin1'),
    ]);
    expect(faults(bytes).map(([field]) => field)).toEqual(['line 2', 'line 3', 'line 4']);
    expect(recipientsIn(linesOf(bytes)).map(({ m }) => m)).toEqual(['å']);
  });

  test('[BATCH-1] A recipient line of many megabytes is refused, and the error gives its line number', () => {
    const long = `${number}\n${number};${'x'.repeat(10 * maxLineBytes)}\n${number}`;
    expect(faultsOf(linesOf(long, 0, maxLineBytes))).toEqual([['line 2', expect.stringContaining('1 MiB')]]);
  });

  test('[BATCH-1] Recipient lines are found whatever lies at the borders of slices and blocks', () => {
    const line = fc.tuple(
      fc.constantFrom('', number, `${number};`, `# ${'x'.repeat(30_000)}`, `${number};${'y'.repeat(40_000)}`),
      fc.constantFrom('\n', '\r\n', '\r'),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.integer({ min: 500, max: 70_000 }),
        (lines, blockBytes) => {
          const text = lines.flat().join('');
          // A CR at the end of a line and a following empty line that ends with LF form a single line ending.
          const wanted = text
            .split(/\r\n|\r|\n/)
            .flatMap((given, index) => (given.startsWith(number) ? [[index + 1, given.length]] : []));
          const found = recipientsIn(linesOf(text, 0, blockBytes));
          expect(
            found.map(({ place, t, m }) => [place, m === undefined ? t.length : t.length + 1 + m.length]),
          ).toEqual(
            wanted.map(([place, length]) => [place, length === number.length + 1 ? number.length : length]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
