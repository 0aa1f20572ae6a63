import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { echoParameters } from '../../test/harness/http-demo.ts';
import { ServiceError } from '../foundation/errors.ts';
import { Faults } from './faults.ts';
import { clearable, type Input } from './parameter.ts';
import { boolean, integer, text } from './parameter-kinds.ts';
import { ParameterTable } from './parameter-table.ts';
import { readQuery } from './url-values.ts';

const table = new ParameterTable(echoParameters);
type EchoInput = Input<typeof echoParameters>;

function fromJson(body: Record<string, unknown>): EchoInput {
  const faults = new Faults();
  const input = table.fromJson(body, faults);
  faults.throwIfAny();
  return input;
}

function fromUrl(query: string): EchoInput {
  const faults = new Faults();
  const input = table.fromUrl(readQuery(`/echo?${query}`, table.urlNames, faults), faults);
  faults.throwIfAny();
  return input;
}

/** What the caller would be told. */
function faultOf(decode: () => unknown): Pick<ServiceError, 'code' | 'message' | 'errors'> {
  try {
    decode();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('what a call means is the same in a URL and in JSON', () => {
  const word = (flag: boolean) => (flag ? 'yes' : 'NO');
  const plainText = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 10 })
    .filter((s) => !s.includes('\0'));
  const item = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((s) => s.trim() === s && !s.includes('\0'));

  test('[CONV-2] [CONV-4] any values', () => {
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

  test('[CONV-2] [CONV-6] nothing given: the defaults of the table', () => {
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
  test('[CONV-4] a plus and %20 are spaces, UTF-8 is decoded, and M is ISO-8859-1', () => {
    expect(fromUrl('M8=a+b%20c%2Bd%C3%A5').message).toBe('a b c+då');
    expect(fromUrl('M=a+%E5%F6%A3').message).toBe('a åö£');
  });

  test.each([
    ['invalid UTF-8', 'M8=%E5', 'M8'],
    ['a broken escape', 'X=%4', 'X'],
    ['a broken escape in a list', 'T=1,%zz', 'T'],
    ['a broken escape in M', 'M=100%', 'M'],
  ])('[CONV-4] %s is a fault', (_what, query, field) => {
    expect(faultOf(() => fromUrl(query))).toMatchObject({ code: 'bad_encoding', errors: [{ field }] });
  });

  test('[CONV-5] booleans are words in any letter case', () => {
    for (const yes of ['T', 'true', 'Y', 'Yes', 't']) expect(fromUrl(`Z=${yes}`).flash).toBe(true);
    for (const no of ['F', 'false', 'n', 'NO']) expect(fromUrl(`Z=${no}`).flash).toBe(false);
    for (const other of ['1', '0', 'on', 'ja', 'true+']) {
      expect(faultOf(() => fromUrl(`Z=${other}`))).toMatchObject({
        code: 'invalid_value',
        errors: [{ field: 'Z' }],
      });
    }
  });

  test('[CONV-7] unknown parameters are ignored, whatever they hold', () => {
    expect(fromUrl('q=1&Q=%zz&M8=x').message).toBe('x');
  });

  test('[CONV-7] a scalar given twice is a fault, also when both are the same', () => {
    const fault = faultOf(() => fromUrl('X=a&X=a'));
    expect(fault).toMatchObject({ code: 'duplicate_parameter', errors: [{ field: 'X' }] });
  });

  test('[CONV-7] a list given twice is one list', () => {
    expect(fromUrl('T=1,2&T=3').to).toEqual(['1', '2', '3']);
    expect(fromUrl('T=&T=3').to).toEqual(['3']);
  });

  test('[CONV-7] lists are split at raw commas; numbers also at encoded ones; empty items dropped, items trimmed', () => {
    expect(fromUrl('G=a%2Cb,c').groups).toEqual(['a,b', 'c']);
    expect(fromUrl('T=1%2c2,3%2C').to).toEqual(['1', '2', '3']);
    expect(fromUrl('G=+a+,,%20,b').groups).toEqual(['a', 'b']);
    expect(fromUrl('G=,+,').groups).toBeUndefined();
  });

  test('[SEND-9] two names for one value exclude each other', () => {
    expect(faultOf(() => fromUrl('M=a&M8=b'))).toMatchObject({ code: 'conflicting_parameters' });
    expect(fromUrl('M=&M8=b').message).toBe('b');
  });
});

describe('values in JSON', () => {
  test('[CONV-5] booleans are true and false only', () => {
    expect(fromJson({ flash: true }).flash).toBe(true);
    for (const flash of ['true', 'T', 1, 0, []]) {
      expect(faultOf(() => fromJson({ flash }))).toMatchObject({
        code: 'invalid_type',
        errors: [{ field: 'flash' }],
      });
    }
  });

  test('[CONV-6] integers come as numbers and as digits', () => {
    for (const validminutes of [60, '60', '060', 60.0])
      expect(fromJson({ validminutes }).validminutes).toBe(60);
    expect(fromUrl('V=60').validminutes).toBe(60);
  });

  test.each([0, 10_081, -1, 1.5, '0', '1.5', ' 5', '5 ', '+5', '0x10', '1e3', 1e300])(
    '[CONV-6] %j is no number of minutes',
    (validminutes) => {
      const fault = faultOf(() => fromJson({ validminutes }));
      expect(fault).toMatchObject({ code: 'invalid_value', errors: [{ field: 'validminutes' }] });
      expect(fault.message).toContain('from 1 to 10080');
    },
  );

  test('[CONV-6] another JSON type than the one needed is named', () => {
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

  test('[CONV-6] a string of digits may be a JSON number, and a list of numbers may hold some', () => {
    expect(fromJson({ defaultcountrycode: 46 }).defaultcountrycode).toBe('46');
    expect(fromJson({ to: [46701234567, '46701234568'] }).to).toEqual(['46701234567', '46701234568']);
    expect(faultOf(() => fromJson({ to: ['1', 1.5] })).errors).toMatchObject([{ field: 'to[1]' }]);
    expect(faultOf(() => fromJson({ defaultcountrycode: -46 }))).toMatchObject({ code: 'invalid_value' });
    expect(faultOf(() => fromJson({ defaultcountrycode: '+46' }))).toMatchObject({ code: 'invalid_value' });
  });

  test('[STAT-1] a value above a cap counts as the cap', () => {
    expect(fromJson({ maxnum: 10_001 }).maxnum).toBe(10_000);
    expect(fromUrl(`N=${'9'.repeat(30)}`).maxnum).toBe(10_000);
    expect(faultOf(() => fromJson({ maxnum: 0 }))).toMatchObject({ code: 'invalid_value' });
  });

  test('[CONV-10] faults inside a list of objects name their place', () => {
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

  test('[SEND-6] labels may be any text, also names that objects inherit', () => {
    const body = JSON.parse('{"tosubst":[{"to":"1","subst":{"__proto__":"p","constructor":"c","":"e"}}]}');
    expect(Object.entries(fromJson(body).tosubst?.[0]?.subst ?? {})).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['', 'e'],
    ]);
    expect(fromJson({ tosubst: [{ to: '1' }] }).tosubst).toEqual([{ to: '1', subst: {} }]);
  });

  test('[CONV-7] a body cannot reach what objects inherit', () => {
    const body = JSON.parse('{"__proto__":{"flash":true,"message":"x"},"constructor":1,"toString":null}');
    expect(fromJson(body)).toMatchObject({ flash: false, message: undefined });
  });

  test('[BATCH-1] lengths count characters, not code units', () => {
    expect(fromJson({ conversation: '😀'.repeat(10) }).conversation).toBe('😀'.repeat(10));
    const fault = faultOf(() => fromJson({ conversation: 'x'.repeat(11) }));
    expect(fault.message).toBe('`conversation` must have at most 10 characters, but has 11.');
  });

  test('[CONV-10] U+0000, which no store keeps, is refused wherever a text is', () => {
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

describe('faults', () => {
  test('[CONV-10] the first fault gives code and sentence, and says how many more there are', () => {
    const fault = faultOf(() => fromJson({ flash: 'yes', validminutes: 0, message: 1 }));
    expect(fault.code).toBe('invalid_type');
    expect(fault.message).toBe('`message` must be a string, but is a number. (2 more faults: see `errors`.)');
  });

  test('[CONV-10] at most 100 are listed, and all are counted', () => {
    const fault = faultOf(() => fromJson({ to: Array.from({ length: 1000 }, () => false) }));
    expect(fault.errors).toHaveLength(100);
    expect(fault.errors[99]?.field).toBe('to[99]');
    expect(fault.message).toContain('999 more faults');
  });

  test.each([[{ twoway: true }], [{ templateid: '5' }], [{ templateid: 5 }], ['2=T'], ['TPID=5']])(
    '[CONV-2] what is not built yet is refused: %j',
    (given) => {
      const fault = faultOf(() => (typeof given === 'string' ? fromUrl(given) : fromJson(given)));
      expect(fault.code).toBe('not_available');
    },
  );

  test('[CONV-2] what is not built yet may be switched off', () => {
    expect(fromJson({ twoway: false, templateid: null }).twoway).toBeUndefined();
    expect(fromUrl('2=NO&TPID=').twoway).toBeUndefined();
    expect(faultOf(() => fromUrl('2=perhaps')).code).toBe('invalid_value');
  });
});

describe('settings that can be cleared', () => {
  const settings = new ParameterTable({
    sender: clearable(text({ get: 'SD', minLength: 3, maxLength: 11, description: 'Sender.' })),
    maxSms: clearable(integer({ get: 'MS', min: 1, max: 255, description: 'Parts.' })),
    checkMobile: clearable(boolean({ get: 'CM', description: 'Check.' })),
  });

  test('[E2S-3] the empty string clears, null clears a boolean, and what is left out stays', () => {
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
