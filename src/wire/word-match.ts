/** Finds things by what people type of their names: each typed word is the beginning of a word of the name. */
import { plainForm } from './sort-key.ts';

/** Capitals and accents make no difference, and anything but letters and digits divides words. */
export function matchesWords(name: string, typed: string): boolean {
  return wordMatcher(typed)(name);
}

/** For a search of many texts. */
export function wordMatcher(typed: string): (text: string) => boolean {
  const parts = wordsOf(typed);
  return (text) => {
    const words = wordsOf(text);
    return parts.every((part) => words.some((word) => word.startsWith(part)));
  };
}

/** Whether anything can be found by it: signs alone are the beginning of nothing. */
export function hasWords(typed: string): boolean {
  return /[\p{L}\p{N}]/u.test(typed);
}

function wordsOf(text: string): readonly string[] {
  return plainForm(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
