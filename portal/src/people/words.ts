/** The texts of people and their address books. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const usePeopleWords = wordsOf({ en, sv });
