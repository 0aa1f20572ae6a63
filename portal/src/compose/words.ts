/** The texts of the page that sends. */
import { wordsNowOf, wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useComposeWords = wordsOf({ en, sv });
export const composeWordsNow = wordsNowOf({ en, sv });
