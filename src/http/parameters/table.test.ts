import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf, fromJson, fromUrl } from '../../../test/harness/http-parameters.ts';
import { Faults } from './faults.ts';
import { text } from './kinds.ts';
import { ParameterTable } from './table.ts';
import { readQuery } from './url-values.ts';

describe('what a call means is the same in a URL and in JSON', () => {
  const word = (flag: boolean) => (flag ? 'yes' : 'NO');
  const plainText = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 10 })
    .filter((s) => !s.includes('\0'));
  const item = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((s) => s.trim() === s && !s.includes('\0'));

  test('[CONV-2] [CONV-4] Any parameter values mean the same in a URL and in JSON', () => {
    fc.assert(
      fc.property(
        fc.record({
          message: plainText,
          conversation: plainText.filter((s) => s.length <= 10),
          flash: fc.boolean(),
          validminutes: fc.integer({ min: 1, max: 10_080 }),
          defaultcountrycode: fc.integer({ min: 0, max: 9999 }).map(String),
          groups: fc.array(item, { minLength: 1 }),
          to: fc.array(fc.integer({ min: 0 }).map(String), { minLength: 1 }),
        }),
        (values) => {
          const query = [
            `M8=${encodeURIComponent(values.message)}`,
            `X=${encodeURIComponent(values.conversation)}`,
            `Z=${word(values.flash)}`,
            `V=${values.validminutes}`,
            `D=${values.defaultcountrycode}`,
            `G=${values.groups.map(encodeURIComponent).join(',')}`,
            `T=${values.to.join(',')}`,
          ].join('&');
          expect(fromUrl(query)).toEqual(fromJson(values));
        },
      ),
    );
  });

  test('[CONV-2] [CONV-6] Parameters that are absent or empty get the same defaults in a URL and in JSON', () => {
    const defaults = {
      to: undefined,
      tosubst: undefined,
      message: undefined,
      conversation: undefined,
      flash: false,
      validminutes: 1440,
      maxnum: 100,
      defaultcountrycode: undefined,
      groups: undefined,
      twoway: undefined,
      templateid: undefined,
    };
    const empty = Object.fromEntries(Object.keys(defaults).map((key) => [key, '']));
    const nulls = Object.fromEntries(Object.keys(defaults).map((key) => [key, null]));
    for (const body of [{}, empty, nulls]) expect(fromJson(body)).toEqual(defaults);
    for (const query of ['', 'T=&M=&M8=&X=&Z=&V=&N=&D=&G=&2=&TPID='])
      expect(fromUrl(query)).toEqual(defaults);
  });
});

