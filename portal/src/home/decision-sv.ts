/** The texts of the decision about a run, in Swedish. */
import { plural } from '../words/words.ts';
import type { en } from './decision-en.ts';

const answers = plural('sv', '# har inte svarat', '# har inte svarat');

export const sv = {
  standing: ({ yes, no, asked, waiting }: Record<'yes' | 'no' | 'asked' | 'waiting', number>) =>
    `${yes} ja, ${no} nej, ${answers(asked)}, ${waiting} ännu inte tillfrågade.`,
  askMore: 'Fråga nästa nu',
  asked: 'Nästa tillfrågas nu.',
  longer: (minutes: number) => `${minutes} minuter till`,
  isLonger: 'Förfrågan slutar senare.',
  endRun: 'Avsluta',
  ended: 'Förfrågan avslutas.',
} satisfies typeof en;
