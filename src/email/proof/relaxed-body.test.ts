/** Compares the relaxed form of bodies with the wording of RFC 6376 and with the hash that mailauth computes. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signed } from '../../../test/harness/signed-mail.ts';
import { relaxedBody } from './dkim-proof.ts';

const pieceOctets = 16;

function relaxed(body: string): string {
  return Buffer.concat([...relaxedBody(Buffer.from(body, 'latin1'), pieceOctets)]).toString('latin1');
}

test.each([
  ['white space in lines and at their ends', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
  ['nothing', '', ''],
  ['blank lines', '\r\n \t\r\n\r\n', ''],
  ['a last line without an end', 'a', 'a\r\n'],
  ['blank lines in front and between', '\r\n \r\na\r\n\t\r\nb \r\n', '\r\n\r\na\r\n\r\nb\r\n'],
  ['many blank lines', `a${'\r\n'.repeat(40)}b`, `a${'\r\n'.repeat(40)}b\r\n`],
])('[MAIL-3] The relaxed form of a mail body with %s is that of RFC 6376', (_name, body, expected) => {
  expect(relaxed(body)).toBe(expected);
});

test('[MAIL-3] The relaxed form of a mail body has the hash that signers sign', async () => {
  const token = fc.constantFrom(' ', '\t', '\r\n', 'a', 'b', '=', '  \r\n', '\r\n\r\n');
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 60 }), async (tokens) => {
      const body = `${tokens.join('')}\r\n`;
      const mail = await signed(Buffer.from(`From: kari@care.example\r\n\r\n${body}`));
      const hash = createHash('sha256').update(relaxed(body), 'latin1').digest('base64');
      expect(/bh=([^;]+);/.exec(mail.toString('latin1').replace(/\s/g, ''))?.[1]).toBe(hash);
    }),
    { numRuns: 100 },
  );
});

test('[MAIL-3] The relaxed form of a mail body comes in pieces of limited size', () => {
  const pieces = [...relaxedBody(Buffer.from(`a${'\r\n'.repeat(100)}${'b'.repeat(100)}`), pieceOctets)];
  expect(pieces.length).toBeGreaterThan(18);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(pieceOctets);
});
