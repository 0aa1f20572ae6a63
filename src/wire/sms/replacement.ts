/** Replaces pasted characters with similar GSM-7 ones, so that a single curly quote does not halve the capacity of a part. */
import { defaultAlphabet, extensionTable, isGsm7 } from './gsm7.ts';

/**
 * Replaces only if the whole text then fits GSM-7. If one character has no sensible replacement (Chinese, emoji), the
 * text stays UCS-2, which carries all other characters unchanged, so replacing would gain nothing. GSM-7 characters are
 * never changed, and invisible characters (zero-width spaces, joiners, direction marks) are removed.
 */
export function replaceCharacters(text: string): string {
  if (isGsm7(text) || text.length > longestText) return text;
  const wholly = replaceThoroughly(text.replace(invisible, ''));
  return isGsm7(wholly) ? wholly : text;
}

/**
 * Maximum length in UTF-16 code units, many times what 255 parts hold. Longer texts could make the regular expression
 * run out of stack.
 */
const longestText = 1_000_000;

const ignorable = '\\p{Default_Ignorable_Code_Point}';
const invisible = new RegExp(ignorable, 'gu');

/** Accents and other marks that combine with any character: diacritics, enclosing keycaps, variation selectors. */
const marks = '\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F';
const mark = new RegExp(`[${marks}]`);

const alphabet = [...defaultAlphabet, ...extensionTable.values()]
  .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');

/** Marks may be separated from their character by invisible ones, so that a second pass finds the same clusters. */
const attached = `(?:${ignorable}*[${marks}])`;

/** A character with its marks, unless it is a GSM-7 character without any. A mark without a character is left alone. */
const candidate = new RegExp(
  `[^${alphabet}${marks}${ignorable}]${attached}*|[${alphabet}]${attached}+`,
  'gu',
);

/** The long stroke that turns "equal" into "not equal". Without the stroke, the character would mean the opposite. */
const negatingStroke = '\u0338';

/**
 * Replacements for pasted characters, unless Unicode’s own data gives one: the characters and what each of them becomes, with
 * two spaces between such pairs. Characters that Unicode decomposes into these or into GSM-7 are not listed: accented
 * letters, spaces of all widths, ellipsis, ligatures, fullwidth, small, circled, squared and mathematical forms, Roman
 * numerals, fractions, superscripts. Look-alikes are written as escapes.
 */
