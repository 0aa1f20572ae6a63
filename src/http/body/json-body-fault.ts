/** Says where a large body stops being a JSON object, in the words that are used for small ones (API: conventions). */
import { ServiceError } from '../../foundation/errors.ts';
import type { Body } from './body.ts';
import { firstByteNotUtf8, sentenceOfPlace } from './json-body.ts';
import { findJsonFault } from './json-fault.ts';

const pauseBytes = 131_072;

/** A piece of a body that is no JSON even between texts that would make it some. */
interface BodyPiece {
  readonly from: number;
  readonly to: number;
  readonly prefix: string;
  readonly suffix?: string;
}

export function* unparsable(body: Body, piece: BodyPiece): Generator<undefined, ServiceError> {
  const { from, to, prefix, suffix = '' } = piece;
  const text = body.text(from, to);
  if (text === undefined) {
    const byte = from + firstByteNotUtf8(body.slice(from, to)) + 1;
    return new ServiceError(
      'bad_encoding',
      `The body must be JSON in UTF-8, but byte ${byte} belongs to no UTF-8 character. Compressed bodies and other charsets are not taken.`,
    );
  }
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

/** Only its first character is looked at: whatever follows, it is no batch. */
export function* notAnObject(body: Body, at: number): Generator<undefined, ServiceError> {
  const first = at < body.length ? String.fromCharCode(body.at(at)) : '';
  const kind = /[-0-9]/.test(first) ? 'a number' : kinds[first];
  if (kind === undefined) return yield* expectedAt(body, at, 'a value');
  return new ServiceError(
    'bad_json',
    `The body must be one JSON object, { … }, but is ${kind}, from line 1, column 1 on.`,
  );
}

/** The fault stands behind this text, which begins at this byte. */
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
  return new ServiceError('bad_json', `The body is not proper JSON: ${sentenceOfPlace(expected, place)}`);
}

interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly character: number;
}

/** All counted from 1, columns and characters in UTF-16 code units, as for bodies that are parsed as one string. */
function* placeOf(body: Body, offset: number): Generator<undefined, TextPosition> {
  let line = 1;
  let character = 1;
  let lineStart = 1;
  for (let at = body.textStart(); at < offset; at += 1) {
    const byte = body.at(at);
    // Bytes within a character do not count; the first of four stands for a pair of surrogates.
    if ((byte & 0xc0) !== 0x80) character += byte >= 0xf0 ? 2 : 1;
    if (byte === 0x0a) {
      line += 1;
      lineStart = character;
    }
    if (at % pauseBytes === 0) yield;
  }
  return { line, column: character - lineStart + 1, character };
}
