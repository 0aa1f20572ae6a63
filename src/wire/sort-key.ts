/**
 * What texts are compared by: when somebody searches for one, and when a list stands in the order of a language. The order
 * must come from the text itself, since SQLite and PostgreSQL have different collations, or none.
 */
import type { Language } from '../foundation/language.ts';

/** Letters that Unicode does not take apart into a letter and an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
};

/**
 * Letters that are not the plain letter with an accent. In Swedish, å, ä and ö are the last of the alphabet, æ and ø are
 * other forms of two of them, and ü stands with y. No ASCII character follows `~`, and in UTF-8 it precedes ä and ö.
 */
const ownLetters: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {},
  sv: { å: '~', ä: 'ä', æ: 'ä', ö: 'ö', ø: 'ö', ő: 'ö', œ: 'ö', ü: 'y', ű: 'y' },
};

const beyondAscii = /[^\0-\x7f]/gu;

/** In lower case without accents, because people search without typing them. */
export function plainForm(text: string): string {
  return withoutAccents(text).replace(beyondAscii, (letter) => plainLetters[letter] ?? letter);
}

/** Leaves letters like ø, which have no accent. */
export function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Compared byte by byte in UTF-8, keys give texts the order of the language. Capitals and accents make no difference, and
 * numbers are compared digit by digit, so `Ward 10` precedes `Ward 2`.
 */
export function sortKey(text: string, language: Language): string {
  if (language === 'en') return plainForm(text);
  const letters = ownLetters[language];
  const lower = text.normalize('NFC').toLowerCase();
  return lower.replace(beyondAscii, (letter) => letters[letter] ?? plainForm(letter));
}
