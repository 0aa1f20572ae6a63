/**
 * Reads a large JSON object piece by piece, so that no step takes long: its fields one after the other, and lists a slice
 * at a time. Generators, which pause at each `yield` so that others have their turn.
 */
import { ServiceError } from '../../foundation/errors.ts';
import type { JsonObject } from '../parameters/table.ts';
import type { Body } from './body.ts';
import { expectedAt, notAnObject, unparsable } from './json-body.ts';
import { byteAt, type ListSpan, listAt, type Scan, skipSpaces, stringEnd, valueEnd } from './json-scan.ts';

/** Each costs a hundred times what its bytes do, also those of strangers. */
const maxFields = 1_000;

/** Enough for 10,000 recipients with a dozen texts each, several times over. */
const maxValues = 500_000;

/** About so many bytes are looked at between two pauses. */
const pauseBytes = 131_072;

/** A field where it stands. Its value is not looked at yet, but for where it ends. */
interface JsonField {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where it is a list that was to be cut. */
  readonly list: ListSpan | undefined;
}

/** Of a body that is not empty. Throws a ServiceError where it is no JSON object; `undefined` is a pause. */
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

/** Any name may stand in it, `__proto__` too. */
const noFields = (): JsonFields => Object.create(null) as JsonFields;

/** The whole object, as `JSON.parse` has it: of equal names the last counts. */
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

/** Only the fields of these names; the rest is not parsed, and a list stands for any list. */
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
  /** Those that were looked for; of equal names the last, as `JSON.parse` has it. */
  readonly fields: JsonObject;
  /** Undefined where its name is missing, or belongs to another value, which then is in `fields`. */
  readonly list: ListSpan | undefined;
}

interface WantedFields {
  readonly list: string;
  readonly fields: ReadonlySet<string>;
}

/** Of an object with one list that is too long to be held as a whole. */
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
    // Of others, whoever reads the table is told the name alone.
    else fields[name] = name === wanted.list || wanted.fields.has(name) ? value : undefined;
  }
  return { fields, list };
}

/** A second list would silently take the place of the first, and its recipients get nothing. */
function givenTwice(name: string): ServiceError {
  const error = `\`${name}\` stands more than once in the body: give it once.`;
  return new ServiceError('duplicate_parameter', error, {
    errors: [{ field: name, code: 'duplicate_parameter', error }],
  });
}

/** None of an empty list. `undefined` is a pause: each slice is to be parsed before the next is asked for. */
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
      // Between two commas nothing but spaces.
      if (items.length > 0) return items;
    } catch {
      // The engine's own message may repeat a part of the body.
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
      // As above.
    }
  }
  throw yield* unparsable(body, { from, to, prefix });
}

function tooManyFields(): ServiceError {
  return new ServiceError('bad_json', `The body is not taken: it has more than ${maxFields} fields.`);
}
