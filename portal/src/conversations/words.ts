/** The texts of conversations. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useConversationWords = wordsOf({ en, sv });
