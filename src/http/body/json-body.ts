/**
 * Reads a request body as a JSON object, whatever its Content-Type, and locates the fault if it is not one (API:
 * conventions).
 */

import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../foundation/errors.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { JsonObject } from '../parameters/table.ts';
import type { Body } from './body.ts';

const noFields: JsonObject = Object.freeze({});

/** An empty body counts as an empty object. */
export function parseJsonObject(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return noFields;
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  const text = bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The engine's own message may repeat part of the body, which may contain a password.
    throw new ServiceError('bad_json', sentenceOfFault(text));
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject;
  const kind = Array.isArray(json) ? 'a list' : json === null ? 'null' : `a ${typeof json}`;
  throw new ServiceError('bad_json', { sentence: 'json_kind', kind });
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function sentenceOfFault(text: string): Sentence {
  const { offset, expected } = findJsonFault(text);
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return { sentence: 'json_broken', expected, line, column, character: offset + 1 };
}

/** All positions are counted from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly character: number;
}

/** The bytes start at offset `from` of the body. */
function notUtf8(bytes: Buffer, from = 0): ServiceError {
  return new ServiceError('bad_encoding', {
    sentence: 'json_not_utf8',
    byte: from + firstByteNotUtf8(bytes) + 1,
  });
}

/** The bytes must be known not to be UTF-8. */
function firstByteNotUtf8(bytes: Buffer): number {
  let offset = 0;
  while (offset < bytes.length) {
    const lead = bytes[offset] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > 1 && !isUtf8(bytes.subarray(offset, offset + length))) return offset;
    offset += length;
  }
  return offset;
}

/** Where a text stops being JSON, which the engine's own parser does not always report (RFC 8259). */
interface JsonFault {
  /** The offset of the first invalid character, word or escape; the text's length if it ends too early. */
  readonly offset: number;
  /** What would be valid there, in words. */
  readonly expected: string;
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const whiteSpace = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them raw.
const plainCharacters = /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Call it only with a text known not to be JSON. It keeps its own stack because nesting may be millions deep. */
export function findJsonFault(text: string): JsonFault {
  const open: ('{' | '[')[] = [];
  let at = skip(text, whiteSpace, 0);
  for (;;) {
    // A value begins here.
    const character = text[at];
    if (character === '{' || character === '[') {
      const next = skip(text, whiteSpace, at + 1);
      if (text[next] === (character === '{' ? '}' : ']')) {
        at = next + 1;
      } else {
        open.push(character);
        at = next;
        if (character === '[') continue;
        const key = keyAt(text, at);
        if (typeof key !== 'number') return key;
        at = key;
        continue;
      }
    } else {
      const end = scalarAt(text, at);
      if (typeof end !== 'number') return end;
      at = end;
    }
    // A value has ended here: close containers up to a comma that begins the next value.
    const next = afterValue(text, at, open);
    if (typeof next !== 'number') return next;
    at = next;
  }
}

function afterValue(text: string, from: number, open: ('{' | '[')[]): number | JsonFault {
  let at = from;
  for (;;) {
    at = skip(text, whiteSpace, at);
    const container = open.at(-1);
    if (container === undefined) return { offset: at, expected: 'the end of the text' };
    const close = container === '{' ? '}' : ']';
    if (text[at] === close) {
      open.pop();
      at += 1;
    } else if (text[at] === ',') {
      at = skip(text, whiteSpace, at + 1);
      return container === '{' ? keyAt(text, at) : at;
    } else {
      return { offset: at, expected: `a comma or "${close}"` };
    }
  }
}

/** Skips a key and its colon, to where its value begins. */
function keyAt(text: string, at: number): number | JsonFault {
  if (text[at] !== '"') return { offset: at, expected: 'a field name in double quotes' };
  const end = stringAt(text, at);
  if (typeof end !== 'number') return end;
  const colon = skip(text, whiteSpace, end);
  if (text[colon] !== ':') return { offset: colon, expected: 'a colon' };
  return skip(text, whiteSpace, colon + 1);
}

function scalarAt(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return stringAt(text, at);
  const word = ['true', 'false', 'null'].find((candidate) => text.startsWith(candidate, at));
  const end = word === undefined ? skip(text, number, at) : at + word.length;
  return end === at ? { offset: at, expected: 'a value' } : end;
}

function stringAt(text: string, start: number): number | JsonFault {
  let at = start + 1;
  for (;;) {
    at = skip(text, plainCharacters, at);
    if (text[at] === '"') return at + 1;
    if (text[at] !== '\\') {
      return { offset: at, expected: at === text.length ? 'a closing quote' : 'an escape such as \\n' };
    }
    const end = skip(text, escapeSequence, at);
    if (end === at) return { offset: at, expected: 'one of the escapes of JSON' };
    at = end;
  }
}

/** The end of the pattern's match at this place, or the place itself if there is no match. */
function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/* Faults in a large body, which is scanned piece by piece, are reported in the same words. */

const pauseBytes = 131_072;

/** A piece of a body that is not JSON even between its prefix and suffix. */
interface BodyPiece {
  readonly from: number;
  readonly to: number;
  readonly prefix: string;
  readonly suffix?: string;
}

export function* unparsable(body: Body, piece: BodyPiece): Generator<undefined, ServiceError> {
  const { from, to, prefix, suffix = '' } = piece;
  const text = body.text(from, to);
  if (text === undefined) return notUtf8(body.slice(from, to), from);
  const { offset, expected } = findJsonFault(prefix + text + suffix);
  return yield* faultBehind(body, from, text.slice(0, Math.max(0, offset - prefix.length)), expected);
}

export function expectedAt(body: Body, at: number, expected: string): Generator<undefined, ServiceError> {
  return faultBehind(body, at, '', expected);
}

const kinds: Readonly<Record<string, string>> = {
  '[': 'a list',
  '"': 'a string',
  t: 'a boolean',
  f: 'a boolean',
  n: 'null',
};

/** Only the body's first character is examined: whatever follows, the body is not a batch. */
export function* notAnObject(body: Body, at: number): Generator<undefined, ServiceError> {
  const first = at < body.length ? String.fromCharCode(body.at(at)) : '';
  const kind = /[-0-9]/.test(first) ? 'a number' : kinds[first];
  if (kind === undefined) return yield* expectedAt(body, at, 'a value');
  return new ServiceError('bad_json', { sentence: 'json_kind', kind });
}

/** The fault follows this text, which begins at this byte. */
function* faultBehind(
  body: Body,
  from: number,
  text: string,
  expected: string,
): Generator<undefined, ServiceError> {
  const start = yield* placeOf(body, from);
  const lastBreak = text.lastIndexOf('\n');
  const place = {
    line: start.line + text.split('\n').length - 1,
    column: lastBreak === -1 ? start.column + text.length : text.length - lastBreak,
    character: start.character + text.length,
  };
  return new ServiceError('bad_json', { sentence: 'json_broken', expected, ...place });
}

/** Everything counts from 1, with columns and characters in UTF-16 code units, as for bodies parsed as one string. */
function* placeOf(body: Body, offset: number): Generator<undefined, TextPosition> {
  let line = 1;
  let character = 1;
  let lineStart = 1;
  for (let at = body.textStart(); at < offset; at += 1) {
    const byte = body.at(at);
    // Continuation bytes do not count; the first of four bytes stands for a surrogate pair.
    if ((byte & 0xc0) !== 0x80) character += byte >= 0xf0 ? 2 : 1;
    if (byte === 0x0a) {
      line += 1;
      lineStart = character;
    }
    if (at % pauseBytes === 0) yield;
  }
  return { line, column: character - lineStart + 1, character };
}
