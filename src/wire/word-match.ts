/** Finds things by what people type of their names: each typed word is the beginning of a word of the name. */

/** Capitals and accents make no difference, and anything but letters and digits divides words. */
export function matchesWords(name: string, typed: string): boolean {
  const words = wordsOf(name);
  return wordsOf(typed).every((part) => words.some((word) => word.startsWith(part)));
}

function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
