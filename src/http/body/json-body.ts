/** Reads a request's body as a JSON object, whatever its Content-Type says (API: conventions). */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../foundation/errors.ts';
import type { JsonObject } from '../parameters/table.ts';
import { findJsonFault } from './json-fault.ts';

const noFields: JsonObject = Object.freeze({});

/** A body of no bytes is an empty object. */
export function parseJsonObject(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return noFields;
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  const text = bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The engine's own message may repeat a part of the body, which may hold a password.
    throw new ServiceError('bad_json', `The body is not proper JSON: ${sentenceOfFault(text)}`);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject;
  const kind = Array.isArray(json) ? 'a list' : json === null ? 'null' : `a ${typeof json}`;
  throw new ServiceError(
    'bad_json',
    `The body must be one JSON object, { … }, but is ${kind}, from line 1, column 1 on.`,
  );
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function sentenceOfFault(text: string): string {
  const { offset, expected } = findJsonFault(text);
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return sentenceOfPlace(expected, { line, column, character: offset + 1 });
}

/** All counted from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly character: number;
}

export function sentenceOfPlace(expected: string, { line, column, character }: TextPosition): string {
  return `${expected} is expected at line ${line}, column ${column} (character ${character}).`;
}

function notUtf8(bytes: Buffer): ServiceError {
  return new ServiceError(
    'bad_encoding',
    `The body must be JSON in UTF-8, but byte ${firstByteNotUtf8(bytes) + 1} belongs to no UTF-8 character. Compressed bodies and other charsets are not taken.`,
  );
}

/** Of bytes that are not UTF-8. */
export function firstByteNotUtf8(bytes: Buffer): number {
  let offset = 0;
  while (offset < bytes.length) {
    const lead = bytes[offset] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > 1 && !isUtf8(bytes.subarray(offset, offset + length))) return offset;
    offset += length;
  }
  return offset;
}
