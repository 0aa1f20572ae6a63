import { describe, expect, test } from 'vitest';
import { faultOf, fromJson, fromUrl } from '../../../test/harness/http-parameters.ts';

describe('faults', () => {
  test('[CONV-10] The first fault gives the error its code and sentence, which says how many more faults there are', () => {
    const fault = faultOf(() => fromJson({ flash: 'yes', validminutes: 0, message: 1 }));
    expect(fault.code).toBe('invalid_type');
    expect(fault.message).toBe('`message` must be a string, but is a number. (2 more faults: see `errors`.)');
  });

  test('[CONV-10] At most 100 faults are listed in an error, and all are counted', () => {
    const fault = faultOf(() => fromJson({ to: Array.from({ length: 1000 }, () => false) }));
    expect(fault.errors).toHaveLength(100);
    expect(fault.errors[99]?.field).toBe('to[99]');
    expect(fault.message).toContain('999 more faults');
  });

  test.each([[{ twoway: true }], [{ templateid: '5' }], [{ templateid: 5 }], ['2=T'], ['TPID=5']])(
    '[CONV-2] A parameter that is not built yet is refused: %j',
    (given) => {
      const fault = faultOf(() => (typeof given === 'string' ? fromUrl(given) : fromJson(given)));
      expect(fault.code).toBe('not_available');
    },
  );

  test('[CONV-2] A parameter that is not built yet may be switched off', () => {
    expect(fromJson({ twoway: false, templateid: null }).twoway).toBeUndefined();
    expect(fromUrl('2=NO&TPID=').twoway).toBeUndefined();
    expect(faultOf(() => fromUrl('2=perhaps')).code).toBe('invalid_value');
  });
});
