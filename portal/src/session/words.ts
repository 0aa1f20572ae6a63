/** The texts of signing in. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useSessionWords = wordsOf({ en, sv });
