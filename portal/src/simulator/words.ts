/** The texts of the phone simulator. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useSimulatorWords = wordsOf({ en, sv });
