/** What somebody who was asked means by an SMS: YES, NO, a question where he stands, or anything else. */
import { isContradiction, isLeftOpen, withoutFiller } from './false-friends.ts';
import { readReaction } from './reactions.ts';
import { type AnswerWords, plainWord } from './words.ts';

export interface Answer {
  readonly meaning: 'yes' | 'no' | 'query' | 'comment';
}

/** Nothing behind these is looked at: the first word decides. */
const maxRead = 200;

/** A thumb, or a word: digits and letters, with hyphens and apostrophes within. */
const pieceForm = /\u{1F44D}|\u{1F44E}|[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu;

/** Turn the word before them round: "absolutely not", "natürlich nicht". */
const negations = new Set(['not', 'inte', 'ikke', 'ikkje', 'icke', 'nicht', 'ej']);

export function readAnswer(text: string, words: AnswerWords): Answer {
  const read = text.slice(0, maxRead);
  const reaction = readReaction(read);
  if (reaction !== undefined) return { meaning: reaction };
  const all = firstPieces(read);
  if (all.length === 0) return { meaning: /[?\uFF1F\u2753\u2754]/.test(text) ? 'query' : 'comment' };
  const { language } = words;
  // "No problem" is one turn of speech in Finland too.
  const pieces = isLeftOpen(all, read, language) ? all : withoutFiller(all, read, language);
  const [first, second] = pieces;
  const meaning = first === undefined ? undefined : meaningOf(first, words);
  if (meaning === undefined || isLeftOpen(pieces, read, language)) return { meaning: 'comment' };
  if (meaning === 'yes' && second !== undefined && negations.has(second)) return { meaning: 'no' };
  return { meaning: isContradiction(pieces, meaning, language) ? 'comment' : meaning };
}

/** As many as a turn of speech has. */
const maxPieces = 4;

function firstPieces(text: string): readonly string[] {
  const found: string[] = [];
  for (const [piece] of plainWord(text).matchAll(pieceForm)) {
    found.push(piece);
    if (found.length === maxPieces) break;
  }
  return found;
}

function meaningOf(word: string, { yes, no, digits }: AnswerWords): 'yes' | 'no' | undefined {
  if (word === '\u{1F44D}') return 'yes';
  if (word === '\u{1F44E}') return 'no';
  if (/^[0-9]+$/.test(word)) {
    if (!digits) return undefined;
    return word === '1' ? 'yes' : word === '2' || word === '0' ? 'no' : undefined;
  }
  const short = unstretched(word);
  for (const form of short === word ? [word] : [word, short + short.at(-1), short]) {
    if (yes.has(form)) return 'yes';
    if (no.has(form)) return 'no';
  }
  return undefined;
}

/** `jaaa` is `ja`; `jooo` may be `joo`. */
function unstretched(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] === word[end - 2]) end -= 1;
  return word.slice(0, end);
}
