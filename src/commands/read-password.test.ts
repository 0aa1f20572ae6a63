import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readAll, readUnseen } from './read-password.ts';

describe('a new password', () => {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  afterEach(() => void vi.restoreAllMocks());

  /** Behaves like a terminal. */
  function terminal() {
    const modes: boolean[] = [];
    const setRawMode = (raw: boolean) => void modes.push(raw);
    return { modes, keys: Object.assign(new PassThrough(), { setRawMode }) };
  }

  test('[RUN-3] A new password is typed on a terminal that shows none of it, and can be corrected there', async () => {
    const { modes, keys } = terminal();
    const typed = readUnseen(keys, 'New password: ');
    keys.write('wrong\u0015corrrect hör\u007f\u007f');
    keys.write('orse\r');
    expect(await typed).toBe('corrrect horse');
    expect(modes).toEqual([true, false]);
    expect(written).toEqual(['New password: ', '\n']);
  });

  test('[RUN-3] A second password is typed on the same terminal, and Ctrl-C cancels it', async () => {
    const { modes, keys } = terminal();
    const first = readUnseen(keys, 'New password: ');
    keys.write('first\n');
    expect(await first).toBe('first');
    const second = readUnseen(keys, 'Once more: ');
    keys.write('second\u0003');
    await expect(second).rejects.toThrow('Nothing was changed.');
    expect(modes).toEqual([true, false, true, false]);
  });

  test('[RUN-3] A password from standard input is its only line, with or without a line end', async () => {
    const read = (...chunks: readonly (string | Buffer)[]) => readAll(Readable.from(chunks));
    expect(await read('correct horse\n')).toBe('correct horse');
    expect(await read('correct ', 'horse\r\n')).toBe('correct horse');
    expect(await read(' kör \u0001 "x"')).toBe(' kör \u0001 "x"');
    await expect(read('one\ntwo\n')).rejects.toThrow('more than one line');
    await expect(read(Buffer.from([0x6b, 0xf6, 0x72]))).rejects.toThrow('not UTF-8');
    await expect(read('x'.repeat(70_000))).rejects.toThrow('too long');
  });
});
