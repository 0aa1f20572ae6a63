/** Parses the query of a URL by an endpoint's table (API: conventions), and reports faulty escapes. */
import { fault, why } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import {
  type Charset,
  decodeComponent,
  decodeItems,
  type ListKind,
  splitList,
  splitQuery,
} from '../../wire/percent-decoding.ts';
import { faultOfText, isCountAllowed } from './bounds.ts';
import type { Faults } from './faults.ts';
import type { UrlNames, UrlValues } from './parameter.ts';

export const noValues: UrlValues = new Map();

/**
 * Keeps the values of known names, still encoded. A repeated list is joined, since lists are split at commas later; a
 * repeated scalar is a fault. `unknown` collects the unknown names.
 */
export function readQuery(
  url: string,
  names: UrlNames,
  faults: Faults,
  unknown: Set<string> = new Set(),
): UrlValues {
  const start = url.indexOf('?');
  if (start === -1 || start === url.length - 1) return noValues;
  const pairs = splitQuery(url.slice(start + 1));
  if (!pairs.ok) {
    faults.addFault('URL', pairs);
    return noValues;
  }
  const values = new Map<string, string>();
  for (const { name: written, rawValue } of pairs.value) {
    const known = names.get(written);
    if (known === undefined) {
      unknown.add(written);
      continue;
    }
    const { name, list } = known;
    const earlier = values.get(name);
    if (earlier === undefined) {
      values.set(name, rawValue);
      if (written !== name) faults.writeAs(name, written);
    } else if (list) values.set(name, earlier === '' ? rawValue : `${earlier},${rawValue}`);
    else {
      const before = faults.written(name);
      const said: Sentence =
        before === written
          ? { sentence: 'given_twice' }
          : { sentence: 'given_twice_as', one: before, other: written };
      faults.add(name, 'duplicate_parameter', said);
    }
  }
  return values;
}

/** Returns `undefined` if it adds a fault. */
export function decodeText(raw: string, name: string, charset: Charset, faults: Faults): string | undefined {
  const text = decodeComponent(raw, charset);
  if (text.ok) return text.value;
  faults.addFault(name, text);
  return undefined;
}

export interface UrlList {
  readonly name: string;
  readonly kind: ListKind;
  readonly maxItems: number;
  /** The limit for an item, in characters. */
  readonly maxLength: number;
}

/** Returns `undefined` if it adds a fault, and an empty list for text that is only commas, since that counts as given. */
export function listFromUrl(
  raw: string,
  { name, kind, maxItems, maxLength }: UrlList,
  faults: Faults,
): readonly string[] | undefined {
  const pieces = splitList(raw, kind);
  const count = kind === 'positional' ? pieces.length : pieces.filter((piece) => piece !== '').length;
  if (!isCountAllowed(count, maxItems, name, faults)) return undefined;
  const items = decodeItems(pieces, kind);
  if (!items.ok) {
    faults.addFault(name, items);
    return undefined;
  }
  for (const [index, item] of items.value.entries()) {
    const found = faultOfText(item, { max: maxLength });
    if (found === undefined) continue;
    faults.addFault(name, fault(found.code, { sentence: 'item_of_list', item: index + 1, why: why(found) }));
    return undefined;
  }
  return items.value;
}
