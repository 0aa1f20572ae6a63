/** The texts of components that all pages use. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useDesignWords = wordsOf({ en, sv });
