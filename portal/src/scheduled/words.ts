/** The texts of the page of what waits for its time. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useScheduledWords = wordsOf({ en, sv });
