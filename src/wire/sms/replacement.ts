/** Replaces what people paste by similar GSM-7 characters, so that one curly quote does not halve what a part holds. */

import { defaultAlphabet, extensionTable, isGsm7 } from './gsm7.ts';
import { greekTwins, likenesses } from './likenesses.ts';

/**
 * Only where that brings the whole text into GSM-7. Beside one character without a sensible likeness (Chinese, emoji) it
 * stays UCS-2, which carries all others as they are: nothing would be gained. A GSM-7 character is never touched, and
 * characters that show nothing (zero-width spaces, joiners, direction marks) go.
 */
export function replaceCharacters(text: string): string {
  if (isGsm7(text) || text.length > longestText) return text;
  const wholly = replaceThoroughly(text.replace(invisible, ''));
  return isGsm7(wholly) ? wholly : text;
}

/** In UTF-16 code units, many times what 255 parts hold: over it the regular expression could run out of stack. */
const longestText = 1_000_000;

const ignorable = '\\p{Default_Ignorable_Code_Point}';
const invisible = new RegExp(ignorable, 'gu');

/** Accents and other marks that combine with any character: diacritics, enclosing keycaps, variation selectors. */
const marks = '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F';
const mark = new RegExp(`[${marks}]`);

const alphabet = [...defaultAlphabet, ...extensionTable.values()]
  .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');

/** Marks reach their character through what is invisible, so that a second pass finds the same clusters. */
const attached = `(?:${ignorable}*[${marks}])`;

/** A character with its marks, unless it is a GSM-7 character without any. A mark without a character stays. */
const candidate = new RegExp(
  `[^${alphabet}${marks}${ignorable}]${attached}*|[${alphabet}]${attached}+`,
  'gu',
);

/** The long stroke that makes "not equal" of "equal": without it the character would say the contrary. */
const negatingStroke = '\u0338';

const likePlainly = likenessIn(likenesses);
/** Greek capitals turn Latin too. */
const likeThoroughly = likenessIn(new Map([...likenesses, ...greekTwins]));

/** What a character with its marks is replaced by behind another; undefined: it has no likeness. */
type FindLikeness = (cluster: string, before: string) => string | undefined;

function likenessIn(table: ReadonlyMap<string, string>): FindLikeness {
  /** Holds single code units only, and so at most 65,536 entries. */
  const known = new Map<string, string | undefined>();

  function likeness(cluster: string): string | undefined {
    if (cluster.length > 1) return findLikeness(cluster, table);
    if (!known.has(cluster)) known.set(cluster, findLikeness(cluster, table));
    return known.get(cluster);
  }

  return (cluster, before) => {
    const found = likeness(cluster);
    return found === undefined ? undefined : fitToNeighbour(cluster, found, before);
  };
}

function replaceThoroughly(text: string): string {
  return text.replace(
    candidate,
    (cluster: string, offset: number) => likeThoroughly(cluster, text[offset - 1] ?? '') ?? cluster,
  );
}

/** A character that puts a text into UCS-2, with its marks. */
export interface Outsider {
  /** Where it begins, in UTF-16 code units. */
  readonly at: number;
  readonly character: string;
  /** What could take its place, one by one or by `replaceCharacters`; undefined: nothing is like it. */
  readonly replacement: string | undefined;
}

/** What GSM-7 does not have, and marks and invisible characters that stand by themselves. */
const outsider = new RegExp(`${candidate.source}|[${marks}]|${ignorable}`, 'gu');

/**
 * Which characters of a text GSM-7 lacks, and what could take their place. Within a text that stays UCS-2 all the same, what
 * shows nothing and Greek capitals matter: they have no likeness there.
 */
export function findOutsiders(text: string): readonly Outsider[] {
  if (isGsm7(text) || text.length > longestText) return [];
  const isThorough = isGsm7(replaceThoroughly(text.replace(invisible, '')));
  const find = isThorough ? likeThoroughly : likePlainly;
  return Array.from(text.matchAll(outsider), ({ 0: character, index: at }) => {
    const isInvisible = character.replace(invisible, '') === '';
    const before = text[at - 1] ?? '';
    const replacement = isInvisible ? (isThorough ? '' : undefined) : find(character, before);
    return { at, character, replacement };
  });
}

/** In this order: the composed character itself, the table, the parts that Unicode decomposes it into. */
function findLikeness(cluster: string, table: ReadonlyMap<string, string>): string | undefined {
  // Four marks are more than any letter has; beyond them it is decoration, and could be megabytes of it.
  const composed = cluster.replace(invisible, '').slice(0, 6).normalize('NFC');
  if (isGsm7(composed)) return composed;
  const listed = table.get(composed);
  if (listed !== undefined) return listed;
  const parts = [...composed].flatMap((part) => (table.has(part) ? part : [...part.normalize('NFKD')]));
  // A spacing accent decomposes into a space and the accent, but a space is not like it.
  if (parts.length > 1 && parts[0] === ' ' && !composed.startsWith(' ')) return undefined;
  let found = '';
  for (const part of parts) {
    if (part === negatingStroke) return undefined;
    if (mark.test(part)) {
      found = withMark(found, part);
    } else {
      const likeness = isGsm7(part) ? part : table.get(part);
      if (likeness === undefined) return undefined;
      found += likeness;
    }
  }
  return found;
}

/** Keeps the mark where GSM-7 has the letter with it: e with circumflex and acute becomes é. */
function withMark(found: string, part: string): string {
  const composed = (found + part).normalize('NFC');
  return isGsm7(composed) ? composed : found;
}

const superscript = /^[\u00B2\u00B3\u00B9\u2070-\u207E]/;
const subscript = /^[\u2080-\u208E]/;

/** No replacement may change the number before it: 5½ is not 51/2, 10² not 102, and the degree of n° is a letter. */
function fitToNeighbour(cluster: string, found: string, before: string): string {
  if (cluster.startsWith('°') && /\p{Letter}/u.test(before)) return 'o';
  if (!/^\p{Other_Number}/u.test(cluster)) return found;
  if (superscript.test(cluster)) return /\d/.test(before) ? `^${found}` : found;
  const joins = subscript.test(cluster) ? /\d/.test(before) : /\p{Number}/u.test(before);
  return joins ? ` ${found}` : found;
}
