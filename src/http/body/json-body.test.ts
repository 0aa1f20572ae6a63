import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../foundation/errors.ts';
import { findJsonFault, parseJsonObject } from './json-body.ts';

function fault(bytes: Buffer | string): ServiceError {
  try {
    parseJsonObject(Buffer.from(bytes as string));
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('a body as JSON', () => {
  test('[CONV-8] An empty body is read as an empty JSON object', () => {
    expect(parseJsonObject(Buffer.alloc(0))).toEqual({});
  });

  test('[CONV-8] A byte order mark before a JSON body is accepted', () => {
    expect(parseJsonObject(Buffer.from('\ufeff{"a":"å"}'))).toEqual({ a: 'å' });
    expect(fault('\ufeff')).toMatchObject({ code: 'bad_json' });
  });

  test.each(['[1]', '5', '"x"', 'null', 'true'])(
    '[CONV-8] The body %s is refused because it is not a JSON object',
    (json) => {
      expect(fault(json)).toMatchObject({
        code: 'bad_json',
        message: expect.stringContaining('JSON object'),
      });
    },
  );

  test.each([
    ['{', 'a field name in double quotes is expected at line 1, column 2 (character 2)'],
    ['   ', 'a value is expected at line 1, column 4 (character 4)'],
    ['{"a":1,}', 'a field name in double quotes is expected at line 1, column 8 (character 8)'],
    ["{'a':1}", 'a field name in double quotes is expected at line 1, column 2 (character 2)'],
    ['{"a" 1}', 'a colon is expected at line 1, column 6 (character 6)'],
    ['{"a":}', 'a value is expected at line 1, column 6 (character 6)'],
    ['{"a":[1 2]}', 'a comma or "]" is expected at line 1, column 9 (character 9)'],
    ['{"a":1\n "b":2}', 'a comma or "}" is expected at line 2, column 2 (character 9)'],
    ['{"a":"x\ny"}', 'an escape such as \\n is expected at line 1, column 8 (character 8)'],
    ['{"a":"\\x"}', 'one of the escapes of JSON is expected at line 1, column 7 (character 7)'],
    ['{"a":"x', 'a closing quote is expected at line 1, column 8 (character 8)'],
    ['{} {}', 'the end of the text is expected at line 1, column 4 (character 4)'],
    ['{"a":01}', 'a comma or "}" is expected at line 1, column 7 (character 7)'],
    ['U=alice&P=secret', 'a value is expected at line 1, column 1 (character 1)'],
  ])('[CONV-8] The malformed JSON %j is refused with the fault and its position', (json, sentence) => {
    expect(fault(json)).toMatchObject({
      code: 'bad_json',
      message: `The body is not valid JSON: ${sentence}.`,
    });
  });

  test('[CONV-10] A JSON error repeats no part of the body, which may hold a password', () => {
    expect(fault('{"password":"hunter2",}').message).not.toContain('hunter2');
  });

  test.each([
    ['a lone byte', [0x7b, 0x22, 0xe5, 0x22], 3],
    ['a character cut short', [...Buffer.from('{"å":"'), 0xf0, 0x9f, 0x98], 8],
    ['an overlong form', [0x22, 0xc0, 0xaf], 2],
    ['a surrogate', [...Buffer.from('{"åä'), 0xed, 0xa0, 0x80], 7],
    ['a stray continuation', [0x7b, 0x80], 2],
  ])(
    '[CONV-8] Invalid UTF-8 in a JSON body (%s) is refused with the position of the byte',
    (_what, bytes, place) => {
      expect(fault(Buffer.from(bytes))).toMatchObject({
        code: 'bad_encoding',
        message: expect.stringContaining(`byte ${place} `),
      });
    },
  );
});

describe('the place of a fault', () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', '}', ']', ',', ':', '"', '\\', '\n', '0', 'x', '-', '{', '['),
    )
    .map(([json, at, insert]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + insert + json.slice(place + (insert === '' ? 1 : 0));
    })
    .filter((text) => !isJson(text));

  test('[CONV-8] The position of a JSON fault is the engine’s own, or the beginning of the token that holds it', () => {
    fc.assert(
      fc.property(broken, (text) => {
        const { offset } = findJsonFault(text);
        expect(offset).toBeLessThanOrEqual(text.length);
        const position = /at position (\d+)/.exec(engineMessage(text))?.[1];
        if (position === undefined) return;
        expect(Number(position) - offset).toBeGreaterThanOrEqual(0);
        expect(Number(position) - offset).toBeLessThanOrEqual('\\u123'.length);
      }),
      { numRuns: 1_000 },
    );
  });

  test('[CONV-8] Millions of nested brackets in a JSON body do not exhaust the stack', () => {
    const depth = 1_000_000;
    expect(findJsonFault('['.repeat(depth))).toEqual({ offset: depth, expected: 'a value' });
    expect(findJsonFault('{"a":['.repeat(depth / 10)).offset).toBe((6 * depth) / 10);
  });
});

function isJson(text: string): boolean {
  return engineMessage(text) === '';
}

function engineMessage(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
