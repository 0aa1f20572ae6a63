/**
 * Reads values from what a carrier sends: JSON by JSON pointers (RFC 6901), forms and queries by `/Name`, any text, or the query of
 * a call without one, by a regular expression in linear time (RE2).
 */
import { get } from 'jsonpointer';
import type { RE2JS } from 're2js';

/** What a carrier has sent. */
export interface Sent {
  readonly body: string;
  /** The value of `Content-Type`; parameters may follow the type. */
  readonly contentType: string;
  /** The query of a callback's address. */
  readonly query?: URLSearchParams;
}

/** Says where a value stands: a JSON pointer, or `regex:` and an expression whose first group is the value. */
export type Place = string;

const expressionPrefix = 'regex:';
/** An expression sees no more of a text than this. */
const maxExpressedText = 16_384;
const expressions = new Map<Place, RE2JS>();

/**
 * Compiles the expressions in the places of a declaration, without which values can't be read by them. Rejects if one is wrong:
 * RE2 has no lookaround and no back references.
 */
export async function prepareExpressions(declaration: unknown): Promise<void> {
  const places = placesIn(declaration).filter(
    (text) => text.startsWith(expressionPrefix) && !expressions.has(text),
  );
  if (places.length === 0) return;
  const { RE2JS } = await import('re2js');
  for (const place of places) expressions.set(place, RE2JS.compile(place.slice(expressionPrefix.length)));
}

/** What stands under these keys is never a place, even if it begins like an expression. */
const placeless: ReadonlySet<string> = new Set([
  ...['is', 'answer', 'secrets', 'values', 'choices', 'username', 'password', 'basic'],
  ...['headers', 'json', 'form', 'query'],
]);

function placesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (placeless.has(key) ? [] : placesIn(inner)));
}

export function isFormType(contentType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

export class Reading {
  readonly #text: string;
  readonly #json: unknown;
  /** The fields of the form, and after them those of the query. */
  readonly #fields: readonly URLSearchParams[];

  private constructor(text: string, json: unknown, fields: readonly URLSearchParams[]) {
    this.#text = text;
    this.#json = json;
    this.#fields = fields;
  }

  static of({ body, contentType, query }: Sent): Reading {
    const isForm = isFormType(contentType);
    const fields = [...(isForm ? [new URLSearchParams(body)] : []), ...(query === undefined ? [] : [query])];
    // Some carriers send JSON and call it text.
    return new Reading(body, isForm ? undefined : parsed(body), fields);
  }

  /** The whole as text: the body, or the query of a call without one. */
  get text(): string {
    return this.#text === '' ? this.#fields.join('&') : this.#text;
  }

  /** The text, number or truth value at the place; undefined if there is none. */
  at(place: Place): string | undefined {
    if (place.startsWith(expressionPrefix)) {
      const matcher = expressions.get(place)?.matcher(this.text.slice(0, maxExpressedText));
      if (matcher === undefined) throw new Error(`the expression has not been prepared: ${place}`);
      return matcher.find() ? (matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? undefined) : undefined;
    }
    const value = inside(this.#json, place);
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    const name = place.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
    return this.#fields.map((pairs) => pairs.get(name)).find((found) => found !== null) ?? undefined;
  }

  /** The elements of a list, each read by itself; without a place, the whole is the only one. Undefined if there is no list. */
  each(place: Place | undefined): readonly Reading[] | undefined {
    if (place === undefined) return [this];
    const list = inside(this.#json, place);
    return Array.isArray(list)
      ? list.map((element) => new Reading(JSON.stringify(element), element, []))
      : undefined;
  }
}

/** The empty pointer names the whole. */
function inside(json: unknown, place: Place): unknown {
  return typeof json === 'object' && json !== null ? get(json, place) : undefined;
}

/** Ids beyond 2^53 that are written as numbers keep their digits, where Node tells how a number was written. */
function parsed(text: string): unknown {
  const asWritten = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !Number.isSafeInteger(value)
      ? context.source
      : value;
  try {
    return JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
}
