/** What lists and boards show of a run without reading its people: computed with each step, which knows them all. */
import {
  countHeld,
  isSilent,
  minutesAfter,
  type Person,
  type PersonState,
  personStates,
  placesFree,
  type Run,
  type RunWithPeople,
  type Task,
} from './run.ts';

export interface Tally {
  /** How many people are in each state. */
  readonly people: Readonly<Record<PersonState, number>>;
  /** How many places are held in each task. */
  readonly held: readonly number[];
  /**
   * Whether the run lacks people: it goes on, and too few of those who can still answer, now or in a later level, are left
   * to reach the goal, even if all of them say YES.
   */
  readonly short: boolean;
  /** When the next level opens by itself at the latest; absent if none does. */
  readonly nextLevelAt?: number;
  /** How many people would be asked then, if none of them is asked or needed no more before. */
  readonly nextLevelPeople?: number;
  /** How many people would be asked at most if the owner wanted the next level or wave now. */
  readonly canAsk: number;
}

export function tallyOf(all: RunWithPeople): Tally {
  const { run, people } = all;
  const counts = Object.fromEntries(personStates.map((state) => [state, 0])) as Record<PersonState, number>;
  for (const { state } of people) counts[state] += 1;
  const held = countHeld(all);
  const tally = { people: counts, held, short: false, canAsk: 0 };
  const isRunning = run.phase === 'open' || run.phase === 'finished';
  if (!isRunning) return tally;
  const lacking = run.tasks.flatMap((task, place) => {
    const free = placesFree(task, held[place] ?? 0);
    return free > 0 ? [{ task, place, free }] : [];
  });
  const short = isShort(lacking, people);
  return run.phase === 'open' ? { ...tally, short, ...outlookOf(run, lacking, people) } : { ...tally, short };
}

/** A task with free places. */
interface Lacking {
  readonly task: Task;
  readonly place: number;
  readonly free: number;
}

/** Each task is looked at alone, and then all with a goal together, since one person fills only one place. */
function isShort(lacking: readonly Lacking[], people: readonly Person[]): boolean {
  const withGoal = lacking.filter(({ task }) => task.goal !== null);
  if (withGoal.length === 0) return false;
  const left = people.filter((person) => person.state === 'waiting' || isSilent(person));
  const among = (tasks: readonly Lacking[]) =>
    left.filter(({ candidacies }) => candidacies.some(([of]) => tasks.some(({ place }) => place === of)))
      .length;
  const isTooFew = (tasks: readonly Lacking[]) =>
    among(tasks) < tasks.reduce((sum, { free }) => sum + free, 0);
  return withGoal.some((one) => isTooFew([one])) || isTooFew(withGoal);
}

type Outlook = Pick<Tally, 'nextLevelAt' | 'nextLevelPeople' | 'canAsk'>;

function outlookOf(run: Run, lacking: readonly Lacking[], people: readonly Person[]): Outlook {
  const waiting = people.filter(({ state }) => state === 'waiting');
  const opening = lacking.flatMap((one) => {
    const level = one.task.levels[one.task.opened];
    return level === undefined ? [] : [{ ...one, at: minutesAfter(run.startAt, level.afterMinutes) }];
  });
  // An act opens the next level of each task that lacks people.
  const pushed = lacking.map((one) => (one.task.levels[one.task.opened] === undefined ? one : opened(one)));
  const canAsk = asked(run, pushed, waiting);
  const nextLevelAt = Math.min(...opening.map(({ at }) => at));
  if (nextLevelAt >= (run.expiryAt ?? 0)) return { canAsk };
  const next = opening.filter(({ at }) => at === nextLevelAt).map(opened);
  return { nextLevelAt, nextLevelPeople: asked(run, next, waiting), canAsk };
}

/** The task with one more level, which may raise its goal. */
function opened({ task, place, free }: Lacking): Lacking {
  const raised = Math.max(0, (task.levels[task.opened]?.goal ?? 0) - (task.goal ?? Number.POSITIVE_INFINITY));
  return { place, free: free + raised, task: { ...task, opened: task.opened + 1 } };
}

/** How many of the people the tasks would ask at once: all of their open levels, or a wave. */
function asked({ settings: { wave } }: Run, tasks: readonly Lacking[], waiting: readonly Person[]): number {
  const places = new Set<number>();
  for (const { task, place, free } of tasks) {
    const theirs = waiting.filter(({ candidacies }) =>
      candidacies.some(([of, level]) => of === place && level < task.opened),
    );
    const isWave = wave !== undefined && task.goal !== null;
    for (const person of isWave ? theirs.slice(0, wave * free) : theirs) places.add(person.place);
  }
  return places.size;
}
