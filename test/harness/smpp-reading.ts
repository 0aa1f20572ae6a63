/** Decodes all octets at once and returns what the reader found. */
import { expect } from 'vitest';
import { type DecodeFault, type Pdu, PduReader } from '../../src/wire/smpp/pdu.ts';

export function readAll(...chunks: readonly Buffer[]): (Pdu | DecodeFault)[] {
  const reader = new PduReader();
  const read: (Pdu | DecodeFault)[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let next = reader.next(); next !== undefined; next = reader.next()) read.push(next);
  }
  return read;
}

export function readOne(octets: Buffer): Pdu | DecodeFault {
  const [read, ...more] = readAll(octets);
  expect(more).toEqual([]);
  return read!;
}
