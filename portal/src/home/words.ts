/** The texts of the front page. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useHomeWords = wordsOf({ en, sv });
