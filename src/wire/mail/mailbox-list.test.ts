/** Tests which addresses are read from the From field, and that nothing is guessed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMailboxList } from './mailbox-list.ts';

const addressesOf = (value: string) =>
  parseMailboxList(value).mailboxes.map(({ local, domain }) => `${local}@${domain}`);

describe('a list of mailboxes', () => {
  test.each([
    ['an address', 'kari@care.example', ['kari@care.example']],
    ['a name', 'Kari Nordmann <kari@care.example>', ['kari@care.example']],
    ['a quoted name with an address in it', '"boss@bank.example" <kari@care.example>', ['kari@care.example']],
    ['a name that is an address', 'boss@bank.example <kari@care.example>', ['kari@care.example']],
    ['a name with dots and brackets', 'K. N. [Care] <kari@care.example>', ['kari@care.example']],
    ['an encoded name', '=?utf-8?Q?=3Cboss=40bank=2Eexample=3E?= <kari@care.example>', ['kari@care.example']],
    ['comments, nested', '(a (b) \\) c) kari (d) @ (e) care.example (f)', ['kari@care.example']],
    ['comments within brackets', '<kari@(boss@bank.example)care.example>', ['kari@care.example']],
    ['a quoted local part', '"kari nordmann"@care.example', ['kari nordmann@care.example']],
    ['a quoted local part with an @', '"kari@bank.example"@care.example', ['kari@bank.example@care.example']],
    ['escapes', '"a\\"b\\\\c"@care.example', ['a"b\\c@care.example']],
    ['white space around dots', 'kari . n @ care . example', ['kari.n@care.example']],
    ['letters of other alphabets', 'Kåre <kåre@bücher.example>', ['kåre@bücher.example']],
    ['two', 'a@b.example, "C, D" <c@d.example>', ['a@b.example', 'c@d.example']],
    ['empty elements', ', a@b.example,,', ['a@b.example']],
    ['a group', 'People: a@b.example, c@d.example;', ['a@b.example', 'c@d.example']],
    ['an empty group', 'undisclosed-recipients:;', []],
    ['nothing', '', []],
  ])('[MAIL-3] A list of mailboxes is read: %s', (_name, value, addresses) => {
    expect(parseMailboxList(value).fault).toBeUndefined();
    expect(addressesOf(value)).toEqual(addresses);
  });

  test.each([
    ['two addresses in brackets', '<a@b.example> <c@d.example>'],
    ['brackets within brackets', '<a<c@d.example>@b.example>'],
    ['an address behind brackets', '<a@b.example> c@d.example'],
    ['two @', 'a@b.example@c.example'],
    ['two addresses without a comma', 'a@b.example c@d.example'],
    ['a route', '<@c.example:a@b.example>'],
    ['no @', 'kari'],
    ['an encoded address', '=?utf-8?Q?kari=40care=2Eexample?='],
    ['nothing before the @', '@care.example'],
    ['nothing behind the @', 'kari@'],
    ['an open quotation', '"kari <kari@care.example>'],
    ['an open comment', '(kari <kari@care.example>'],
    ['an open bracket', 'Kari <kari@care.example'],
    ['a closing bracket', 'kari@care.example>'],
    ['a machine', 'kari@[192.0.2.1]'],
    ['a quoted domain', 'kari@"care.example"'],
    ['dots in a row', 'kari..n@care.example'],
    ['a group within a group', 'A: B: a@b.example;;'],
    ['addresses without number', 'a@b.example,'.repeat(1_100)],
    ['an end of a group without its beginning', 'a@b.example;'],
    ['control characters', 'kari\u0001@care.example'],
    ['what could not be decoded', 'kari\ufffd@care.example'],
  ])('[MAIL-3] A list of mailboxes with %s is refused', (_name, value) => {
    expect(parseMailboxList(value).fault).toMatch(/^(has|holds|is) /);
  });

  test('[MAIL-3] Any text as a list of mailboxes gives an answer without an exception', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '@',
      ',',
      ';',
      ':',
      '.',
      '"',
      '\\',
      '(',
      ')',
      ' ',
      'a',
      'b.example',
      'å',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
        const { mailboxes, fault } = parseMailboxList(all.join(''));
        expect(Array.isArray(mailboxes)).toBe(true);
        expect(fault === undefined || fault.length > 3).toBe(true);
        for (const { local, domain } of mailboxes) expect(local === '' && domain === '').toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('[MAIL-3] An address in a list of mailboxes is read as it was written', () => {
    const local = fc.string({
      unit: fc.constantFrom('a', 'B', '"', '\\', '@', ' ', '.', '<', ','),
      minLength: 1,
    });
    fc.assert(
      fc.property(local, (text) => {
        const quoted = `"${text.replace(/["\\]/g, '\\$&')}"@care.example`;
        for (const written of [quoted, `<${quoted}>`, `N "a@b" (c@d) <${quoted}>`])
          expect(parseMailboxList(written)).toEqual({
            mailboxes: [{ local: text, domain: 'care.example' }],
            hasGroup: false,
            fault: undefined,
          });
      }),
    );
  });
});