const rows: readonly string[] = [
  // Quotation marks and primes
  `‘’‛‹›❛❜❮❯\u201A\u2032\u2035\u02B9\u02BB\u02BC\u02BD\u02BE\u02BF\u02C8\u02CA\u02CB\u00B4\u0060\uA78C '
   “”„‟«»❝❞〝〞〟\u2033\u2036\u02BA\u02DD\u02EE\u00A8 "`,
  // Hyphens, dashes, the minus sign, the horizontal line of box drawing characters
  `\u2010\u2012\u2013\u2014\u2015\u2043\u2212\u2500\u2501\u00AF\u203E -`,
  // Bullets
  `•‣⁃◦▪▫■□●○◆◇►▸▶➢➤ -  \u00B7\u2219\u22C5\u2027 .  ★☆✱✳∗⁎ *`,
  // Letters that are not a base letter with an accent
  `łƚ l  Ł L  đðɖɗ d  ĐÐƉƊ D  þ th  Þ Th  œ oe  Œ OE  ẞ SS  ħ h  Ħ H  ıɨ i  Ɨ I  ȷɉ j  Ɉ J  ĸƙ k  Ƙ K
   ŋɲ n  ŊƝ N  ŧƭ t  ŦƬ T  əǝɛ e  ƏƎƐ E  ɔɵ o  ƆƟ O  ƀɓ b  ɃƁ B  ƈ c  Ƈ C  ƒ f  Ƒ F  ǥɠ g  ǤƓ G  ƥ p
   Ƥ P  ʉ u  Ʉ U  ʋ v  Ʋ V  ƶ z  Ƶ Z  ƴ y  Ƴ Y`,
  // Hungarian: the diaeresis is closer than no accent
  `ő ö  Ő Ö  ű ü  Ű Ü`,
  // Signs
  `© (C)  ® (R)  ™ (TM)  ℠ (SM)  ℗ (P)  ×✕✖ x  ÷\u2044\u2215\u29F8 /  ± +/-  ∓ -/+  ∅⌀ Ø  \u2236 :
   ≠ !=  ≮ !<  ≯ !>  ≤⩽ <=  ≥⩾ >=  ≈\u02DC\u223C\u301C ~  \u02C6 ^  ¦\u2223\u2502\u2503 |  ‖ ||
   \u29F5\u29F9\u2216 \\  \u2017 _  \u00B8 ,  ‽ ?!  † +  ‰ o/oo  →⟶➔➙➜➝➞➡ ->  ←⟵⬅ <-  ↔⟷ <->  ⇒⟹ =>
   ⇐⟸ <=  ⇔⟺ <=>  ⋯ ...  °\u02DA deg`,
  // The micro sign, the increment, the n-ary product and sum. Greek letters proper are below or in the alphabet
  `\u00B5 u  \u2206 Δ  \u220F Π  \u2211 Σ`,
  // Currencies, by ISO 4217 code if no character resembles them
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
 * The Greek capitals that GSM-7 omits because they look like Latin ones. GSM-7 has the other ten, so senders of Greek
 * SMS write in capitals.
 */
export const greekTwins: ReadonlyMap<string, string> = new Map(
  [...'\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7'].map(
    (capital, place) => [capital, 'ABEZHIKMNOPTYX'.charAt(place)],
  ),
);

const likePlainly = likenessIn(likenesses);
/** Greek capitals become Latin too. */
const likeThoroughly = likenessIn(new Map([...likenesses, ...greekTwins]));

/** Returns the replacement for a character with its marks after another character. Undefined if there is none. */
type FindLikeness = (cluster: string, before: string) => string | undefined;

function likenessIn(table: ReadonlyMap<string, string>): FindLikeness {
  /** Holds only single code units, so at most 65,536 entries. */
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

/** A character, with its marks, that forces a text into UCS-2. */
export interface Outsider {
  /** The start position, in UTF-16 code units. */
  readonly at: number;
  readonly character: string;
  /** A possible replacement, made individually or by `replaceCharacters`. Undefined if no character is similar. */
  readonly replacement: string | undefined;
}

/** Characters that GSM-7 lacks, and marks and invisible characters that stand alone. */
const outsider = new RegExp(`${candidate.source}|[${marks}]|${ignorable}`, 'gu');

/**
 * Finds the characters of a text that GSM-7 lacks, and their possible replacements. In a text that stays UCS-2 anyway,
 * invisible characters and Greek capitals are included without a replacement.
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

/** Tried in this order: the composed character itself, the table, the parts that Unicode decomposes it into. */
function findLikeness(cluster: string, table: ReadonlyMap<string, string>): string | undefined {
  // No letter has as many as four marks. More are decoration, and there could be megabytes of them.
  const composed = cluster.replace(invisible, '').slice(0, 6).normalize('NFC');
  if (isGsm7(composed)) return composed;
  const listed = table.get(composed);
  if (listed !== undefined) return listed;
  const parts = [...composed].flatMap((part) => (table.has(part) ? part : [...part.normalize('NFKD')]));
  // A spacing accent decomposes into a space and the accent, but it does not resemble a space.
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

/** Keeps the mark if GSM-7 has the letter with it: e with circumflex and acute becomes é. */
function withMark(found: string, part: string): string {
  const composed = (found + part).normalize('NFC');
  return isGsm7(composed) ? composed : found;
}

const superscript = /^[\u00B2\u00B3\u00B9\u2070-\u207E]/;
const subscript = /^[\u2080-\u208E]/;

/**
 * A replacement must not change the number before it: 5½ is not 51/2, 10² is not 102, and the degree sign in n° is a letter.
 */
function fitToNeighbour(cluster: string, found: string, before: string): string {
  if (cluster.startsWith('°') && /\p{Letter}/u.test(before)) return 'o';
  if (!/^\p{Other_Number}/u.test(cluster)) return found;
  if (superscript.test(cluster)) return /\d/.test(before) ? `^${found}` : found;
  const joins = subscript.test(cluster) ? /\d/.test(before) : /\p{Number}/u.test(before);
  return joins ? ` ${found}` : found;
}
