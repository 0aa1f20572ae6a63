/** Whom a run asks and when, who gets a place, who waits for one as a reserve, and what becomes of a place that is given back. */
import type { TextName } from '../job-type.ts';
import { system } from './entry.ts';
import { isCandidate, isSilent, minutesAfter, type Person, type Task } from './run.ts';
import type { Step } from './step.ts';

/**
 * Opens levels when they are due, or when too few are left who may still answer, and asks those whose turn it is.
 * `isPushed`: the owner wants the next level, or the next wave, now.
 */
export function openAndAsk(step: Step, isPushed: boolean): void {
  let push = isPushed;
  for (;;) {
    const opened = openLevels(step, push);
    if (opened > 0) push = false;
    // Before anybody is asked all is open that is to be: those who can't be reached may have the next level opened, and
    // reserves in it may have the last place.
    else if (giveUpNext(step, push) === 0) {
      askNext(step, push);
      return;
    }
  }
}

function openLevels(step: Step, isPushed: boolean): number {
  const { run, now } = step;
  let opened = 0;
  run.tasks.forEach((task, place) => {
    const next = task.levels[task.opened];
    const free = step.free(place);
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

/** Gives up those whose turn it is and who can't be sent to. Returns how many there were. */
function giveUpNext(step: Step, isPushed: boolean): number {
  return step.run.tasks.reduce(
    (count, task, place) => count + step.giveUp(nextOf(step, place, isPushed, waitingFor(step, task, place))),
    0,
  );
}

function askNext(step: Step, isPushed: boolean): void {
  const { run, now } = step;
  run.tasks.forEach((task, place) => {
    // Who was asked for one task brings up the turn of others in the next: one of them who can't be sent to is given up
    // when it comes again.
    const waiting = waitingFor(step, task, place).filter((person) => step.whyNot(person) === undefined);
    const next = nextOf(step, place, isPushed, waiting);
    const isWave = run.settings.wave !== undefined && task.goal !== null;
    const among = isWave ? `, ${next.length} of ${waiting.length}` : '';
    const asked = step.ask(next, `level ${task.opened} of ${task.levels.length}${among}`);
    if (isWave && asked > 0) task.waveAt = minutesAfter(now, run.settings.waveMinutes);
  });
}

/** Those who wait for a task and whose turn it is to be asked. */
function nextOf(step: Step, place: number, isPushed: boolean, waiting: readonly Person[]): readonly Person[] {
  const { wave, openEarly } = step.run.settings;
  const task = step.run.tasks[place] as Task;
  const free = step.free(place);
  if (free <= 0) return [];
  if (wave === undefined || task.goal === null || waiting.length === 0) return waiting;
  const silent = candidates(step, task, place).filter(isSilent).length;
  const isTime = task.waveAt === null || step.now >= task.waveAt;
  if (!isTime && !isPushed && !(openEarly && silent < free)) return [];
  return waiting.slice(0, wave * free);
}

function waitingFor(step: Step, task: Task, place: number): readonly Person[] {
  return candidates(step, task, place).filter(({ state }) => state === 'waiting');
}

function candidates(step: Step, task: Task, place: number): readonly Person[] {
  return step.people.filter((person) => isCandidate(person, place, task));
}

/** Who may still answer, asked or about to be. */
function stillOpen(step: Step, task: Task, place: number): number {
  return candidates(step, task, place).filter((person) => person.state === 'waiting' || isSilent(person))
    .length;
}

export function accept(step: Step, person: Person, by = system): void {
  step.reply(person, acceptedAs(step, person, by));
}

/** Returns the text that says what has become of it. */
function acceptedAs(step: Step, person: Person, by: string): TextName {
  if (person.task !== null) return 'assignedText';
  if (person.reserve !== null) return 'reserveText';
  const task = freeTaskFor(step, person, by !== system);
  if (task !== undefined) {
    step.assign(person, task, by);
    return 'assignedText';
  }
  if (person.spare === undefined) step.run.turns += 1;
  const turn = person.spare ?? step.run.turns;
  if (step.reserves().length >= step.run.settings.reserve) {
    step.change(person, { state: 'yes', spare: turn });
    return 'filledText';
  }
  step.change(person, { state: 'yes', reserve: turn, spare: undefined });
  step.note('reserve', { people: [person.place], by });
  return 'reserveText';
}

export function decline(step: Step, person: Person, by = system): void {
  takeBack(step, person, by);
  step.reply(person, 'declinedText');
}

/** The person is counted on no more. */
export function takeBack(step: Step, person: Person, by = system): void {
  const { task } = person;
  step.change(person, { state: 'no', task: null, reserve: null, spare: undefined });
  if (task !== null && step.run.settings.generic === 'GMA')
    step.note('unassign', { people: [person.place], task, by });
}

/** Places that are free go to reserves, in their order, and then to others whose YES came too late. */
export function promote(step: Step): void {
  for (const person of [...step.reserves(), ...step.spares()]) {
    const task = freeTaskFor(step, person);
    if (task === undefined) continue;
    step.assign(person, task, system);
    step.say(person, 'promotedText');
  }
}

/** The first of those that the person was asked for; the owner need not wait for its level. */
function freeTaskFor(step: Step, person: Person, isByOwner = false): number | undefined {
  const { tasks } = step.run;
  const place = tasks.findIndex((task, place) => {
    const opened = isByOwner ? task.levels.length : task.opened;
    return step.free(place) > 0 && isCandidate(person, place, { ...task, opened });
  });
  return place === -1 ? undefined : place;
}
