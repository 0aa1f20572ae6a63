import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openLog, serializeError } from './log.ts';
import { NonBlockingOutput } from './non-blocking-output.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('errors in the log', () => {
  const serialized = (thrown: unknown) => JSON.stringify(serializeError(thrown));

  test('[RUN-4] Errors in the log say what they are and where they came from', () => {
    const error = new Error('outer', {
      cause: Object.assign(new TypeError('inner'), { code: 'ECONNREFUSED' }),
    });
    expect(serializeError(error)).toMatchObject({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'TypeError', message: 'inner', code: 'ECONNREFUSED' },
    });
    expect(serializeError('a sentence')).toBe('a sentence');
  });

  test('[RUN-4] Errors in the log hold no data, neither in further fields nor in what their messages quote', () => {
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
      expect(serialized(error)).not.toContain('private');
    }
    expect(syntax).toBeInstanceOf(SyntaxError);
  });

  test('[RUN-4] A chain of error causes that leads back to itself ends in the log', () => {
    const error = new Error('round');
    error.cause = error;
    expect(serialized(error).match(/round/g)).toHaveLength(4);
  });
});

describe('repeated lines', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function opened() {
    const lines: Record<string, unknown>[] = [];
    const output = new NonBlockingOutput(String, (bytes) => {
      lines.push(JSON.parse(bytes.toString()));
      return bytes.length;
    });
    return { lines, ...openLog('info', output) };
  }
  const refusal = () => Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });

  test('[RUN-4] Repeated log lines are counted, and reported after a minute by one line without a stack', () => {
    const { lines, log } = opened();
    for (let call = 1; call <= 1_000; call++)
      log.warn({ requestId: `${call}`, err: refusal() }, 'The store is away.');
    log.warn({ requestId: '1001', err: new Error('another') }, 'The store is away.');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ requestId: '1', err: { stack: expect.stringContaining('at ') } });
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({
      level: 'warn',
      msg: 'The store is away.',
      repeats: 999,
      err: { type: 'Error', message: 'connect failed', code: 'ECONNREFUSED' },
    });
    expect(lines[2]?.err).not.toHaveProperty('stack');
    expect(lines[2]).not.toHaveProperty('requestId');
    log.warn({ requestId: '1002', err: refusal() }, 'The store is away.');
    expect(lines).toHaveLength(4);
  });

  test('[RUN-4] The report of repeated log lines keeps the form of an error, with its causes and without data', () => {
    const { lines, log } = opened();
    const error = new Error('outer', { cause: thrownBy(() => JSON.parse('a private text')) });
    const thrown = { row: 'a private text' };
    for (let call = 1; call <= 2; call++) {
      log.error({ error }, 'failed');
      log.error({ err: thrown }, 'no error');
    }
    log.flush();
    expect(lines.slice(2)).toEqual([
      expect.objectContaining({
        repeats: 1,
        error: {
          type: 'Error',
          message: 'outer',
          cause: { type: 'SyntaxError', message: expect.any(String) },
        },
      }),
      expect.objectContaining({
        repeats: 1,
        err: { type: 'object', message: 'something that is not an error was thrown' },
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('private');
  });

  test('[RUN-4] Repeated log lines are counted, whatever their fields hold', () => {
    const { lines, log } = opened();
    const round: { self?: object } = {};
    round.self = round;
    for (let call = 1; call <= 3; call++) {
      log.warn({ round }, 'round');
      log.warn({ size: 1n }, 'big');
    }
    expect(lines).toHaveLength(2);
    log.flush();
    expect(lines.slice(2)).toMatchObject([
      { msg: 'round', repeats: 2 },
      { msg: 'big', repeats: 2 },
    ]);
  });

  test('[RUN-4] Of one kind of error only the first few different lines are logged; successes are logged every time', () => {
    const { lines, log } = opened();
    for (let call = 1; call <= 100; call++) log.error({ mail: call }, 'an e-mail could not be taken in');
    expect(lines).toHaveLength(30);
    log.flush();
    expect(lines.at(-1)).toMatchObject({ msg: 'an e-mail could not be taken in', others: 70 });
    for (let call = 1; call <= 100; call++) log.info('took an e-mail');
    expect(lines).toHaveLength(131);
  });
});
