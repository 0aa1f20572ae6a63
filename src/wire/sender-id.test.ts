import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSender } from './sender-id.ts';

describe('sender ids', () => {
  test.each<[written: string, value: string]>([
    ['Acme', 'Acme'],
    ['A', 'A'],
    ['2345678901x', '2345678901x'],
    ['  Acme  ', 'Acme'],
    ['Acme Corp', 'Acme Corp'],
    ['Bærum Øst', 'Bærum Øst'],
    ['A\u030angstrom', 'Ångstrom'],
    ['Café', 'Café'],
    ['H&M', 'H&M'],
    ['Acme_no', 'Acme_no'],
    ['e-Post', 'e-Post'],
    ['acme.com', 'acme.com'],
    ['Yahoo!', 'Yahoo!'],
    ["McDonald's", "McDonald's"],
    ['Plus+', 'Plus+'],
    ['24/7', '24/7'],
    ['7 Eleven', '7 Eleven'],
  ])('[SEND-15] %j is alphanumeric', (written, value) => {
    expect(parseSender(written)).toEqual({ ok: true, value: { kind: 'alphanumeric', value } });
  });

  test.each<[written: string, value: string]>([
    ['123', '123'],
    ['26112', '26112'],
    ['4790012345', '4790012345'],
    ['+47 900 12 345', '4790012345'],
    ['+47\u00a0900-12.345', '4790012345'],
    ['(47) 90012345', '4790012345'],
    ['004790012345', '4790012345'],
    ['123456789012345', '123456789012345'],
    ['090012345', '090012345'],
  ])('[SEND-15] %j is a number', (written, value) => {
    expect(parseSender(written)).toEqual({ ok: true, value: { kind: 'number', value } });
  });

  test.each<[written: string, why: string]>([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['12', 'has 2 digits'],
    ['1', 'has 1 digit.'],
    ['1234567890123456', 'has 16 digits'],
    ['AcmeCompany1', 'has 12 characters'],
    ['Acme@Corp', 'contains “@”'],
    ['Acme\0', 'contains “\0”'],
    ['Acme\nCorp', 'contains “\n”'],
    ['{Acme}', 'contains “{”'],
    ['Acme€', 'contains “€”'],
    ['Acme|x', 'contains “|”'],
    ['Аcme', 'contains “А”'],
    ['ΔΦΓ', 'contains “Δ”'],
    ['Acme😀', 'contains “😀”'],
    ['Acme\u00a0Co', 'contains “\u00a0”'],
    ['&&&', 'neither a letter nor a digit'],
    ['+', 'neither a letter nor a digit'],
    ['x'.repeat(61), 'too long'],
    ['4790601007.0', 'has decimals'],
    ['26112.0', 'has decimals'],
    ['47 906 01 007.0', 'has decimals'],
  ])('[SEND-15] The sender id %j is refused: %s', (written, why) => {
    expect(parseSender(written)).toMatchObject({
      ok: false,
      code: 'invalid_sender',
      error: expect.stringContaining(why),
    });
  });

  test('[SEND-15] An accepted sender id has 1 to 11 characters without @ or NUL, or 3 to 15 digits, and is accepted again', () => {
    const written = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 14 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 14 }),
      fc.stringMatching(/^[+0-9 .()-]{0,20}$/),
    );
    fc.assert(
      fc.property(written, (text) => {
        const result = parseSender(text);
        if (!result.ok) {
          expect(result.error.length).toBeLessThan(250);
          return;
        }
        const { kind, value } = result.value;
        if (kind === 'number') expect(value).toMatch(/^[0-9]{3,15}$/);
        else expect(value).toMatch(/^[^@\0]{1,11}$/u);
        if (!value.startsWith('00')) expect(parseSender(value)).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });
});
