import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonList, recipientsIn, skim, toEnd } from '../../../test/harness/batch-bodies.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { parseJsonObject } from './json-body.ts';
import { maxDepth, maxValueBytes } from './json-scan.ts';
import { parsedSlice } from './json-skim.ts';

/** All items of the list as its parser finds them, or an error as it is reported. */
function read(content: string | Buffer, blockBytes?: number): unknown {
  try {
    const { list, fields, body } = skim(content, blockBytes);
    if (list === undefined) return { ...fields };
    const { start, end, cuts } = list;
    const isEmpty = cuts.length === 0 && body.text(start, end)?.trim() === '';
    const items: unknown[] = [];
    let from = start;
    for (const to of isEmpty ? [] : [...cuts, end]) {
      items.push(...toEnd(parsedSlice(body, from, to)));
      from = to + 1;
    }
    return { ...fields, batch: items };
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** The same result from the parser for small bodies. */
function expected(content: string | Buffer): unknown {
  try {
    const object = parseJsonObject(Buffer.from(content));
    const wanted = ['message', 'apikey', 'batch'].filter((name) => Object.hasOwn(object, name));
    return Object.fromEntries(wanted.map((name) => [name, object[name]]));
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const whitespace = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r'), { maxLength: 3 })
  .map((all) => all.join(''));

/** JSON texts as people and machines write them, with white space and escapes anywhere. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; spaced: string }>((tie) => ({
  spaced: fc.tuple(whitespace, tie('value'), whitespace).map((parts) => parts.join('')),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('null', 'true', 'false', '0', '-1.5e+3', '""', '"\\u0062\\"\\\\"', '{}', '[]', '"[{,"'),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.array(tie('spaced'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(
        fc.tuple(
          whitespace,
          fc.string({ maxLength: 4 }).map((key) => JSON.stringify(key)),
          tie('spaced'),
        ),
        { maxLength: 4 },
      )
      .map(
        (entries) => `{${entries.map(([space, key, value]) => `${space}${key}${space}:${value}`).join(',')}}`,
      ),
  ),
})).spaced;

/** Bodies with at most one `batch`. */
const document = fc
  .record({
    bom: fc.constantFrom('', '\uFEFF'),
    before: fc.array(
      fc.tuple(fc.constantFrom('"message"', '"m\\u0065ssage"', '"apikey"', '"other"'), jsonText),
      { maxLength: 3 },
    ),
    batch: fc.array(
      fc.oneof(
        jsonText,
        fc.array(jsonText, { maxLength: 8 }).map((items) => `[${items.join(',')}]`),
      ),
      { maxLength: 1 },
    ),
    after: fc.array(fc.tuple(fc.constantFrom('"apikey"', '"x"'), jsonText), { maxLength: 2 }),
    space: whitespace,
  })
  .map(({ bom, before, batch, after, space }) => {
    const entries = [...before, ...batch.map((list) => ['"batch"', list] as const), ...after];
    return `${bom}${space}{${entries.map(([key, value]) => `${space}${key}${space}:${value}`).join(',')}}${space}`;
  });

/** Changes of bytes that may or may not invalidate a document. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  how: fc.constantFrom('cut', 'replace', 'insert', 'remove'),
  byte: fc.constantFrom(...Buffer.from('{}[]",:\\ \n0at\xff\xc3\xa5\0', 'latin1')),
});

function damaged(bytes: Buffer, { at, how, byte }: { at: number; how: string; byte: number }): Buffer {
  const index = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, index);
  if (how === 'cut') return before;
  const middle = how === 'remove' ? [] : [byte];
  return Buffer.concat([before, Buffer.from(middle), bytes.subarray(index + (how === 'insert' ? 0 : 1))]);
}

describe('skimming a JSON body', () => {
  test('[BATCH-1] [CONV-8] Skimming a JSON body finds what the parser finds, wherever blocks end', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 40 }), (text, blockBytes) => {
        expect(read(text, blockBytes)).toEqual(expected(text));
      }),
      { numRuns: 400 },
    );
  });

  test('[BATCH-1] [CONV-8] Skimming a damaged JSON body accepts what the parser accepts and refuses what it refuses', () => {
    fc.assert(
      fc.property(document, fc.array(damage, { minLength: 1, maxLength: 2 }), (text, damages) => {
        const bytes = damages.reduce(damaged, Buffer.from(text));
        const found = read(bytes);
        // The damage may have turned another field's name into that of a list.
        if (typeof found === 'string' && found.startsWith('duplicate_parameter')) return;
        if (bytes.length === 0) return;
        const wanted = expected(bytes);
        if (typeof wanted === 'string') expect(typeof found, `${bytes}`).toBe('string');
        else expect(found).toEqual(wanted);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    '{"batch":[{"t":"1"},{"t":"2}]}',
    '{"batch":[{"t":"1"},{"t":"2"}',
    '{"batch":[{"t":"1"},{"t":"2"}]',
    '{"batch":[{"t":"1"},',
    '{"batch":[{"t":"1"},]}',
    '{"batch":[,{"t":"1"}]}',
    '{"batch":[{"t":"1"} {"t":"2"}]}',
    '{"batch":[{"t":"1"}},{"t":"2"}]}',
    '{"batch":[{"t":"1"]}',
    '{"batch":[{"t" "1"}]}',
    '{"batch":[{"t":"\\x"}]}',
    '{"batch":[{"t":"å\n1"}]}',
    '{"batch":\n[\n{"ö":"😀"},\n{"t":tru}]}',
    '{"batch":[],"message":"a" "b":1}',
    '{"batch":[],"message" 1}',
    '{"batch":[],}',
    '{"batch":[],"a":tru}',
    '{"batch":[]}}',
    '{"batch":[]} x',
    '{"mess',
    '{"message',
    '{"message":',
    '{',
    '   ',
    '\uFEFF',
    '[1]',
    '"batch"',
    'x',
  ])(
    '[BATCH-1] [CONV-8] Skimming reports where the malformed body %j breaks in the same words as for small bodies',
    (text) => {
      for (const blockBytes of [1, 3, 1_000]) expect(read(text, blockBytes)).toBe(expected(text));
    },
  );

  test('[CONV-8] Invalid UTF-8 in a large body is reported by its byte, even for a character cut off at the end', () => {
    const bytes = Buffer.from('{"batch":[{"t":"å"}]}');
    const broken = Buffer.from(bytes);
    broken[17] = 0x28;
    expect(read(broken)).toBe(expected(broken));
    expect(read(broken)).toContain('byte 17 ');
    expect(read(bytes.subarray(0, 17))).toContain('byte 17 ');
  });

  test('[BATCH-1] Of fields with equal names the last counts, as with `JSON.parse`, but `batch` may be given only once', () => {
    expect(read('{"message":"a","message":"b","batch":[]}')).toEqual({ message: 'b', batch: [] });
    for (const text of ['{"batch":[],"batch":[1]}', '{"batch":[1],"b\\u0061tch":null}']) {
      expect(read(text)).toBe(
        'duplicate_parameter: The parameter `batch` is given more than once in the body. Give it once.',
      );
    }
  });

  test('[BATCH-1] A large list is cut into slices of some kilobytes, whose items are found in order', () => {
    const items = Array.from({ length: 20_000 }, (_, t) => ({ t: String(t), s: ['[,', '{"'] }));
    const text = JSON.stringify({ batch: items });
    for (const blockBytes of [999, 1_048_576]) {
      const { list } = skim(text, blockBytes);
      expect(list?.cuts.length).toBeGreaterThan(5);
      expect(read(text, blockBytes)).toEqual({ batch: items });
    }
  });

  test('[CONV-8] Between two slices of a list there must be one comma, with an item on either side of it', () => {
    const slice = JSON.stringify('x'.repeat(70_000));
    for (const items of ['', slice, `${slice},${slice}`]) {
      for (const broken of [`${items},`, `${items},,${slice}`, `,${items}`, `${items} ${slice} 1`]) {
        const text = `{"batch":[${broken}]}`;
        expect(read(text, 1_000)).toBe(expected(text));
      }
    }
  });

  test('[BATCH-1] A value or list item of many megabytes is refused, and the error names it', () => {
    const long = 'x'.repeat(10 * maxValueBytes);
    const at = (text: string) => read(text, 1_048_576);
    expect(at(`{"batch":[{"t":"1"},{"t":"2","m":"${long}"}]}`)).toContain(
      'invalid_value: `batch[1]` is larger',
    );
    expect(at(`{"message":"${long}"}`)).toContain('invalid_value: `message` is larger');
    expect(at(`{"other":["${long}"]}`)).toContain('invalid_value: `other` is larger');
    expect(at(`{"other":${'1'.repeat(2 * maxValueBytes)}}`)).toContain('invalid_value: `other` is larger');
    expect(at(`{"${long}":1}`)).toContain('invalid_value: The name of a field is larger');
    expect(at(`{"batch":[${' '.repeat(3 * maxValueBytes)}]}`)).toContain(
      'invalid_value: `batch[0]` is larger',
    );
  });

  test('[BATCH-1] Deeply nested JSON is refused, however deep it is', () => {
    for (const deep of ['['.repeat(5_000_000), '{"a":'.repeat(maxDepth + 1)]) {
      expect(read(`{"batch":[1,${deep}`, 1_048_576)).toContain(
        'bad_json: The body is not accepted: `batch[1]` is nested',
      );
      expect(read(`{"other":${deep}`, 1_048_576)).toContain(
        'bad_json: The body is not accepted: `other` is nested',
      );
    }
    const most = `${'['.repeat(maxDepth - 1)}${']'.repeat(maxDepth - 1)}`;
    expect(read(`{"batch":[${most}]}`)).toEqual({ batch: [JSON.parse(most)] });
  });
});

test('[BATCH-1] Batch recipients are read alike from blocks of any size', () => {
  const text = '{"batch":[{"t":"46701740001","m":"å😀"},{"t":"2","s":["a"]}]}';
  for (let blockBytes = 1; blockBytes < 70; blockBytes += 1) {
    const recipients = recipientsIn(jsonList(text, blockBytes));
    expect(recipients.map(({ t, m }) => [t, m])).toEqual([
      ['46701740001', 'å😀'],
      ['2', undefined],
    ]);
  }
});
