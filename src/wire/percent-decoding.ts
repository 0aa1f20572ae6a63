/** Reads the query part of a URL: its pairs, its lists and its percent-encoded text (API: Conventions). */

import { type Fault, fault, quoted, type Result, success, why } from '../foundation/result.ts';
import { asWindows1252 } from './windows-1252.ts';

/** `/send` takes its parameter `M` in ISO-8859-1, read as windows-1252; everything else in a URL is UTF-8. */
export type Charset = 'utf-8' | 'iso-8859-1';

/**
 * Decodes one component: `+` is a space, `%XX` is a byte of the charset, and any other character is itself. Raw non-ASCII
 * characters can't come from a URL, since Node's parser refuses them, but they do occur in the lines of a batch list and must
 * survive there (API: /batchsend/list, rule 3).
 */
export function decodeComponent(raw: string, charset: Charset = 'utf-8'): Result<string> {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!spaced.includes('%')) return success(spaced);
  return charset === 'utf-8' ? decodeUtf8(spaced) : decodeLatin1(spaced);
}

/** The value is kept encoded: an unknown parameter is never decoded, and a list is split before decoding. */
export interface QueryPair {
  readonly name: string;
  readonly rawValue: string;
}

/** Splits the part after the `?`. Duplicates and their order are kept. `b` alone is `b` with an empty value. */
export function splitQuery(query: string): Result<QueryPair[]> {
  const pairs: QueryPair[] = [];
  for (const piece of query.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = decodeComponent(equals === -1 ? piece : piece.slice(0, equals));
    if (!name.ok) return fault(name.code, `In the name of a parameter: ${name.error}`);
    pairs.push({ name: name.value, rawValue: equals === -1 ? '' : piece.slice(equals + 1) });
  }
  return success(pairs);
}

/**
 * - `texts`: split at raw commas, so `%2C` is a comma inside an item; items are trimmed and empty ones dropped.
 * - `ids`: numbers and ids, which contain no comma; many clients encode it, so `%2C` splits too.
 * - `positional`: an item's position determines its meaning, so empty items and white space are kept.
 */
export type ListKind = 'texts' | 'ids' | 'positional';

/** Returns the items, still encoded. An empty parameter has no items, because it counts as not given. */
export function splitList(raw: string, kind: ListKind): readonly string[] {
  return raw === '' ? [] : raw.split(kind === 'ids' ? /,|%2C/i : ',');
}

export function decodeItems(pieces: readonly string[], kind: ListKind): Result<string[]> {
  const items: string[] = [];
  let position = 0;
  for (const piece of pieces) {
    position += 1;
    const item = decodeComponent(piece);
    if (!item.ok) return fault(item.code, { sentence: 'in_item', item: position, why: why(item) });
    if (kind === 'positional') {
      items.push(item.value);
      continue;
    }
    const trimmed = item.value.trim();
    if (trimmed !== '') items.push(trimmed);
  }
  return success(items);
}

function decodeUtf8(spaced: string): Result<string> {
  try {
    // As strict as RFC 3629 requires: overlong forms, surrogates and truncated sequences are refused.
    return success(decodeURIComponent(spaced));
  } catch {
    return brokenEscape(spaced) ?? notUtf8(spaced);
  }
}

function decodeLatin1(spaced: string): Result<string> {
  return (
    brokenEscape(spaced) ??
    success(
      spaced.replace(/%(..)/g, (_escape, digits: string) =>
        asWindows1252(String.fromCharCode(Number.parseInt(digits, 16))),
      ),
    )
  );
}

function brokenEscape(text: string): Fault | undefined {
  const at = text.search(/%(?![0-9A-Fa-f]{2})/);
  if (at === -1) return undefined;
  return fault('bad_encoding', {
    sentence: 'escape_broken',
    written: quoted(text.slice(at, at + 3)),
    character: at + 1,
  });
}

function notUtf8(text: string): Fault {
  // Sequences never extend across a raw character, so each run of escapes can be tried separately.
  for (const run of text.matchAll(/(?:%[0-9A-Fa-f]{2})+/g)) {
    try {
      decodeURIComponent(run[0]);
    } catch {
      return fault('bad_encoding', {
        sentence: 'escape_not_utf8',
        bytes: quoted(run[0]),
        character: run.index + 1,
      });
    }
  }
  return fault('bad_encoding', { sentence: 'text_not_utf8' });
}
