/** The rules for what a saved job contains, which a provisioning file and calls of administrators share. */
import type { Generic } from './job-type.ts';
import type { SavedJobContent } from './saved-job.ts';

/** Maximum per job. A step of a run considers each person for each task. */
export const maxTasks = 20;
/** Maximum per task; each is looked up in the address book when the job is started. */
export const maxEscalations = 20;
/** Maximum per list of groups or saved filters. */
export const maxNames = 100;
/** The longest time in the settings of a type or a job: a week. */
export const maxMinutes = 10_080;

const ofMessages = ['recipients', 'exclude', 'responseGoal'] as const;
const ofTasks = ['tasks'] as const;

/** The parts of the content that do not apply to jobs of a type that derives from `generic`. */
export function misplacedIn(
  content: { readonly [Key in keyof SavedJobContent]?: unknown },
  generic: Generic,
): readonly (keyof SavedJobContent)[] {
  const others = generic === 'GMM' ? ofTasks : ofMessages;
  return others.filter((key) => content[key] !== undefined);
}
