import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDomain, parseEmailAddress } from './email-address.ts';

function addressOf(text: string): string | undefined {
  const parsed = parseEmailAddress(text);
  return parsed.ok ? `${parsed.value.local}@${parsed.value.domain}` : undefined;
}

function faultOf(text: string): string {
  const parsed = parseEmailAddress(text);
  if (parsed.ok) throw new Error(`${text} is an address`);
  expect(parsed.code).toBe('invalid_email');
  return parsed.error;
}

describe('one address has one form', () => {
  test.each([
    ['ward7@care.example', 'ward7@care.example'],
    ['Ward7@CARE.Example', 'ward7@care.example'],
    ['"ward7"@care.example', 'ward7@care.example'],
    ['"Ward\\7"@care.example', 'ward7@care.example'],
    ['"john doe"@care.example', '"john doe"@care.example'],
    ['"a@b"@care.example', '"a@b"@care.example'],
    ['"a\\"b\\\\"@care.example', '"a\\"b\\\\"@care.example'],
    ['"a..b"@care.example', '"a..b"@care.example'],
    ['""@care.example', '""@care.example'],
    ["o'hara+sms=1{}|~!#$%&*/?^_`-@care.example", "o'hara+sms=1{}|~!#$%&*/?^_`-@care.example"],
    ['a@localhost', 'a@localhost'],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    ['a@faß.example', 'a@xn--fa-hia.example'],
    // IDNA treats these variants of width, dot and case as equal.
    ['a@ｃａｒｅ。example', 'a@care.example'],
    ['a@\u212Aare.example', 'a@kare.example'],
    // The Cyrillic а makes this a different domain, as its form shows.
    ['a@c\u0430re.example', 'a@xn--cre-6cd.example'],
    [`${'x'.repeat(64)}@care.example`, `${'x'.repeat(64)}@care.example`],
    [`a@${'x'.repeat(63)}.example`, `a@${'x'.repeat(63)}.example`],
  ])('[E2S-1] An e-mail address is converted to its canonical form: %s', (written, form) => {
    expect(addressOf(written)).toBe(form);
    expect(addressOf(form)).toBe(form);
  });
});

describe('what is not an address is refused with a reason', () => {
  test.each([
    ['', 'has no @'],
    ['ward7', 'has no @'],
    ['@', 'has nothing before its @'],
    ['a@', 'is empty'],
    ['a@.', 'dot'],
    ['a@b..c', 'two in a row'],
    ['a@.care.example', 'dot'],
    ['a@care.example.', 'dot'],
    ['a@b@c', 'more than one @'],
    ['a b@care.example', '%2B'],
    ['.a@care.example', 'a name that no address can have'],
    ['a.@care.example', 'a name that no address can have'],
    ['a..b@care.example', 'a name that no address can have'],
    ['"a"b@care.example', 'a name that no address can have'],
    ['"a@care.example', 'a name that no address can have'],
    ['"a\tb"@care.example', 'a name that no address can have'],
    ['a\0@care.example', 'a name that no address can have'],
    ['a\u007f@care.example', 'a name that no address can have'],
    ['a\r\nBcc: b@care.example', 'space'],
    ['(comment)a@care.example', 'a name that no address can have'],
    ['Anna <anna@care.example>', 'space'],
    ['<anna@care.example>', 'a name that no address can have'],
    // Characters that look like a, k, and a dot.
    ['\u0430nna@care.example', 'a name that no address can have'],
    ['\u212Aate@care.example', 'a name that no address can have'],
    ['a\u2024b@care.example', 'a name that no address can have'],
    ['jürgen@care.example', 'a name that no address can have'],
    ['\ud800@care.example', 'a name that no address can have'],
    ['a@care_x.example', 'contains “_”'],
    ['a@care example', 'contains “ ”'],
    ['a@care\0.example', 'contains'],
    ['a@care\t.example', 'contains'],
    ['a@care.example:25', 'contains “:”'],
    ['a@care.example/x', 'contains “/”'],
    ['a@c%61re.example', 'contains “%”'],
    ['a@[127.0.0.1]', 'contains “[”'],
    ['a@127.0.0.1', 'ends with a number'],
    ['a@１２７.1', 'ends with a number'],
    ['a@0x7f.1', 'ends with a number'],
    ...['xn--a', 'xn--abc', 'xn--0', 'xn--xn---epa', 'xn--99999999999999', 'xn--a-ecp', 'xn--iñvalid'].map(
      (label) => [`a@${label}.example`, 'IDNA'],
    ),
    ['a@\ud800.example', 'domain'],
    ['a@\u202e.example', 'IDNA'],
    ['a@-care.example', 'inner hyphens'],
    ['a@care-.example', 'inner hyphens'],
    [`a@${'x'.repeat(64)}.example`, 'inner hyphens'],
    [`a@${'ü'.repeat(60)}.example`, ''],
    [`${'x'.repeat(65)}@care.example`, 'more than 64'],
    [`a@${'x.'.repeat(126)}example`, 'more than 25'],
    [`${'x'.repeat(10_000)}@care.example`, 'more than 254'],
    [`a@${'x'.repeat(10_000)}.example`, 'more than 254'],
  ])('[E2S-1] The text %j is refused as an e-mail address', (written, why) => {
    expect(faultOf(written)).toContain(why);
    expect(faultOf(written).length).toBeLessThan(250);
  });

  test('[E2S-1] An e-mail address may have 254 characters in its final form', () => {
    const domain = (length: number) => `${'x.'.repeat(95).slice(0, length - '.example'.length - 1)}y.example`;
    expect(addressOf(`${'x'.repeat(64)}@${domain(189)}`)).toHaveLength(254);
    expect(faultOf(`${'x'.repeat(64)}@${domain(190)}`)).toContain('254');
    // Short enough as written, but too long in the form that mail servers use.
    expect(faultOf(`${'x'.repeat(64)}@ü.${domain(182)}`)).toContain('254');
  });
});

test('[E2S-1] An e-mail domain on its own follows the same rules as in an address', () => {
  expect(parseDomain('Care.Example')).toEqual({ ok: true, value: 'care.example' });
  expect(parseDomain('')).toMatchObject({ ok: false, code: 'invalid_email' });
  expect(parseDomain('a@b')).toMatchObject({ ok: false });
});

test('[E2S-1] Any text gives an e-mail address in a stable ASCII form of bounded length, or a fault', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .tuple(fc.string({ unit: 'binary', maxLength: 9 }), fc.string({ unit: 'binary', maxLength: 9 }))
      .map((pair) => pair.join('@')),
    fc.tuple(fc.constantFrom('a', '"a b"', 'A.b'), fc.domain()).map((pair) => pair.join('@')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const form = addressOf(written);
      if (form === undefined) return faultOf(written).length < 250;
      expect(form).toMatch(/^[ -~]{3,254}$/);
      expect(form).toBe(form.toLowerCase());
      expect(addressOf(form)).toBe(form);
      return true;
    }),
    { numRuns: 2_000 },
  );
});
