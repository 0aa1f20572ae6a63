/**
 * Finds where the parts of a large JSON object stand, one of which is a list too long to be parsed at once. Here every
 * byte is looked at once, as far as brackets, quotes and commas go; whether what lies between is JSON, whoever parses it
 * will say. Generators, which pause at each `yield` so that others have their turn.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { Body } from './body.ts';
import { expectedAt, notAnObject, unparsable } from './json-body-fault.ts';

/** One value outside the list, and one item of it, may have so many bytes: enough for the longest SMS many times over. */
export const maxValueBytes = 1_048_576;

/** What is nested more deeply is no batch, and would cost the parser memory by the level. */
export const maxDepth = 100;
/** Each costs a hundred times what its bytes do, also those of strangers. */
const maxFields = 1_000;

/** About so many bytes of a list are parsed at a time. */
const sliceBytes = 65_536;

/** About so many bytes are looked at between two pauses. */
const pauseBytes = 262_144;

/** What stands between the brackets of a list, cut at some of its own commas. */
export interface ListSpan {
  readonly start: number;
  readonly end: number;
  readonly cuts: readonly number[];
}

export interface Skimmed {
  /** Those that were looked for; of equal names the last, as `JSON.parse` has it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined where its name is missing, or belongs to another value, which then is in `fields`. */
  readonly list: ListSpan | undefined;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;

const kind = { plain: 0, quote: 1, open: 2, close: 3, comma: 4 } as const;
const kindOf = new Uint8Array(256);
kindOf[quote] = kind.quote;
kindOf[openList] = kind.open;
kindOf[openObject] = kind.open;
kindOf[closeList] = kind.close;
kindOf[closeObject] = kind.close;
kindOf[comma] = kind.comma;

const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const endsOfWords: ReadonlySet<number> = new Set([...spaces, quote, comma, closeObject, closeList]);

interface Wanted {
  readonly list: string;
  readonly fields: ReadonlySet<string>;
}

/** Of a body that is not empty. Throws a ServiceError where it is no JSON object. */
export function* skimJson(body: Body, wanted: Wanted): Generator<void, Skimmed> {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const state = { paused: 0 };
  let list: ListSpan | undefined;
  let count = 0;
  let at = yield* skipSpaces(body, body.textStart());
  if (byteAt(body, at) !== openObject) throw yield* notAnObject(body, at);
  at = yield* skipSpaces(body, at + 1);
  let isEmpty = byteAt(body, at) === closeObject;
  while (!isEmpty) {
    if (at - state.paused > pauseBytes) {
      state.paused = at;
      yield;
    }
    count += 1;
    if (count > maxFields) throw tooManyFields();
    if (byteAt(body, at) !== quote) throw yield* expectedAt(body, at, 'a field name in double quotes');
    const nameEnd = yield* stringEnd(body, at, '{', 'The name of a field');
    const name = (yield* parsed(body, at, nameEnd, '{')) as string;
    at = yield* skipSpaces(body, nameEnd);
    if (byteAt(body, at) !== 0x3a) throw yield* expectedAt(body, at, 'a colon');
    at = yield* skipSpaces(body, at + 1);
    if (name === wanted.list && byteAt(body, at) === openList) {
      if (list !== undefined) throw givenTwice(name);
      list = yield* listAt(body, at, name);
      at = list.end + 1;
    } else {
      const end = yield* valueEnd(body, at, name);
      const value = yield* parsed(body, at, end, '{"":');
      if (name === wanted.list && list !== undefined) throw givenTwice(name);
      if (name === wanted.list || wanted.fields.has(name)) fields[name] = value;
      at = end;
    }
    at = yield* skipSpaces(body, at);
    const next = byteAt(body, at);
    if (next === closeObject) isEmpty = true;
    else if (next !== comma) throw yield* expectedAt(body, at, 'a comma or "}"');
    else at = yield* skipSpaces(body, at + 1);
  }
  at = yield* skipSpaces(body, at + 1);
  if (at < body.length) throw yield* expectedAt(body, at, 'the end of the text');
  return { fields, list };
}

/** A second list would silently take the place of the first, and its recipients get nothing. */
function givenTwice(name: string): ServiceError {
  const error = `\`${name}\` stands more than once in the body: give it once.`;
  return new ServiceError('duplicate_parameter', error, {
    errors: [{ field: name, code: 'duplicate_parameter', error }],
  });
}

export function* parsedSlice(body: Body, start: number, end: number): Generator<void, unknown[]> {
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

function byteAt(body: Body, at: number): number | undefined {
  return at < body.length ? body.at(at) : undefined;
}

function* skipSpaces(body: Body, from: number): Generator<void, number> {
  let at = from;
  while (at < body.length && spaces.has(body.at(at))) {
    at += 1;
    if ((at - from) % pauseBytes === 0) yield;
  }
  return at;
}

function* parsed(body: Body, from: number, to: number, prefix: string): Generator<void, unknown> {
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

function* valueEnd(body: Body, at: number, name: string): Generator<void, number> {
  const first = byteAt(body, at);
  const what = `\`${name.slice(0, 40)}\``;
  const prefix = '{"":';
  if (first === quote) return yield* stringEnd(body, at, prefix, what);
  if (first === openList || first === openObject) {
    const close = yield* containerEnd(body, at, { prefix, nameOf: () => what });
    return close + 1;
  }
  let end = at;
  while (end < body.length && !endsOfWords.has(body.at(end))) {
    end += 1;
    if (end - at > maxValueBytes) throw tooLarge(what);
  }
  if (end === at) throw yield* expectedAt(body, at, 'a value');
  return end;
}

/** Past its closing quote. */
function* stringEnd(body: Body, start: number, prefix: string, what: string): Generator<void, number> {
  let at = start + 1;
  for (;;) {
    const byte = byteAt(body, at);
    if (byte === undefined) throw yield* unparsable(body, { from: start, to: body.length, prefix });
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
    if (at - start > maxValueBytes) throw tooLarge(what);
  }
}

function* listAt(body: Body, start: number, name: string): Generator<void, ListSpan> {
  const cuts: number[] = [];
  let items = 0;
  let lastCut = start;
  const end = yield* containerEnd(body, start, {
    prefix: '[',
    nameOf: () => `\`${name}[${items}]\``,
    onComma(at) {
      items += 1;
      if (at - lastCut < sliceBytes) return;
      cuts.push(at);
      lastCut = at;
    },
  });
  return { start: start + 1, end, cuts };
}

interface Watch {
  /** What makes of the text from the last comma on, or from the start, the beginning of a document. */
  readonly prefix: string;
  /** Of what is being looked at. */
  readonly nameOf: () => string;
  /** For each comma that belongs to the container itself. */
  readonly onComma?: (at: number) => void;
}

/** The place of the bracket that closes the list or object that begins here. */
function* containerEnd(body: Body, start: number, watch: Watch): Generator<void, number> {
  const closers = new Uint8Array(maxDepth);
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  // What is too large, or wrong, began here.
  let anchor = watch.onComma === undefined ? start : start + 1;
  let offset = start;
  while (offset < body.length) {
    const { block, start: blockStart, end: blockEnd } = body.blockAt(offset);
    const until = Math.min(blockEnd, offset + pauseBytes) - blockStart;
    let at = offset - blockStart;
    if (isEscaped) {
      isEscaped = false;
      at += 1;
    }
    for (; at < until; at += 1) {
      const byte = block[at] as number;
      if (inString) {
        if (byte === quote) inString = false;
        else if (byte === backslash) {
          at += 1;
          isEscaped = at === until;
        }
        continue;
      }
      const what = kindOf[byte];
      if (what === kind.plain) continue;
      if (what === kind.quote) inString = true;
      else if (what === kind.open) {
        if (depth === maxDepth) throw tooDeep(watch.nameOf());
        // Both closing brackets come two places behind their opening ones in ASCII.
        closers[depth] = byte + 2;
        depth += 1;
      } else if (what === kind.close) {
        const here = blockStart + at;
        depth -= 1;
        if (closers[depth] !== byte)
          throw yield* unparsable(body, { from: anchor, to: here + 1, prefix: watch.prefix });
        if (depth === 0) {
          if (here - anchor > maxValueBytes) throw tooLarge(watch.nameOf());
          return here;
        }
      } else if (depth === 1 && watch.onComma !== undefined) {
        const here = blockStart + at;
        if (here - anchor > maxValueBytes) throw tooLarge(watch.nameOf());
        anchor = here + 1;
        watch.onComma(here);
      }
    }
    offset = blockStart + until;
    if (offset - anchor > maxValueBytes) throw tooLarge(watch.nameOf());
    yield;
  }
  throw yield* unparsable(body, { from: anchor, to: body.length, prefix: watch.prefix });
}

function tooLarge(what: string): ServiceError {
  return new ServiceError(
    'invalid_value',
    `${what} is larger than ${maxValueBytes / 1_048_576} MiB, more than any SMS needs.`,
  );
}

function tooManyFields(): ServiceError {
  return new ServiceError('bad_json', `The body is not taken: it has more than ${maxFields} fields.`);
}

function tooDeep(what: string): ServiceError {
  return new ServiceError(
    'bad_json',
    `The body is not taken: ${what} is nested more than ${maxDepth} levels deep.`,
  );
}
