/** The texts of the pages of templates. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useTemplateWords = wordsOf({ en, sv });
