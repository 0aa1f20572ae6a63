/** A saved job as it is typed into the form, and as calls give it. Pure. */
import type { AnswerOf, ParametersOf } from '../../api/endpoints.ts';
import { piecesIn } from '../../sending/recipient.ts';

export type SavedJob = AnswerOf<'GET', '/api/v1/savedjobs/{id}'>;
export type JobType = AnswerOf<'GET', '/api/v1/jobtypes'>['types'][number];

export interface Level {
  /** Minutes from the start. */
  readonly after: string;
  /** A tag filter. */
  readonly ask: string;
  readonly goal: string;
}

export interface Task {
  /** One tag: `role:nurse`. */
  readonly ask: string;
  readonly goal: string;
  readonly levels: readonly Level[];
}

export interface Fields {
  readonly name: string;
  readonly type: string;
  readonly owner: string;
  readonly message: string;
  readonly numbers: string;
  readonly tagFilter: string;
  readonly savedTagFilters: readonly string[];
  readonly groups: readonly string[];
  readonly excludeNumbers: string;
  readonly excludeFilter: string;
  readonly responseGoal: string;
  readonly tasks: readonly Task[];
}

export const newLevel: Level = { after: '', ask: '', goal: '' };
export const newTask: Task = { ask: '', goal: '1', levels: [] };

export const blank: Fields = {
  name: '',
  type: '',
  owner: '',
  message: '',
  numbers: '',
  tagFilter: '',
  savedTagFilters: [],
  groups: [],
  excludeNumbers: '',
  excludeFilter: '',
  responseGoal: '',
  tasks: [newTask],
};

const text = (value: number | undefined) => (value === undefined ? '' : String(value));

export function fieldsOf(job: SavedJob): Fields {
  const { name, type, owner, message, recipients, exclude, responseGoal, tasks } = job;
  return {
    name,
    type,
    owner,
    message,
    numbers: recipients?.numbers.join('\n') ?? '',
    tagFilter: recipients?.tagFilter ?? '',
    savedTagFilters: recipients?.savedTagFilters ?? [],
    groups: recipients?.groups ?? [],
    excludeNumbers: exclude?.numbers.join('\n') ?? '',
    excludeFilter: exclude?.tagFilter ?? '',
    responseGoal: text(responseGoal),
    tasks: tasks.map(({ tagType, tagValue, goal, escalations }) => ({
      ask: `${tagType}:${tagValue}`,
      goal: String(goal),
      levels: escalations.map(({ afterMinutes, tagFilter, goal: raised }) => ({
        after: String(afterMinutes),
        ask: tagFilter,
        goal: text(raised),
      })),
    })),
  };
}

/** The keys of a job, in the words of the server and of a provisioning file. */
export type Call = Omit<ParametersOf<'POST', '/api/v1/savedjobs'>, 'username' | 'password'>;

/** What does not apply to the type is empty, which clears it. */
export function callOf(fields: Fields, generic: JobType['generic'] | undefined): Call {
  const { name, type, owner, message, tagFilter, savedTagFilters, groups, excludeFilter } = fields;
  const own = { name, type, owner, message };
  if (generic === 'GMA')
    return { ...own, recipients: '', exclude: '', responseGoal: '', tasks: fields.tasks.map(taskOf) };
  // What is no number is sent too, so that the server refuses it instead of its silent loss.
  const numbers = piecesIn(fields.numbers);
  const without = piecesIn(fields.excludeNumbers);
  return {
    ...own,
    recipients: { numbers, tagFilter: tagFilter.trim(), savedTagFilters, groups },
    exclude:
      without.length === 0 && excludeFilter.trim() === ''
        ? ''
        : { numbers: without, tagFilter: excludeFilter.trim() },
    responseGoal: fields.responseGoal,
    tasks: '',
  };
}

function taskOf({ ask, goal, levels }: Task) {
  const [tagType = '', ...value] = ask.split(':');
  return {
    tagType: tagType.trim(),
    tagValue: value.join(':').trim(),
    goal,
    escalations: levels.map(({ after, ask: tagFilter, goal: raised }) => ({
      afterMinutes: after,
      tagFilter,
      goal: raised,
    })),
  };
}
