/** What the roles of a user are called, wherever they are shown. */
import { useLaterWords } from './later-texts.ts';

export const useRoleNames = () => useLaterWords().roleNames;
