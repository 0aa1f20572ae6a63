/** The texts of the page of what was sent. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useUsageWords = wordsOf({ en, sv });
