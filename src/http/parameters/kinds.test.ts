import { describe, expect, test } from 'vitest';
import { faultOf, fromJson, fromUrl } from '../../../test/harness/http-parameters.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { Faults } from './faults.ts';
import { boolean, integer, text } from './kinds.ts';
import { clearable, ruled } from './parameter.ts';
import { ParameterTable } from './table.ts';
import { readQuery } from './url-values.ts';

describe('values in JSON', () => {
  test('[CONV-5] Booleans in JSON are true and false only', () => {
    expect(fromJson({ flash: true }).flash).toBe(true);
    for (const flash of ['true', 'T', 1, 0, []]) {
      expect(faultOf(() => fromJson({ flash }))).toMatchObject({
        code: 'invalid_type',
        errors: [{ field: 'flash' }],
      });
    }
  });

  test('[CONV-6] Integers may be given as numbers or as digits', () => {
    for (const validminutes of [60, '60', '060', 60.0])
      expect(fromJson({ validminutes }).validminutes).toBe(60);
    expect(fromUrl('V=60').validminutes).toBe(60);
  });

  test.each([0, 10_081, -1, 1.5, '0', '1.5', ' 5', '5 ', '+5', '0x10', '1e3', 1e300])(
    '[CONV-6] The value %j is refused as a number of minutes',
    (validminutes) => {
      const fault = faultOf(() => fromJson({ validminutes }));
      expect(fault).toMatchObject({ code: 'invalid_value', errors: [{ field: 'validminutes' }] });
      expect(fault.message).toContain('from 1 to 10080');
    },
  );

  test('[CONV-6] [CONV-10] A number that no double holds is refused with values that JSON can show', () => {
    const { errors } = faultOf(() => fromJson(JSON.parse('{"validminutes":1e999}')));
    const values = { sentence: 'whole_number_between', least: 1, most: 10_080, given: 'Infinity' };
    expect(errors).toMatchObject([{ field: 'validminutes', values }]);
  });

  test('[CONV-6] A field of the wrong JSON type is reported by its name', () => {
    const wrong = {
      message: 5,
      conversation: {},
      validminutes: [],
      defaultcountrycode: true,
      to: '46',
      groups: [1],
    };
    expect(faultOf(() => fromJson(wrong)).errors.map(({ field, code }) => [field, code])).toEqual([
      ['to', 'invalid_type'],
      ['message', 'invalid_type'],
      ['conversation', 'invalid_type'],
      ['validminutes', 'invalid_type'],
      ['defaultcountrycode', 'invalid_type'],
      ['groups[0]', 'invalid_type'],
    ]);
  });

  test('[CONV-6] A string of digits may be a JSON number, and a list of numbers may hold some', () => {
    expect(fromJson({ defaultcountrycode: 46 }).defaultcountrycode).toBe('46');
    expect(fromJson({ to: [46701234567, '46701234568'] }).to).toEqual(['46701234567', '46701234568']);
    expect(faultOf(() => fromJson({ to: ['1', 1.5] })).errors).toMatchObject([{ field: 'to[1]' }]);
    expect(faultOf(() => fromJson({ defaultcountrycode: -46 }))).toMatchObject({ code: 'invalid_value' });
    expect(faultOf(() => fromJson({ defaultcountrycode: '+46' }))).toMatchObject({ code: 'invalid_value' });
  });

  test('[STAT-1] A number above the cap of its parameter counts as the cap', () => {
    expect(fromJson({ maxnum: 10_001 }).maxnum).toBe(10_000);
    expect(fromUrl(`N=${'9'.repeat(30)}`).maxnum).toBe(10_000);
    expect(faultOf(() => fromJson({ maxnum: 0 }))).toMatchObject({ code: 'invalid_value' });
  });

  test('[CONV-10] Faults inside a list of objects name the item and the field', () => {
    const tosubst = [
      { to: '1' },
      { subst: { a: 'b' } },
      'x',
      { to: '4', subst: { a: 1 } },
      { to: '5', subst: [] },
    ];
    expect(faultOf(() => fromJson({ tosubst })).errors.map(({ field, code }) => [field, code])).toEqual([
      ['tosubst[1].to', 'missing_parameter'],
      ['tosubst[2]', 'invalid_type'],
      ['tosubst[3].subst.a', 'invalid_type'],
      ['tosubst[4].subst', 'invalid_type'],
    ]);
  });

  test('[SEND-6] Labels may be any text, even names of inherited object properties', () => {
    const body = JSON.parse('{"tosubst":[{"to":"1","subst":{"__proto__":"p","constructor":"c","":"e"}}]}');
    expect(Object.entries(fromJson(body).tosubst?.[0]?.subst ?? {})).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['', 'e'],
    ]);
    expect(fromJson({ tosubst: [{ to: '1' }] }).tosubst).toEqual([{ to: '1', subst: {} }]);
  });

  test('[CONV-7] A JSON body cannot reach inherited object properties', () => {
    const body = JSON.parse('{"__proto__":{"flash":true,"message":"x"},"constructor":1,"toString":null}');
    expect(fromJson(body)).toMatchObject({ flash: false, message: undefined });
  });

  test('[CONV-6] Text lengths count characters, not code units', () => {
    expect(fromJson({ conversation: '😀'.repeat(10) }).conversation).toBe('😀'.repeat(10));
    const fault = faultOf(() => fromJson({ conversation: 'x'.repeat(11) }));
    expect(fault.message).toBe('`conversation` must have at most 10 characters, but has 11.');
  });

  test('[CONV-12] An error about an exceeded limit gives the limit and the size given', () => {
    const said = (decode: () => unknown) => faultOf(decode).message;
    expect(said(() => fromJson({ message: 'x'.repeat(1_001) }))).toContain(
      'at most 1000 characters, but has 1001',
    );
    expect(said(() => fromJson({ to: Array(1_001).fill('1') }))).toContain(
      'at most 1000 items, but has 1001',
    );
    expect(said(() => fromJson({ to: ['1', 'x'.repeat(5_000)] }))).toBe(
      '`to[1]` must have at most 1000 characters, but has 5000.',
    );
    expect(said(() => fromUrl(`G=a,${'b'.repeat(1_001)}`))).toBe(
      '`G`: Item 2 must have at most 1000 characters, but has 1001.',
    );
    expect(said(() => fromUrl(`T=${'1,'.repeat(1_001)}`))).toContain('at most 1000 items, but has 1001');
    expect(fromUrl(`T=${'1,,'.repeat(1_000)}`).to).toHaveLength(1_000);
  });

  test('[CONV-10] U+0000, which no store can hold, is refused in every text', () => {
    const bodies = [
      { message: 'a\0' },
      { to: ['\0'] },
      { groups: ['\0'] },
      { tosubst: [{ to: '1', subst: { a: '\0' } }] },
    ];
    for (const body of bodies) expect(faultOf(() => fromJson(body)).code).toBe('invalid_value');
    for (const query of ['M8=%00', 'T=%00', 'G=a,%00'])
      expect(faultOf(() => fromUrl(query)).code).toBe('invalid_value');
  });
});

