/**
 * Reads a large JSON object piece by piece, so that no step takes long: its fields one after the other, and lists a slice at
 * a time. Generators pause at each `yield` so that others get their turn.
 */

import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import { fault } from '../../foundation/result.ts';
import type { JsonObject } from '../parameters/table.ts';
import type { Body } from './body.ts';
import { expectedAt, notAnObject, unparsable } from './json-body.ts';
import { byteAt, type ListSpan, listAt, type Scan, skipSpaces, stringEnd, valueEnd } from './json-scan.ts';

/** Each field costs a hundred times as much as its bytes, even in bodies from strangers. */
const maxFields = 1_000;

/** Several times enough for 10,000 recipients with a dozen texts each. */
const maxValues = 500_000;

/** Roughly this many bytes are scanned between two pauses. */
const pauseBytes = 131_072;

/** A field and its place. Of its value only the end is known so far. */
interface JsonField {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Set if the field is a list that was to be cut. */
  readonly list: ListSpan | undefined;
}

/** For a non-empty body. Throws a ServiceError if it is not a JSON object; `undefined` is a pause. */
function* fieldsOf(
  scan: Scan,
  isCut: (name: string) => boolean,
): Generator<JsonField | undefined, undefined> {
  const { body } = scan;
  let count = 0;
  let paused = 0;
  let at = yield* skipSpaces(body, body.textStart());
  if (byteAt(body, at) !== 0x7b) throw yield* notAnObject(body, at);
  at = yield* skipSpaces(body, at + 1);
  let isEnd = byteAt(body, at) === 0x7d;
  while (!isEnd) {
    if (at - paused > pauseBytes) {
      paused = at;
      yield;
    }
    count += 1;
    if (count > maxFields) throw tooManyFields();
    if (byteAt(body, at) !== 0x22) throw yield* expectedAt(body, at, 'a field name in double quotes');
    const nameEnd = yield* stringEnd(body, at, '{', 'The name of a field');
    const name = (yield* parsed(body, at, nameEnd, '{')) as string;
    at = yield* skipSpaces(body, nameEnd);
    if (byteAt(body, at) !== 0x3a) throw yield* expectedAt(body, at, 'a colon');
    const start = yield* skipSpaces(body, at + 1);
    const list = byteAt(body, start) === 0x5b && isCut(name) ? yield* listAt(scan, start, name) : undefined;
    const end = list === undefined ? yield* valueEnd(scan, start, name) : list.end + 1;
    yield { name, start, end, list };
    at = yield* skipSpaces(body, end);
    const next = byteAt(body, at);
    if (next === 0x7d) isEnd = true;
    else if (next !== 0x2c) throw yield* expectedAt(body, at, 'a comma or "}"');
    else at = yield* skipSpaces(body, at + 1);
  }
  at = yield* skipSpaces(body, at + 1);
  if (at < body.length) throw yield* expectedAt(body, at, 'the end of the text');
}

type JsonFields = Record<string, unknown>;

/** Any name may occur in it, including `__proto__`. */
const noFields = (): JsonFields => Object.create(null) as JsonFields;

/** Parses the whole object like `JSON.parse`: the last of several equal names wins. */
export function* parseLargeObject(body: Body): Generator<undefined, JsonObject> {
  const fields = noFields();
  for (const field of fieldsOf({ body, valuesLeft: maxValues }, () => true)) {
    if (field === undefined) yield;
    else fields[field.name] = yield* fieldValue(body, field);
  }
  return fields;
}

function* fieldValue(body: Body, { list, start, end }: JsonField): Generator<undefined, unknown> {
  if (list === undefined) return yield* parsed(body, start, end, '{"":');
  const items: unknown[] = [];
  for (const slice of slicesOf(body, list)) {
    if (slice === undefined) yield;
    else for (const item of yield* parsedSlice(body, slice.from, slice.to)) items.push(item);
  }
  return items;
}

/** Parses only the fields with these names; an empty list stands for any list. */
export function* pickFields(body: Body, names: ReadonlySet<string>): Generator<undefined, JsonObject> {
  const fields = noFields();
  for (const field of fieldsOf({ body, valuesLeft: maxValues }, () => true)) {
    if (field === undefined) yield;
    else if (names.has(field.name)) {
      const { start, end, list } = field;
      fields[field.name] = list === undefined ? yield* parsed(body, start, end, '{"":') : [];
    }
  }
  return fields;
}

export interface Skimmed {
  /** The requested fields; the last of several equal names wins, as in `JSON.parse`. */
  readonly fields: JsonObject;
  /** Undefined if its field is missing or is not a list; its value is then in `fields`. */
  readonly list: ListSpan | undefined;
}

interface WantedFields {
  readonly list: string;
  readonly fields: ReadonlySet<string>;
}

/** For an object with one list that is too long to be held as a whole. */
export function* skimJson(body: Body, wanted: WantedFields): Generator<undefined, Skimmed> {
  const fields = noFields();
  let list: ListSpan | undefined;
  const scan = { body, valuesLeft: Number.POSITIVE_INFINITY };
  for (const field of fieldsOf(scan, (name) => name === wanted.list)) {
    if (field === undefined) {
      yield;
      continue;
    }
    const { name, start, end } = field;
    const value = field.list ?? (yield* parsed(body, start, end, '{"":'));
    if (name === wanted.list && list !== undefined) throw givenTwice(name);
    if (field.list !== undefined) list = field.list;
    // For other fields only the name is kept, for the parameter table.
    else fields[name] = name === wanted.list || wanted.fields.has(name) ? value : undefined;
  }
  return { fields, list };
}

/** A second list would silently replace the first, and its recipients would get nothing. */
function givenTwice(name: string): ServiceError {
  return errorOfFields(fault('duplicate_parameter', { sentence: 'given_twice_in_body', name }), name);
}

/** An empty list yields no slice. `undefined` is a pause; each slice must be parsed before the next is requested. */
export function* slicesOf(
  body: Body,
  { start, end, cuts }: ListSpan,
): Generator<{ readonly from: number; readonly to: number } | undefined> {
  if (cuts.length === 0 && body.text(start, end)?.trim() === '') return;
  let from = start;
  for (const to of [...cuts, end]) {
    yield { from, to };
    yield;
    from = to + 1;
  }
}

export function* parsedSlice(body: Body, start: number, end: number): Generator<undefined, unknown[]> {
  const text = body.text(start, end);
  if (text !== undefined) {
    try {
      const items = JSON.parse(`[${text}]`) as unknown[];
      // There may be only spaces between two commas.
      if (items.length > 0) return items;
    } catch {
      // The engine's own message may repeat part of the body, so it is not used.
    }
  }
  throw yield* unparsable(body, {
    from: start,
    to: end,
    prefix: '[',
    suffix: text?.trim() === '' ? ',' : ']',
  });
}

function* parsed(body: Body, from: number, to: number, prefix: string): Generator<undefined, unknown> {
  const text = body.text(from, to);
  if (text !== undefined) {
    try {
      return JSON.parse(text);
    } catch {
      // The engine's own message may repeat part of the body, so it is not used.
    }
  }
  throw yield* unparsable(body, { from, to, prefix });
}

function tooManyFields(): ServiceError {
  return new ServiceError('bad_json', { sentence: 'json_fields', most: maxFields });
}
