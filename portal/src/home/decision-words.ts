/** The texts of the decision about a run, which few ever open. */
import { wordsOf } from '../words/words.ts';
import { en } from './decision-en.ts';
import { sv } from './decision-sv.ts';

export const useDecisionWords = wordsOf({ en, sv });
