import { describe, expect, test } from 'vitest';
import { Faults } from '../../http/parameters/faults.ts';
import { ParameterTable } from '../../http/parameters/table.ts';
import { holderParameters, sendParameters, substitutionOf } from './parameters.ts';

const holders = new ParameterTable(holderParameters);
const table = new ParameterTable(sendParameters);

function substitutions(body: Readonly<Record<string, unknown>>) {
  const faults = new Faults();
  const subst = substitutionOf(holders.fromJson(body, faults));
  faults.throwIfAny();
  return subst === undefined ? undefined : Object.entries(subst);
}

describe('the pairs of holders and texts', () => {
  test('[SEND-18] Pairs of holders and texts make a substitution', () => {
    const body = { holder1: 'A', subst1: '1', holder3: 'C', subst3: '3', holder5: 'E', subst5: '5' };
    expect(substitutions(body)).toEqual([
      ['A', '1'],
      ['C', '3'],
      ['E', '5'],
    ]);
  });

  test('[SEND-18] Without a single holder there is no substitution', () => {
    expect(substitutions({})).toBeUndefined();
    expect(substitutions({ subst1: 'x', holder2: '', holder6: 'F', subst6: '6' })).toBeUndefined();
  });

  test('[SEND-18] A holder without a text is replaced by nothing, and of equal holders the first counts', () => {
    expect(substitutions({ holder4: 'D' })).toEqual([['D', '']]);
    expect(substitutions({ holder1: 'A', holder2: 'A', subst2: '2' })).toEqual([['A', '']]);
  });

  test('[SEND-6] A holder may be any text', () => {
    const body = { holder1: '__proto__', subst1: '1', holder2: 'constructor', subst2: '2' };
    expect(substitutions(body)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });
});

describe('the parameters of sending', () => {
  test('[SEND-1] The parameters of sending have their defaults when nothing is given', () => {
    const faults = new Faults();
    const fromJson = table.fromJson({}, faults);
    expect(fromJson).toMatchObject({
      flash: false,
      validminutes: 1_440,
      replacecharacters: false,
      checknumber: false,
      twoway: false,
    });
    expect(table.fromUrl(new Map(), faults)).toEqual(fromJson);
    expect(faults.count).toBe(0);
  });

  test('[SEND-1] In a URL the parameters of sending have the names of the contract', () => {
    const names = ['F', 'M', 'M8', 'TPID', 'TPONLY', '2', 'X', 'C', 'Z', 'V', 'D', 'R', 'AT', 'check'];
    const own = Object.values(table.parameters).flatMap(({ urlNames }) => urlNames.map(({ name }) => name));
    expect(own).toEqual(expect.arrayContaining(names));
  });

  test('[SEND-13] The parameter validminutes is a whole number from 1 to 10080', () => {
    const validity = (json: unknown) => {
      const faults = new Faults();
      const { validminutes } = table.fromJson({ validminutes: json }, faults);
      return faults.count === 0 ? validminutes : undefined;
    };
    expect([1, '1', 10_080, '10080'].map(validity)).toEqual([1, 1, 10_080, 10_080]);
    for (const wrong of [0, '0', 10_081, '10081', 1.5, '1.5', -1, 'x', true, []]) {
      expect(validity(wrong), String(wrong)).toBeUndefined();
    }
  });
});
