/** Replaces what people paste by similar GSM-7 characters, so that one curly quote does not halve what a part holds. */
import { defaultAlphabet, extensionTable, isGsm7 } from './gsm7.ts';

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

/**
 * What people paste, as far as Unicode’s own data does not tell its likeness: characters and what each of them becomes; two spaces stand between such pairs. What Unicode decomposes into such
 * characters or into GSM-7 is not listed: accented letters, spaces of all widths, ellipsis, ligatures, fullwidth, small,
 * circled, squared and mathematical forms, Roman numerals, fractions, superscripts. Look-alikes are written as escapes.
 */
const rows: readonly string[] = [
  // Quotation marks and primes
  `‘’‛‹›❛❜❮❯\u201A\u2032\u2035\u02B9\u02BB\u02BC\u02BD\u02BE\u02BF\u02C8\u02CA\u02CB\u00B4\u0060\uA78C '
   “”„‟«»❝❞〝〞〟\u2033\u2036\u02BA\u02DD\u02EE\u00A8 "`,
  // Hyphens, dashes, the minus sign, the horizontal line of box drawing
  `\u2010\u2012\u2013\u2014\u2015\u2043\u2212\u2500\u2501\u00AF\u203E -`,
  // Bullets
  `•‣⁃◦▪▫■□●○◆◇►▸▶➢➤ -  \u00B7\u2219\u22C5\u2027 .  ★☆✱✳∗⁎ *`,
  // Letters that are not a base letter with an accent
  `łƚ l  Ł L  đðɖɗ d  ĐÐƉƊ D  þ th  Þ Th  œ oe  Œ OE  ẞ SS  ħ h  Ħ H  ıɨ i  Ɨ I  ȷɉ j  Ɉ J  ĸƙ k  Ƙ K
   ŋɲ n  ŊƝ N  ŧƭ t  ŦƬ T  əǝɛ e  ƏƎƐ E  ɔɵ o  ƆƟ O  ƀɓ b  ɃƁ B  ƈ c  Ƈ C  ƒ f  Ƒ F  ǥɠ g  ǤƓ G  ƥ p
   Ƥ P  ʉ u  Ʉ U  ʋ v  Ʋ V  ƶ z  Ƶ Z  ƴ y  Ƴ Y`,
  // Hungarian: the diaeresis is nearer than no accent
  `ő ö  Ő Ö  ű ü  Ű Ü`,
  // Signs
  `© (C)  ® (R)  ™ (TM)  ℠ (SM)  ℗ (P)  ×✕✖ x  ÷\u2044\u2215\u29F8 /  ± +/-  ∓ -/+  ∅⌀ Ø  \u2236 :
   ≠ !=  ≮ !<  ≯ !>  ≤⩽ <=  ≥⩾ >=  ≈\u02DC\u223C\u301C ~  \u02C6 ^  ¦\u2223\u2502\u2503 |  ‖ ||
   \u29F5\u29F9\u2216 \\  \u2017 _  \u00B8 ,  ‽ ?!  † +  ‰ o/oo  →⟶➔➙➜➝➞➡ ->  ←⟵⬅ <-  ↔⟷ <->  ⇒⟹ =>
   ⇐⟸ <=  ⇔⟺ <=>  ⋯ ...  °\u02DA deg`,
  // The micro sign, the increment, the n-ary product and sum; Greek letters proper are below or in the alphabet
  `\u00B5 u  \u2206 Δ  \u220F Π  \u2211 Σ`,
  // Currencies, by their code in ISO 4217 where no sign is like them
  `₤ £  ¢ c  ₹ INR  ₽ RUB  ₺ TRY  ₴ UAH  ₩ KRW  ₪ ILS  ₫ VND  ₱ PHP  ₦ NGN`,
];

export const likenesses: ReadonlyMap<string, string> = new Map(
  rows
    .flatMap((row) => row.split(/\s{2,}/))
    .flatMap((pair) => {
      const [characters = '', likeness = ''] = pair.split(' ');
      return [...characters].map((character) => [character, likeness] as const);
    }),
);

/**
 * The Greek capitals that GSM-7 leaves out because they look like Latin ones; it has the other ten. Senders of Greek
 * SMS write in capitals for that reason.
 */
export const greekTwins: ReadonlyMap<string, string> = new Map(
  [...'\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7'].map(
    (capital, place) => [capital, 'ABEZHIKMNOPTYX'.charAt(place)],
  ),
);

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
