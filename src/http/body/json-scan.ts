/**
 * Finds where a JSON value in a large body ends. Every byte is scanned once, only for brackets, quotes and commas, and the
 * parser's work is bounded before it starts; the parser later decides whether the content is valid JSON. Generators pause at
 * each `yield` so that others get their turn.
 */
import { ServiceError } from '../../foundation/errors.ts';
import type { Body } from './body.ts';
import { expectedAt, unparsable } from './json-body.ts';

/** The most bytes of one value outside the lists, or of one list item: many times enough for the longest SMS. */
export const maxValueBytes = 1_048_576;

/** The most values inside such a value or list item, so that parsing it at once takes only milliseconds. */
export const maxValuesInside = 20_000;

/** The API needs five levels. Each level costs the parser memory. */
export const maxDepth = 32;

/** Roughly this many bytes are scanned between two pauses. */
const pauseBytes = 131_072;

/** The content between a list's brackets, cut at some of its own commas. */
export interface ListSpan {
  readonly start: number;
  readonly end: number;
  readonly cuts: readonly number[];
}

/** Roughly this many bytes of a list are parsed at a time. */
const sliceBytes = 65_536;

/** A body being scanned, and how many more values it may contain. */
export interface Scan {
  readonly body: Body;
  valuesLeft: number;
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

const isSpace = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) isSpace[byte] = 1;
const endsOfWords: ReadonlySet<number> = new Set([
  0x20,
  0x09,
  0x0a,
  0x0d,
  quote,
  comma,
  closeObject,
  closeList,
]);

export function byteAt(body: Body, at: number): number | undefined {
  return at < body.length ? body.at(at) : undefined;
}

export function* skipSpaces(body: Body, from: number): Generator<undefined, number> {
  let offset = from;
  while (offset < body.length) {
    const { block, start, end } = body.blockAt(offset);
    const until = Math.min(end, offset + pauseBytes) - start;
    let at = offset - start;
    while (at < until && isSpace[block[at] as number] === 1) at += 1;
    offset = start + at;
    if (at < until) return offset;
    if (offset - from >= pauseBytes) yield;
  }
  return offset;
}

/** For a value that is not cut as a list; `name` is its field's name. */
export function* valueEnd(scan: Scan, at: number, name: string): Generator<undefined, number> {
  const { body } = scan;
  const first = byteAt(body, at);
  const what = `\`${name.slice(0, 40)}\``;
  const prefix = '{"":';
  if (first === quote) return yield* stringEnd(body, at, prefix, what);
  if (first === openList || first === openObject) {
    const close = yield* containerEnd(scan, at, { prefix, nameOf: () => what });
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

/** Returns the place after the closing quote. */
export function* stringEnd(
  body: Body,
  start: number,
  prefix: string,
  what: string,
): Generator<undefined, number> {
  let offset = start + 1;
  while (offset < body.length) {
    const { block, start: blockStart, end } = body.blockAt(offset);
    const until = end - blockStart;
    let at = offset - blockStart;
    while (at < until) {
      const byte = block[at];
      if (byte === quote) {
        if (blockStart + at - start > maxValueBytes) throw tooLarge(what);
        return blockStart + at + 1;
      }
      at += byte === backslash ? 2 : 1;
    }
    offset = blockStart + at;
    if (offset - start > maxValueBytes) throw tooLarge(what);
  }
  throw yield* unparsable(body, { from: start, to: body.length, prefix });
}

export function* listAt(scan: Scan, start: number, name: string): Generator<undefined, ListSpan> {
  const cuts: number[] = [];
  let items = 0;
  let lastCut = start;
  const end = yield* containerEnd(scan, start, {
    prefix: '[',
    nameOf: () => `\`${name.slice(0, 40)}[${items}]\``,
    onComma(at) {
      items += 1;
      if (at - lastCut < sliceBytes) return;
      cuts.push(at);
      lastCut = at;
    },
  });
  return { start: start + 1, end, cuts };
}

interface ScanCallbacks {
  /** Text that turns the part from the last comma, or from the start, into the beginning of a document. */
  readonly prefix: string;
  /** Names what is being scanned. */
  readonly nameOf: () => string;
  /** Called for each comma that belongs to the container itself. */
  readonly onComma?: (at: number) => void;
}

/** Bounds what is parsed at once: a whole value, or each item in turn if a list is cut. */
class Bounds {
  /** Where it began. */
  anchor: number;
  /** The values found so far, at any depth. */
  values = 0;
  readonly #scan: Scan;
  readonly #watch: ScanCallbacks;
  #valuesBefore = 0;

  constructor(scan: Scan, watch: ScanCallbacks, start: number) {
    this.#scan = scan;
    this.#watch = watch;
    this.anchor = watch.onComma === undefined ? start : start + 1;
  }

  judge(here: number): void {
    const { nameOf } = this.#watch;
    if (here - this.anchor > maxValueBytes) throw tooLarge(nameOf());
    if (this.values - this.#valuesBefore > maxValuesInside) throw tooManyInside(nameOf());
    if (this.values > this.#scan.valuesLeft) throw tooMany();
  }

  /** Called at a comma of the container itself. */
  nextItem(here: number): void {
    const { onComma } = this.#watch;
    if (onComma === undefined) return;
    this.judge(here);
    this.anchor = here + 1;
    this.#valuesBefore = this.values;
    onComma(here);
  }

  end(here: number): void {
    this.judge(here);
    this.#scan.valuesLeft -= this.values;
  }
}

/** The place of the bracket that closes the list or object starting here. */
function* containerEnd(scan: Scan, start: number, watch: ScanCallbacks): Generator<undefined, number> {
  const { body } = scan;
  const closers = new Uint8Array(maxDepth);
  const bounds = new Bounds(scan, watch, start);
  let depth = 0;
  let inString = false;
  let isEscaped = false;
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
        // In ASCII both closing brackets come two places after their opening ones.
        closers[depth] = byte + 2;
        depth += 1;
        bounds.values += 1;
      } else if (what === kind.close) {
        const here = blockStart + at;
        depth -= 1;
        if (closers[depth] !== byte)
          throw yield* unparsable(body, { from: bounds.anchor, to: here + 1, prefix: watch.prefix });
        if (depth > 0) continue;
        bounds.end(here);
        return here;
      } else {
        bounds.values += 1;
        if (depth === 1) bounds.nextItem(blockStart + at);
      }
    }
    offset = blockStart + until;
    bounds.judge(offset);
    yield;
  }
  throw yield* unparsable(body, { from: bounds.anchor, to: body.length, prefix: watch.prefix });
}

function tooLarge(what: string): ServiceError {
  return new ServiceError('invalid_value', {
    sentence: 'json_value_large',
    name: what,
    most: maxValueBytes / 1_048_576,
  });
}

function tooManyInside(what: string): ServiceError {
  return new ServiceError('bad_json', { sentence: 'json_value_full', name: what, most: maxValuesInside });
}

function tooMany(): ServiceError {
  return new ServiceError('bad_json', { sentence: 'json_values' });
}

function tooDeep(what: string): ServiceError {
  return new ServiceError('bad_json', { sentence: 'json_deep', name: what, most: maxDepth });
}
