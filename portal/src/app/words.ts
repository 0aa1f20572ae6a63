/** The texts of the portal's frame. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useFrameWords = wordsOf({ en, sv });