describe('settings that can be cleared', () => {
  const settings = new ParameterTable({
    sender: clearable(text({ get: 'SD', minLength: 3, maxLength: 11, description: 'Sender.' })),
    maxSms: clearable(integer({ get: 'MS', min: 1, max: 255, description: 'Parts.' })),
    checkMobile: clearable(boolean({ get: 'CM', description: 'Check.' })),
  });

  test('[CONV-6] The empty string clears a setting, null clears a boolean, and a setting that is left out stays', () => {
    const faults = new Faults();
    expect(settings.fromJson({ sender: '', maxSms: '', checkMobile: null }, faults)).toEqual({
      sender: null,
      maxSms: null,
      checkMobile: null,
    });
    expect(settings.fromJson({ sender: null, maxSms: null }, faults)).toEqual({
      sender: undefined,
      maxSms: undefined,
      checkMobile: undefined,
    });
    expect(settings.fromUrl(readQuery('/x?SD=&CM=&MS=7', settings.urlNames, faults), faults)).toEqual({
      sender: null,
      maxSms: 7,
      checkMobile: null,
    });
    expect(faults.count).toBe(0);
  });
});

describe('parameters with a rule', () => {
  const even = (given: number): Result<string> =>
    given % 2 === 0 ? success(`${given / 2} pairs`) : fault('invalid_value', `${given} is odd.`);
  const table = new ParameterTable({
    shoes: ruled(integer({ get: 'S', required: true, description: 'Shoes.' }), even),
    socks: clearable(ruled(integer({ get: 'K', max: 9, description: 'Socks.' }), even)),
  });

  test('[CONV-2] A parameter with a rule has neither a default nor several names in a URL', () => {
    const wordy = (given: string): Result<string> => success(given);
    expect(() => ruled(integer({ get: 'S', default: 2, description: 'Shoes.' }), even)).toThrow('default');
    const names = { M: 'iso-8859-1', M8: 'utf-8' } as const;
    expect(() => ruled(text({ get: names, description: 'Text.' }), wordy)).toThrow('one name');
  });

  test('[CONV-2] A parameter with a rule gets the value that the rule returns, from a body and from a URL', () => {
    const faults = new Faults();
    expect(table.fromJson({ shoes: '4', socks: 2 }, faults)).toEqual({ shoes: '2 pairs', socks: '1 pairs' });
    expect(table.fromUrl(readQuery('/x?S=0&K=', table.urlNames, faults), faults)).toEqual({
      shoes: '0 pairs',
      socks: null,
    });
    expect(table.fromJson({ shoes: 2 }, faults)).toEqual({ shoes: '1 pairs', socks: undefined });
    expect(faults.count).toBe(0);
  });

  test('[CONV-2] [CONV-10] A fault of a parameter with a rule is reported once, under the name that was used', () => {
    const fieldsOf = (read: (faults: Faults) => unknown) => {
      const faults = new Faults();
      read(faults);
      return faults.asError()?.errors.map(({ field, error }) => [field, error]);
    };
    expect(fieldsOf((faults) => table.fromJson({ shoes: 3, socks: 10 }, faults))).toEqual([
      ['shoes', '`shoes`: 3 is odd.'],
      ['socks', expect.stringContaining('from 0 to 9')],
    ]);
    const query = (text: string) => (faults: Faults) =>
      table.fromUrl(readQuery(`/x?${text}`, table.urlNames, faults), faults);
    expect(fieldsOf(query('S=3&K=5'))).toEqual([
      ['S', '`S`: 3 is odd.'],
      ['K', '`K`: 5 is odd.'],
    ]);
    expect(fieldsOf(query('K=2'))).toEqual([['S', '`S` is missing.']]);
  });
});
