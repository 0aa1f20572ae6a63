/** Tests e-mails made to keep a server busy: none takes much more work than an ordinary e-mail of the maximum size. */
import { beforeAll, expect, test } from 'vitest';
import { htmlMail, mailOf, rawMail, runToEnd, usualHeader } from '../../../test/harness/raw-mail.ts';
import { UsualWork } from '../../../test/harness/usual-work.ts';
import { readHeader } from './header-fields.ts';
import { type Part, readParts } from './parts.ts';
import { maxHeaderFields, maxParts } from './reading-bounds.ts';

const megabyte = 1024 * 1024;

/** Repeats a text, which has SMTP's line endings. */
const repeated = (text: string, times: number): Buffer => Buffer.alloc(Buffer.byteLength(text) * times, text);

function nested(depth: number): Buffer {
  const levels = Array.from(
    { length: depth },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
  );
  return Buffer.from(`From: a@b.example\r\n${levels.join('')}\r\nDeep`);
}

const hello = Buffer.from('\r\nHello');
const mixed = [...usualHeader, 'Content-Type: multipart/mixed; boundary=b'];
const pdf = Buffer.concat([
  Buffer.from('--b\r\n\r\nHello\r\n--b\r\n'),
  Buffer.from('Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
  repeated(`${'A'.repeat(76)}\r\n`, 330_000),
  Buffer.from('--b--\r\n'),
]);
const withAttachment = () => rawMail(mixed, pdf);

/**
 * An e-mail with an attachment of 25 MB takes some 40 ms, and the others half to twice as much; quadratic work would take
 * seconds.
 */
const maxTimes = 20;

let usual: UsualWork;
beforeAll(() => {
  const mail = withAttachment();
  usual = new UsualWork(() => mailOf(mail));
});

test.each<[string, () => Buffer, string]>([
  ['25 MB of lines', () => rawMail(usualHeader, repeated('Hello.\r\n', 3 * megabyte)), 'Hello.'],
  ['25 MB in one line', () => rawMail(usualHeader, Buffer.alloc(25 * megabyte, 'a')), 'aaaa'],
  ['an attachment of 25 MB', withAttachment, 'Hello'],
  ['10,000 parts', () => rawMail(mixed, `--b\n\nHi\n`.repeat(10_000)), 'Hi'],
  ['parts 5,000 deep', () => nested(5_000), ''],
  ['lines that could be delimiters', () => rawMail(mixed, repeated('--\n', 8 * megabyte)), ''],
  ['tags that are left open', () => htmlMail('<b>'.repeat(700_000)), ''],
  ['tags that close nothing', () => htmlMail('<b>'.repeat(490) + '</i>'.repeat(500_000)), ''],
  ['paragraphs', () => htmlMail('<p>'.repeat(600_000)), ''],
  ['quotations within quotations', () => htmlMail('<blockquote type="cite">x'.repeat(80_000)), ''],
  ['an attribute without an end', () => htmlMail(`Hello<a href="${'x'.repeat(2 * megabyte)}`), 'Hello'],
  ['a style without sense', () => htmlMail(`<p style="${'display:'.repeat(40_000)}">Hello`), 'Hello'],
  [
    'attributes',
    () => htmlMail(`<p ${Array.from({ length: 50_000 }, (_, i) => `a${i}`).join(' ')}>Hello`),
    'Hello',
  ],
  ['less-than signs', () => htmlMail('<'.repeat(2 * megabyte)), '<<<<'],
  ['ampersands', () => htmlMail('&amp'.repeat(megabyte / 2)), '&&&&'],
  ['comments without an end', () => htmlMail(`Hello${'<!--'.repeat(500_000)}`), 'Hello'],
  [
    '3 million fields',
    () => Buffer.concat([Buffer.from('From: a@b.example\r\n'), repeated('X: y\r\n', 3 * megabyte), hello]),
    '',
  ],
  [
    'a field of 5 million lines',
    () => Buffer.concat([Buffer.from('Subject: a\r\n'), repeated(' b\r\n', 5 * megabyte), hello]),
    '',
  ],
  [
    'a field of more lines than any has',
    () => Buffer.from(`Subject: a\r\n${' b\r\n'.repeat(9_000)}\r\nHello`),
    '',
  ],
  ['comments in From', () => rawMail([`From: ${'('.repeat(60_000)}`], 'Hello'), 'Hello'],
  ['a Content-Type of one word', () => rawMail([`Content-Type: ${'a'.repeat(100_000)}`], 'Hello'), 'Hello'],
  [
    'lines that might introduce',
    () => rawMail(usualHeader, repeated(`On 2024-01-01 ${'x'.repeat(60)} wrot:\r\n`, 25_000)),
    'On',
  ],
  ['quoted lines', () => rawMail(usualHeader, repeated('> a\r\n', 500_000)), ''],
  [
    'a line of tabs above what ends an e-mail',
    () => rawMail(usualHeader, `${'\t'.repeat(200_000)}x\n-----Original Message-----\nx`),
    '',
  ],
  [
    'units of base64',
    () => rawMail(['Content-Transfer-Encoding: base64'], 'QUI='.repeat(2 * megabyte)),
    'ABAB',
  ],
  ['lines of labels', () => rawMail(usualHeader, repeated('to:\r\n', 500_000)), 'to:'],
  ['blank lines', () => rawMail(usualHeader, repeated('\r\n', 2 * megabyte)), ''],
  ['a line of spaces', () => rawMail(usualHeader, `${' '.repeat(2 * megabyte - 5)}Hello`), ''],
  [
    'soft line breaks',
    () => rawMail(['Content-Type: text/plain; format=flowed'], repeated('a \r\n', 500_000)),
    'a a',
  ],
])('[MAIL-4] An e-mail with %s is read at a bounded cost', async (_name, octets, beginning) => {
  const mail = octets();
  const { text } = mailOf(mail);
  await usual.expectAtMost(maxTimes, () => mailOf(mail));
  if (beginning === '') expect(text.text).toBe('');
  else expect(text.text.startsWith(beginning)).toBe(true);
  expect(text.text.length).toBeLessThanOrEqual(100_000);
  expect(text.text === '' ? text.whyEmpty : undefined).toBe(text.whyEmpty);
});

function partsOf(octets: Uint8Array): Part {
  return runToEnd(readParts(octets, readHeader(octets)));
}

function depthOf({ children }: Part): number {
  return 1 + Math.max(0, ...children.map(depthOf));
}

test('[MAIL-4] The parts of an e-mail are found, up to the number and depth that people need', () => {
  const two = partsOf(rawMail(mixed, '--b\n\nOne\n\n--b\n\nTwo\n--b--\nbehind'));
  expect(two.children.map(({ body }) => Buffer.from(body).toString())).toEqual(['One\r\n', 'Two']);
  expect(partsOf(rawMail(mixed, '--b\n\nHi\n'.repeat(5_000))).children.length).toBeLessThanOrEqual(maxParts);
  expect(depthOf(partsOf(nested(100)))).toBeLessThanOrEqual(12);
  expect(partsOf(rawMail(mixed, `${'--x\n'.repeat(60_000)}--b\n\nHi\n`)).children).toEqual([]);
});

test('[MAIL-3] A mail header that is far too large has a fault, and so has a malformed one', () => {
  const fields = 'X: y\r\n'.repeat(maxHeaderFields + 2);
  expect(readHeader(Buffer.from(`${fields}From: a@b.example\r\n\r\n`)).fault).toBe(
    'is longer than an e-mail needs',
  );
  expect(readHeader(Buffer.from('From a@b.example\r\nX: y\r\n\r\n')).fault).toBe(
    'has a line that is not a field',
  );
  expect(readHeader(Buffer.from('X: y\rFrom: a@b.example\r\n\r\n')).fault).toMatch(/carriage return/);
  expect(readHeader(Buffer.from(' X: y\r\n\r\n')).fault).toBe('has a line that is not a field');
  expect(readHeader(Buffer.from('X : y\r\n z\r\n\r\nbo\ndy'))).toEqual({
    fields: [{ name: 'x', value: 'y z', start: 0, end: 11 }],
    bodyStart: 13,
    fault: undefined,
  });
});

test.each([
  ['between fields', 'X: y\nFrom: a@b.example\r\n\r\n'],
  ['within one', 'X: y\n z\r\n\r\n'],
  ['before the empty line', 'X: y\n\r\nHello'],
  ['at its end', 'X: y\r\n\nFrom: a@b.example\r\n\r\n'],
])(
  '[MAIL-3] A line feed alone is a fault in the header of an e-mail, but not in that of a part: %s',
  (_name, text) => {
    expect(readHeader(Buffer.from(text)).fault).toBe('has a line that does not end in CR LF');
    expect(readHeader(Buffer.from(text), { isPart: true }).fault).toBeUndefined();
  },
);
