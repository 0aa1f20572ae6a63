import { closeSync, openSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NonBlockingOutput } from './non-blocking-output.ts';

const tellLost = (lines: number) => `lost ${lines}\n`;

/** Fails with a system error code. */
function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Accepts this many bytes at a time; without room it throws like the system. */
function receiver() {
  const state = { text: '', room: Number.POSITIVE_INFINITY, code: 'EAGAIN' };
  const output = new NonBlockingOutput(tellLost, (bytes) => {
    if (state.room === 0) throw fault(state.code);
    const taken = bytes.subarray(0, state.room);
    state.text += taken.toString();
    state.room -= taken.length;
    return taken.length;
  });
  return { state, output };
}

describe('output that cannot be written', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('[RUN-4] A reader that stops reading makes nobody wait, and gets all of the output when it reads on', () => {
    const { state, output } = receiver();
    state.room = 4;
    output.write('first\n');
    output.write('second\n');
    expect(state.text).toBe('firs');
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
    expect(state.text).toBe('first\nsecond\n');
    expect(output.lostLines).toBe(0);
  });

  test('[RUN-4] Output waiting for a reader is bounded, and lost lines are counted and reported when it reads on', () => {
    const { state, output } = receiver();
    state.room = 0;
    const line = `${'x'.repeat(1_023)}\n`;
    for (let written = 0; written < 3_000; written++) output.write(line);
    expect(output.lostLines).toBe(3_000 - 1_024);
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
    expect(state.text).toBe(line.repeat(1_024) + tellLost(3_000 - 1_024));
  });

  test.each(['ENOSPC', 'EPIPE', 'EIO', 'EBADF'])(
    '[RUN-4] On %s lines are lost and counted, and the count is reported when lines are taken again',
    (code) => {
      const { state, output } = receiver();
      Object.assign(state, { room: 4, code });
      for (const line of ['first\n', 'second\n', 'third\n']) output.write(line);
      expect(output.lostLines).toBe(3);
      vi.advanceTimersByTime(10_000);
      output.write('fourth\n');
      state.room = Number.POSITIVE_INFINITY;
      vi.advanceTimersByTime(1_000);
      output.write('fifth\n');
      expect(state.text).toBe('firs\nlost 4\nfifth\n');
      expect(output.lostLines).toBe(4);
    },
  );

  test('[RUN-4] When the report of lost lines is written only in part, none of the count is lost', () => {
    const { state, output } = receiver();
    Object.assign(state, { room: 0, code: 'ENOSPC' });
    output.write('first\n');
    state.room = 3;
    vi.advanceTimersByTime(300);
    output.write('second\n');
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
    expect(state.text).toBe('los\nlost 2\n');
    expect(output.lostLines).toBe(2);
  });
});

test('[RUN-4] A device without room takes no line and causes no failure; the count is written when there is room', () => {
  const [full, roomy] = [openSync('/dev/full', 'w'), openSync('/dev/null', 'w')];
  let device = full;
  let written = '';
  const output = new NonBlockingOutput(tellLost, (bytes) => {
    const taken = writeSync(device, bytes);
    written += bytes.subarray(0, taken).toString();
    return taken;
  });
  output.write('nobody reads this\n');
  output.write('nor this\n');
  expect(output.lostLines).toBe(2);
  // Otherwise it would try again when the number of the closed device is that of another file or socket.
  device = roomy;
  output.flush();
  expect(written).toBe('lost 2\n');
  closeSync(full);
  closeSync(roomy);
});
