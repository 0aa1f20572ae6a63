/**
 * When a run's next step is due even if nothing else happens: the end, a level, a wave, a reminder, or a retry of what was
 * held back.
 */
import { freeIn, type State } from './progress.ts';
import { isCandidate, isNeeded, isSilent, minutesAfter } from './run.ts';

/** When the run has something to do by time alone; null for never. */
export function nextDue(state: State): number | null {
  const { run, pending } = state;
  if (run.phase === 'scheduled') return run.startAt;
  const times = run.phase === 'ended' ? [] : [run.expiryAt as number];
  if (run.heldUntil !== undefined) times.push(run.heldUntil);
  else if (pending.length > 0) times.push(run.startAt);
  if (run.phase === 'open') times.push(...timesOfTasks(state), ...timesOfReminders(state));
  const { warningMinutes } = run.settings;
  if (run.phase === 'open' && warningMinutes !== undefined && !run.warned)
    times.push(minutesAfter(run.startAt, warningMinutes));
  return times.length === 0 ? null : Math.min(...times);
}

/** When the next level and wave of each task are due. */
function timesOfTasks(state: State): readonly number[] {
  const { run, people } = state;
  return run.tasks.flatMap((task, place) => {
    if (freeIn(state, place) <= 0) return [];
    const next = task.levels[task.opened];
    const ofLevel = next === undefined ? [] : [minutesAfter(run.startAt, next.afterMinutes)];
    const isMore = people.some((person) => person.state === 'waiting' && isCandidate(person, place, task));
    if (task.waveAt === null || !isMore) return ofLevel;
    return [...ofLevel, Math.max(task.waveAt, run.heldUntil ?? 0)];
  });
}

/** When the first reminder is due, if any is. */
function timesOfReminders(state: State): readonly number[] {
  const { run, people } = state;
  const { reminderMinutes } = run.settings;
  if (reminderMinutes === undefined) return [];
  const free = (task: number) => freeIn(state, task);
  const first = people
    .filter((person) => isSilent(person) && !person.reminded && isNeeded(person, run.tasks, free))
    .reduce((least, { askedAt }) => Math.min(least, askedAt as number), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return [];
  return [Math.max(minutesAfter(first, reminderMinutes), run.heldUntil ?? 0)];
}
