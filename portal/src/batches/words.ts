/** The texts of the pages of batches. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useBatchWords = wordsOf({ en, sv });
