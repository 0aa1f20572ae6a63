/** The texts of the pages of messages. */
import { wordsOf } from '../words/words.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';

export const useMessagesWords = wordsOf({ en, sv });
