/** Who gets a place, who waits for one as a reserve, and what becomes of a place that is given back. */
import type { TextName } from '../job-type.ts';
import { system } from './entry.ts';
import { isCandidate, type Person, placesFree, reservesOf } from './run.ts';
import type { Step } from './step.ts';

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
  step.change(person, { state: 'yes' });
  if (reservesOf(step.people).length >= step.run.settings.reserve) return 'filledText';
  step.run.turns += 1;
  step.change(person, { reserve: step.run.turns });
  step.note('reserve', { people: [person.place], by });
  return 'reserveText';
}

export function decline(step: Step, person: Person, by = system): void {
  const { task } = person;
  step.change(person, { state: 'no', task: null, reserve: null });
  if (task !== null && step.run.settings.generic === 'GMA')
    step.note('unassign', { people: [person.place], task, by });
  step.reply(person, 'declinedText');
}

/** Places that are free go to reserves, in their order. */
export function promote(step: Step): void {
  for (const person of reservesOf(step.people)) {
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
    return placesFree(step, place) > 0 && isCandidate(person, place, { ...task, opened });
  });
  return place === -1 ? undefined : place;
}
