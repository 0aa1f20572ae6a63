/** The texts of the pages of API keys and sessions. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useKeyWords = wordsOf({ en, sv });