describe('values in a URL', () => {
  test('[CONV-4] In a URL a plus and %20 are spaces, UTF-8 is decoded, and M is ISO-8859-1', () => {
    expect(fromUrl('M8=a+b%20c%2Bd%C3%A5').message).toBe('a b c+då');
    expect(fromUrl('M=a+%E5%F6%A3').message).toBe('a åö£');
  });

  test.each([
    ['invalid UTF-8', 'M8=%E5', 'M8'],
    ['a broken escape', 'X=%4', 'X'],
    ['a broken escape in a list', 'T=1,%zz', 'T'],
    ['a broken escape in M', 'M=100%', 'M'],
  ])('[CONV-4] In a URL, %s is refused', (_what, query, field) => {
    expect(faultOf(() => fromUrl(query))).toMatchObject({ code: 'bad_encoding', errors: [{ field }] });
  });

  test('[CONV-5] Booleans in a URL are words in any letter case', () => {
    for (const yes of ['T', 'true', 'Y', 'Yes', 't']) expect(fromUrl(`Z=${yes}`).flash).toBe(true);
    for (const no of ['F', 'false', 'n', 'NO']) expect(fromUrl(`Z=${no}`).flash).toBe(false);
    for (const other of ['1', '0', 'on', 'ja', 'true+']) {
      expect(faultOf(() => fromUrl(`Z=${other}`))).toMatchObject({
        code: 'invalid_value',
        errors: [{ field: 'Z' }],
      });
    }
  });

  test('[CONV-7] Unknown URL parameters are ignored, whatever they hold', () => {
    expect(fromUrl('q=1&Q=%zz&M8=x').message).toBe('x');
  });

  test('[CONV-7] A scalar given twice in a URL is refused, even if both values are the same', () => {
    const fault = faultOf(() => fromUrl('X=a&X=a'));
    expect(fault).toMatchObject({ code: 'duplicate_parameter', errors: [{ field: 'X' }] });
  });

  test('[CONV-7] A list given twice in a URL is read as one list', () => {
    expect(fromUrl('T=1,2&T=3').to).toEqual(['1', '2', '3']);
    expect(fromUrl('T=&T=3').to).toEqual(['3']);
  });

  test('[CONV-7] URL lists are split at raw commas, number lists at encoded ones too; items are trimmed and empty ones dropped', () => {
    expect(fromUrl('G=a%2Cb,c').groups).toEqual(['a,b', 'c']);
    expect(fromUrl('T=1%2c2,3%2C').to).toEqual(['1', '2', '3']);
    expect(fromUrl('G=+a+,,%20,b').groups).toEqual(['a', 'b']);
    expect(fromUrl('G=,+,').groups).toEqual([]);
  });

  test('[SEND-9] Two URL names for one value exclude each other', () => {
    expect(faultOf(() => fromUrl('M=a&M8=b'))).toMatchObject({ code: 'conflicting_parameters' });
    expect(fromUrl('M=&M8=b').message).toBe('b');
  });

  test('[CONV-7] A JSON name is accepted in a URL, and for a text with two URL names it stands for the name in UTF-8', () => {
    expect(fromUrl('to=1,2&T=3&flash=yes&message=%C3%A5&conversation=c')).toEqual(
      fromUrl('T=1,2,3&Z=yes&M8=%C3%A5&X=c'),
    );
  });

  test('[CONV-7] [CONV-10] A fault names the parameter as the caller wrote it', () => {
    const fieldsOf = (query: string) =>
      faultOf(() => fromUrl(query)).errors.map(({ field, error }) => [field, error]);
    expect(fieldsOf('maxnum=0')).toEqual([['maxnum', expect.stringContaining('`maxnum` must be')]]);
    expect(fieldsOf('N=0')).toEqual([['N', expect.stringContaining('`N` must be')]]);
    expect(fieldsOf('to=%zz')).toEqual([['to', expect.stringContaining('`to`')]]);
  });

  test('[CONV-7] A scalar given in a URL under both its URL name and its JSON name counts as given twice', () => {
    for (const query of ['N=1&maxnum=1', 'maxnum=1&N=1', 'maxnum=1&maxnum=2'])
      expect(faultOf(() => fromUrl(query))).toMatchObject({ code: 'duplicate_parameter' });
    expect(faultOf(() => fromUrl('N=1&maxnum=2')).message).toBe(
      '`N` is given more than once in the URL, as `N` and as `maxnum`. Give it once.',
    );
    expect(faultOf(() => fromUrl('message=a&M=b'))).toMatchObject({ code: 'conflicting_parameters' });
  });

  test('[CONV-7] A JSON name that is another parameter’s URL name means that other parameter in a URL', () => {
    const table = new ParameterTable({
      a: text({ get: 'b', description: 'One.' }),
      b: text({ get: 'c', description: 'Another.' }),
      only: text({ description: 'None in a URL.' }),
    });
    const faults = new Faults();
    const read = (query: string) => table.fromUrl(readQuery(`/x?${query}`, table.urlNames, faults), faults);
    expect(read('b=1')).toEqual({ a: '1', b: undefined, only: undefined });
    expect(read('a=1&c=2&only=3')).toEqual({ a: '1', b: '2', only: undefined });
    expect(faults.count).toBe(0);
  });
});
