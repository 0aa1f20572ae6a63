/** Opens levels when they are due, or when too few are left who may still answer, and asks those whose turn it is. */

import { promote } from './places.ts';
import { isCandidate, isSilent, minutesAfter, type Person, placesFree, type Task } from './run.ts';
import type { Step } from './step.ts';

/** `isPushed`: the owner wants the next level, or the next wave, now. */
export function openAndAsk(step: Step, isPushed: boolean): void {
  let push = isPushed;
  // Those who turn out to be unreachable may have the next level opened at once.
  for (;;) {
    const opened = openLevels(step, push);
    const asked = askNext(step, push && opened === 0);
    push = false;
    if (opened + asked === 0) return;
  }
}

function openLevels(step: Step, isPushed: boolean): number {
  const { run, now } = step;
  let opened = 0;
  run.tasks.forEach((task, place) => {
    const next = task.levels[task.opened];
    const free = placesFree(step, place);
    if (next === undefined || free <= 0) return;
    const isDue = now >= minutesAfter(run.startAt, next.afterMinutes);
    const isEarly = run.settings.openEarly && task.goal !== null && stillOpen(step, task, place) < free;
    if (!isDue && !isEarly && !isPushed) return;
    const why = isPushed
      ? 'the owner wants it now'
      : isDue
        ? 'its time has come'
        : 'too few may still answer';
    task.opened += 1;
    task.waveAt = null;
    // A place that is held stays held: a level raises the goal, or leaves it.
    if (task.goal !== null) task.goal = Math.max(task.goal, next.goal ?? 0);
    step.note('escalate', { task: place, why: `${next.name}: ${why}` });
    opened += 1;
  });
  if (opened > 0) promote(step);
  return opened;
}

/** Returns how many were asked, or found to be unreachable. */
function askNext(step: Step, isPushed: boolean): number {
  const { run, now } = step;
  const { wave, waveMinutes, openEarly } = run.settings;
  let asked = 0;
  run.tasks.forEach((task, place) => {
    const free = placesFree(step, place);
    if (free <= 0) return;
    const waiting = candidates(step, task, place).filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) return;
    if (wave === undefined || free === Number.POSITIVE_INFINITY) {
      step.ask(waiting, levelOf(task));
      asked += waiting.length;
      return;
    }
    const silent = candidates(step, task, place).filter(isSilent).length;
    const isTime = task.waveAt === null || now >= task.waveAt;
    if (!isTime && !isPushed && !(openEarly && silent < free)) return;
    const next = waiting.slice(0, wave * free);
    task.waveAt = minutesAfter(now, waveMinutes);
    step.ask(next, `${levelOf(task)}, ${next.length} of ${waiting.length}`);
    asked += next.length;
  });
  return asked;
}

function levelOf({ levels, opened }: Task): string {
  return `level ${opened} of ${levels.length}`;
}

function candidates(step: Step, task: Task, place: number): readonly Person[] {
  return step.people.filter((person) => isCandidate(person, place, task));
}

/** Who may still answer, asked or about to be. */
function stillOpen(step: Step, task: Task, place: number): number {
  return candidates(step, task, place).filter((person) => person.state === 'waiting' || isSilent(person))
    .length;
}
