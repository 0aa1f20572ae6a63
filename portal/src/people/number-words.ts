/** The texts of the page about one phone number. */
import { wordsOf } from '../words/words.ts';
import { en } from './number-en.ts';
import { sv } from './number-sv.ts';

export const useNumberWords = wordsOf({ en, sv });
