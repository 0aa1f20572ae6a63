import { describe, expect, test } from 'vitest';
import { toldError } from './log.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('errors in the log', () => {
  const told = (thrown: unknown) => JSON.stringify(toldError(thrown));

  test('[RUN-4] say what they are and where they came from', () => {
    const error = new Error('outer', {
      cause: Object.assign(new TypeError('inner'), { code: 'ECONNREFUSED' }),
    });
    expect(toldError(error)).toMatchObject({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'TypeError', message: 'inner', code: 'ECONNREFUSED' },
    });
    expect(toldError('a sentence')).toBe('a sentence');
  });

  test('[RUN-4] hold no data, be it in further fields or in what their messages quote', () => {
    const canary = 'a private text';
    const row = Object.assign(new Error('violates a constraint'), {
      code: '23502',
      detail: canary,
      where: canary,
    });
    const syntax = thrownBy(() => JSON.parse(canary));
    const input = Object.assign(new Error(`invalid input syntax for type bigint: "${canary}"`), {
      code: '22P02',
    });
    for (const error of [row, syntax, input, { canary }, new Error('outer', { cause: syntax })]) {
      expect(told(error)).not.toContain('private');
    }
    expect(syntax).toBeInstanceOf(SyntaxError);
  });

  test('[RUN-4] causes that lead back to themselves end', () => {
    const error = new Error('round');
    error.cause = error;
    expect(told(error).match(/round/g)).toHaveLength(4);
  });
});
