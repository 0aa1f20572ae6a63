/** Tests character sets, transfer encodings and soft line breaks, labelled correctly or wrongly. */
import { describe, expect, test } from 'vitest';
import { encodedMail, mailOf, rawMail, usualHeader } from '../../../test/harness/raw-mail.ts';

async function textOf(octets: Buffer): Promise<string> {
  return mailOf(octets).text.text;
}

const hello = 'Møtet er kl. 10 – 5 €';

describe('character sets and transfer encodings', () => {
  test.each([
    ['UTF-8', 'utf-8', Buffer.from('Møte – 5 €'), 'Møte – 5 €'],
    ['windows-1252', 'windows-1252', Buffer.from('M\xf8te \x96 5 \x80', 'latin1'), 'Møte – 5 €'],
    [
      'ISO-8859-1 that is windows-1252',
      'ISO-8859-1',
      Buffer.from('M\xf8te \x96 5 \x80', 'latin1'),
      'Møte – 5 €',
    ],
    ['ISO-8859-15', 'iso-8859-15', Buffer.from('5 \xa4', 'latin1'), '5 €'],
    ['ISO-8859-2', 'iso-8859-2', Buffer.from('\xa3\xf3d\xbc', 'latin1'), 'Łódź'],
    ['KOI8-R', 'koi8-r', Buffer.from('\xf0\xd2\xc9\xd7\xc5\xd4', 'latin1'), 'Привет'],
    ['windows-1251', 'windows-1251', Buffer.from('\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1'), 'Привет'],
    ['GB 18030', 'gb18030', Buffer.from('\xc4\xe3\xba\xc3', 'latin1'), '你好'],
    ['Big5', 'big5', Buffer.from('\xa7\x41\xa6\x6e', 'latin1'), '你好'],
    ['Shift_JIS', 'Shift_JIS', Buffer.from('\x82\xb1\x82\xf1', 'latin1'), 'こん'],
    ['ISO-2022-JP', 'iso-2022-jp', Buffer.from('\x1b$B$3$s\x1b(B', 'latin1'), 'こん'],
    ['EUC-KR', 'ks_c_5601-1987', Buffer.from('\xbe\xc8\xb3\xe7', 'latin1'), '안녕'],
    ['UTF-16 with its mark', 'utf-16', Buffer.from('\ufeffHallå', 'utf16le'), 'Hallå'],
    ['UTF-16BE', 'utf-16be', Buffer.from('Hallå', 'utf16le').swap16(), 'Hallå'],
    ['UTF-7', 'utf-7', Buffer.from('M+APg-te'), 'Møte'],
    ['DOS', 'cp850', Buffer.from('M\x9bte', 'latin1'), 'Møte'],
    ['a set that nobody knows, of UTF-8', 'x-nothing', Buffer.from('Møte'), 'Møte'],
    ['a set that nobody knows, of octets', 'x-nothing', Buffer.from('M\xf8te', 'latin1'), 'Møte'],
    ['a name for another way to write octets', 'hex', Buffer.from('Møte'), 'Møte'],
    ['UTF-8 that says Latin-1', 'iso-8859-1', Buffer.from('Møte'), 'Møte'],
    ['UTF-8 that says ASCII', 'us-ascii', Buffer.from('Møte'), 'Møte'],
    ['Latin-1 that says UTF-8', 'utf-8', Buffer.from('M\xf8te', 'latin1'), 'Møte'],
    [
      'UTF-8 with an octet that was lost',
      'utf-8',
      Buffer.concat([Buffer.from('Møtet på '), Buffer.from([0xc3]), Buffer.from('s er i år')]),
      'Møtet på \ufffds er i år',
    ],
    ['a label in quotes of the wrong kind', "'utf-8'", Buffer.from('Møte'), 'Møte'],
  ])('[MAIL-4] An e-mail is decoded by its true character set: %s', async (_name, charset, content, text) => {
    const type = `text/plain; charset=${charset}`;
    for (const encoding of ['base64', 'quoted-printable'] as const)
      expect(await textOf(encodedMail({ type, encoding, content }))).toBe(text);
  });

  test('[MAIL-4] An e-mail without a charset label is read as UTF-8 or, failing that, as Latin-1', async () => {
    expect(await textOf(rawMail(usualHeader, hello))).toBe(hello);
    expect(await textOf(rawMail(usualHeader, Buffer.from('M\xf8te', 'latin1')))).toBe('Møte');
  });

  test('[MAIL-4] The charset label within an HTML page is used to read an e-mail', async () => {
    const meta = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';
    const content = Buffer.concat([
      Buffer.from(`<html><head>${meta}</head>`),
      Buffer.from('\xa3\xf3d\xbc', 'latin1'),
    ]);
    expect(await textOf(encodedMail({ type: 'text/html', encoding: 'base64', content }))).toBe('Łódź');
  });

  test.each([
    ['a paragraph', 'no', 'This is \none line.\n\nAnd another.', 'This is one line.\n\nAnd another.'],
    ['with DelSp', 'yes', 'これは \n一行\n', 'これは一行'],
    ['a protected line', 'no', ' From here\n  and there', 'From here\n and there'],
    ['a signature behind', 'no', 'Hello \nyou\n-- \nKari \nCare', 'Hello you'],
    ['a quotation that ends softly', 'no', '> Shall \nYes.', 'Yes.'],
    ['a quotation', 'no', 'Yes.\n\n> Shall \n> we?\n>> No.', 'Yes.'],
  ])('[MAIL-4] The text of an e-mail with format=flowed is read: %s', async (_name, delsp, content, text) => {
    const type = `text/plain; charset=utf-8; format=flowed; delsp=${delsp}`;
    expect(await textOf(encodedMail({ type, encoding: '8bit', content }))).toBe(text);
  });

  test.each([
    ['without a semicolon', 'text/plain charset=iso-8859-15'],
    ['with a comment', 'text/plain (notes); charset="iso-8859-15"'],
    ['in capitals', 'TEXT/PLAIN; CHARSET=ISO-8859-15'],
    ['that is given twice', 'text/plain; charset=iso-8859-15; charset=utf-8'],
  ])('[MAIL-4] A Content-Type %s still gives the charset of an e-mail', async (_name, type) => {
    const content = Buffer.from('5 \xa4', 'latin1');
    expect(await textOf(encodedMail({ type, encoding: 'base64', content }))).toBe('5 €');
  });
});
