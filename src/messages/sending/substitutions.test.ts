import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../foundation/errors.ts';
import { Faults } from '../../http/parameters/faults.ts';
import { ParameterTable } from '../../http/parameters/table.ts';
import { readQuery } from '../../http/parameters/url-values.ts';
import { substitutions } from './parameters.ts';

const table = new ParameterTable({ tosubst: substitutions });

/** The entries as pairs, since an object can't show `__proto__`; otherwise the codes of the faults. */
function fromUrl(query: string) {
  const faults = new Faults();
  const values = readQuery(`/send?${query}`, table.urlNames, faults);
  return result(table.fromUrl(values, faults), faults);
}

function fromJson(tosubst: unknown) {
  const faults = new Faults();
  return result(table.fromJson({ tosubst }, faults), faults);
}

function result({ tosubst }: ReturnType<typeof table.fromJson>, faults: Faults) {
  try {
    faults.throwIfAny();
  } catch (error) {
    return (error as ServiceError).errors.map(({ field, code }) => `${field}: ${code}`);
  }
  return tosubst?.map(({ to, subst }) => [to, Object.entries(subst)]);
}

describe('tosubst, TS and H', () => {
  test('[SEND-6] H names the labels, and TS has for each recipient the number and a text for each label', () => {
    expect(fromUrl('H=A,B&TS=1,x,y,2,z,')).toEqual([
      [
        '1',
        [
          ['A', 'x'],
          ['B', 'y'],
        ],
      ],
      [
        '2',
        [
          ['A', 'z'],
          ['B', ''],
        ],
      ],
    ]);
    expect(fromUrl('TS=1,2')).toEqual([
      ['1', []],
      ['2', []],
    ]);
  });

  test('[SEND-6] An empty TS counts as not given, whatever H contains', () => {
    expect(fromUrl('')).toBeUndefined();
    expect(fromUrl('H=A,B')).toBeUndefined();
    expect(fromUrl('TS=&H=')).toBeUndefined();
    expect([fromJson(undefined), fromJson(null), fromJson('')]).toEqual([undefined, undefined, undefined]);
  });

  test('[SEND-6] A number of TS items that does not fit H is refused', () => {
    for (const items of ['1', '1,x', '1,x,y,2', '1,x,y,2,z']) {
      expect(fromUrl(`H=A,B&TS=${items}`), items).toEqual(['TS: invalid_value']);
    }
  });

  test('[CONV-4] [CONV-7] Items of TS and H are split at raw commas, then decoded', () => {
    expect(fromUrl('H=%2C,%26&TS=1,a%2Cb,%C3%A5+%2B')).toEqual([
      [
        '1',
        [
          [',', 'a,b'],
          ['&', 'å +'],
        ],
      ],
    ]);
    expect(fromUrl('H=A&TS=1,%E5')).toEqual(['TS: bad_encoding']);
    expect(fromUrl('H=%E5&TS=1,a')).toContain('H: bad_encoding');
    expect(fromUrl('H=A&TS=1,%00')).toEqual(['TS: invalid_value']);
  });

  test('[SEND-6] A label given twice has its first text, and any text may be a label', () => {
    expect(fromUrl('H=A,A&TS=1,x,y')).toEqual([['1', [['A', 'x']]]]);
    expect(fromUrl('H=__proto__,constructor&TS=1,x,y')).toEqual([
      [
        '1',
        [
          ['__proto__', 'x'],
          ['constructor', 'y'],
        ],
      ],
    ]);
    expect(fromJson(JSON.parse('[{"to":"1","subst":{"__proto__":"x"}}]'))).toEqual([
      ['1', [['__proto__', 'x']]],
    ]);
  });

  test('[SEND-6] Each tosubst object in JSON needs a number, and may have no texts', () => {
    expect(fromJson([{ to: '1' }, { to: '2', subst: null }])).toEqual([
      ['1', []],
      ['2', []],
    ]);
    expect(fromJson([{ subst: {} }, { to: 5 }, { to: '1', subst: { A: null } }, 'x'])).toEqual([
      'tosubst[0].to: missing_parameter',
      'tosubst[1].to: invalid_type',
      'tosubst[2].subst.A: invalid_type',
      'tosubst[3]: invalid_type',
    ]);
  });

  test('[SEND-6] A label has at most 100 characters', () => {
    const longest = '😀'.repeat(100);
    expect(fromUrl(`H=${encodeURIComponent(longest)}&TS=1,x`)).toEqual([['1', [[longest, 'x']]]]);
    expect(fromJson([{ to: '1', subst: { [longest]: 'x' } }])).toEqual([['1', [[longest, 'x']]]]);
    const label = 'x'.repeat(101);
    expect(fromUrl(`H=A,${label}&TS=1,x,y`)).toEqual(['H: invalid_value']);
    expect(fromJson([{ to: '1' }, { to: '2', subst: { A: 'x', [label]: 'y' } }])).toEqual([
      'tosubst[1].subst: invalid_value',
    ]);
  });

  test('[CONV-2] [SEND-6] Whatever can be said of substitutions in a URL means the same in JSON', () => {
    const label = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 5 })
      .filter((text) => text === text.trim() && text !== '');
    const labels = fc.uniqueArray(label, { minLength: 1, maxLength: 4 });
    const text = fc.string({ unit: 'grapheme', maxLength: 8 });
    const calls = labels.chain((names) =>
      fc.tuple(
        fc.constant(names),
        fc.array(fc.array(text, { minLength: names.length, maxLength: names.length }), {
          minLength: 1,
          maxLength: 4,
        }),
      ),
    );
    fc.assert(
      fc.property(calls, ([names, rows]) => {
        fc.pre(![...names, ...rows.flat()].some((some) => some.includes('\0')));
        const items = rows.flatMap((texts, index) => [String(index + 1), ...texts]);
        const query = `H=${names.map(encodeURIComponent)}&TS=${items.map(encodeURIComponent)}`;
        const json = rows.map((texts, index) => {
          const pairs = names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(texts[at])}`);
          return JSON.parse(`{"to":"${index + 1}","subst":{${pairs}}}`) as unknown;
        });
        const sorted = (entries: unknown) =>
          JSON.stringify(entries, (_, value) => (Array.isArray(value) ? [...value].sort() : value));
        expect(sorted(fromUrl(query))).toBe(sorted(fromJson(json)));
      }),
    );
  });
});
