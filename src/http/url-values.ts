/** Takes the query of a URL apart by an endpoint's table (API: conventions), with the faults of its escapes. */
import {
  type Charset,
  decodeComponent,
  decodeList,
  type ListKind,
  splitQuery,
} from '../wire/percent-decoding.ts';
import type { Faults } from './faults.ts';
import { isStorable, type UrlValues } from './parameter.ts';

const noValues: UrlValues = new Map();

/**
 * Keeps the values of known names, still encoded. A list that stands twice is joined, for lists are split at commas
 * later; a scalar that stands twice is a fault. Unknown names are ignored.
 */
export function readQuery(url: string, names: ReadonlyMap<string, boolean>, faults: Faults): UrlValues {
  const start = url.indexOf('?');
  if (start === -1 || start === url.length - 1) return noValues;
  const pairs = splitQuery(url.slice(start + 1));
  if (!pairs.ok) {
    faults.addFault('URL', pairs);
    return noValues;
  }
  const values = new Map<string, string>();
  for (const { name, rawValue } of pairs.value) {
    const isList = names.get(name);
    if (isList === undefined) continue;
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, rawValue);
    else if (isList) values.set(name, earlier === '' ? rawValue : `${earlier},${rawValue}`);
    else faults.add(name, 'duplicate_parameter', 'stands more than once in the URL: give it once.');
  }
  return values;
}

/** `undefined` with a fault added. */
export function decodeText(raw: string, name: string, charset: Charset, faults: Faults): string | undefined {
  const text = decodeComponent(raw, charset);
  if (text.ok) return text.value;
  faults.addFault(name, text);
  return undefined;
}

/** `undefined` with a fault added, or when no item is left. */
export function listFromUrl(
  raw: string,
  name: string,
  kind: ListKind,
  faults: Faults,
): readonly string[] | undefined {
  const items = decodeList(raw, kind);
  if (!items.ok) {
    faults.addFault(name, items);
    return undefined;
  }
  if (items.value.some((item) => !isStorable(item, name, faults))) return undefined;
  return items.value.length === 0 ? undefined : items.value;
}
