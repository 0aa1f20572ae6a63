/** What somebody who was asked means by an SMS: YES, NO, a question where he stands, or anything else. */
import { type AnswerWords, plainWord } from './words.ts';

export interface Answer {
  readonly meaning: 'yes' | 'no' | 'query' | 'comment';
}

/** Nothing behind these is looked at: the first word decides. */
const maxRead = 200;

/** A thumb, or a word: digits and letters, with hyphens and apostrophes within. */
const pieces = /\u{1F44D}|\u{1F44E}|[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu;

/** That begin with a word of the lists, and mean the opposite or leave it open. */
const notSo = new Set([
  ...['no problem', 'no problems', 'no prob', 'no worries', 'no probs', 'no idea', 'no reply', 'no clue'],
  ...['no doubt', 'yes or', 'ja eller', 'ja oder', 'kylla vai', 'yes maybe', 'ja kanske', 'ja kanskje'],
  ...['ja maske', 'ja vielleicht', 'kein problem', 'ok but', 'ok when', 'ok who', 'sorry who', 'sorry what'],
]);

/** Turn the word before them round: "absolutely not", "natürlich nicht". */
const negations = new Set(['not', 'inte', 'ikke', 'ikkje', 'icke', 'nicht', 'ej']);

export function readAnswer(text: string, words: AnswerWords): Answer {
  const [first, second] = firstPieces(text);
  if (first === undefined) return { meaning: /[?\uFF1F\u2753\u2754]/.test(text) ? 'query' : 'comment' };
  const meaning = meaningOf(first, words);
  if (meaning === undefined || notSo.has(`${first} ${second ?? ''}`)) return { meaning: 'comment' };
  if (meaning === 'yes' && second !== undefined && negations.has(second)) return { meaning: 'no' };
  return { meaning };
}

function firstPieces(text: string): readonly string[] {
  const read = plainWord(text.slice(0, maxRead));
  const found: string[] = [];
  for (const [piece] of read.matchAll(pieces)) {
    found.push(piece);
    if (found.length === 2) break;
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
  for (const form of [word, unstretched(word)]) {
    if (yes.has(form)) return 'yes';
    if (no.has(form)) return 'no';
  }
  return undefined;
}

/** `jaaa` is `ja`. */
function unstretched(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] === word[end - 2]) end -= 1;
  return word.slice(0, end);
}
