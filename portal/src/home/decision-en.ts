/** The texts of the decision about a run, in English. */
import { plural } from '../words/words.ts';

const answers = plural('en', '# has not answered', '# have not answered');
const said = (yes: number, no: number) => `${yes} YES, ${no} NO`;

export const en = {
  standing: ({ yes, no, asked, waiting }: Record<'yes' | 'no' | 'asked' | 'waiting', number>) =>
    `${said(yes, no)}, ${answers(asked)}, ${waiting} not asked yet.`,
  askMore: 'Ask the next ones now',
  asked: 'The next ones are being asked.',
  longer: (minutes: number) => `${minutes} minutes longer`,
  isLonger: 'The run ends later.',
  endRun: 'End it',
  ended: 'The run is ending.',
};
