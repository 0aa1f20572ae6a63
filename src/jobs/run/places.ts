/** Who gets a place, who waits for one as a reserve, and what becomes of a place that is given back. */
import type { TextName } from '../job-type.ts';
import { system } from './entry.ts';
import { isCandidate, type Person } from './run.ts';
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
